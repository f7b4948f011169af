import { watch, type FSWatcher } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { extname, join } from 'node:path';

/** Editors and formatters write several files at a time. */
const quietMs = 100;

const sources = /\.(?:ts|tsx|js|yaml|graphql|sql|css|html|svg)$/;

/**
 * Notices changes of source files below some folders, apart from generated ones. It watches every folder, because the
 * recursive watch of Node 20 misses files that are replaced, which is how most editors save.
 */
export class SourceChanges {
  readonly #folders: readonly string[];
  readonly #signal: AbortSignal;
  #watchers: FSWatcher[] = [];
  #isChanged = false;
  #notify: () => void = () => undefined;
  #quiet: NodeJS.Timeout | undefined;
  #following: Promise<void>;

  /** @param signal ends the watch and what waits for it */
  constructor(folders: readonly string[], signal: AbortSignal) {
    this.#folders = folders;
    this.#signal = signal;
    this.#following = this.#follow();
    signal.addEventListener('abort', () => {
      clearTimeout(this.#quiet);
      this.#close();
      this.#notify();
    });
  }

  /** Resolves when something has changed since the last call, or at the end of the watch. */
  async next(): Promise<void> {
    await this.#following;
    if (!this.#isChanged && !this.#signal.aborted) {
      await new Promise<void>((resolve) => {
        this.#notify = resolve;
      });
    }
    this.#isChanged = false;
  }

  async #follow(): Promise<void> {
    const found = (await Promise.all(this.#folders.map(foldersBelow))).flat();
    this.#close();
    if (this.#signal.aborted) return;
    this.#watchers = found.flatMap((folder) => this.#watch(folder));
  }

  #watch(folder: string): FSWatcher[] {
    try {
      const watcher = watch(folder, (_event, name) => {
        this.#seen(name);
      });
      return [watcher.on('error', () => undefined)];
    } catch {
      return []; // The folder was removed, which the folder above notices.
    }
  }

  #seen(name: string | null): void {
    const isFolder = name === null || extname(name) === '';
    if (isFolder) this.#following = this.#following.then(() => this.#follow());
    if (!isFolder && !sources.test(name)) return;
    clearTimeout(this.#quiet);
    this.#quiet = setTimeout(() => {
      this.#isChanged = true;
      this.#notify();
    }, quietMs);
  }

  #close(): void {
    for (const watcher of this.#watchers) watcher.close();
    this.#watchers = [];
  }
}

async function foldersBelow(root: string): Promise<string[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true }).catch(() => []);
  const below = entries.filter((entry) => entry.isDirectory()).map((entry) => join(entry.parentPath, entry.name));
  return [root, ...below].filter((folder) => !/(?:^|\/)generated(?:\/|$)/.test(folder));
}
