/** Keeps the content of secrets and configs that callers sent, in one file per project that only this user may read. */
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { objectOf, parseJson, textOf } from '../../runtime/json.js';
import { removeDrafts, replaceFile } from '@plumbline/contract/system/replace-file';
import { errorCode } from '@plumbline/contract/system/error-code';

export interface StoredContents {
  /** The content by `secrets.<name>` and `configs.<name>`. */
  read(project: string): Promise<ReadonlyMap<string, Uint8Array>>;
  /** @param contents in Base64 */
  write(project: string, contents: ReadonlyMap<string, string>): Promise<void>;
  /** Removes all but these. */
  keep(project: string, keys: ReadonlySet<string>): Promise<void>;
  remove(project: string): Promise<void>;
  /** Removes the content of all other projects, and the drafts of a server that was killed. For a server that starts. */
  removeOthers(projects: ReadonlySet<string>): Promise<void>;
}

export function contentKey(section: 'secrets' | 'configs', name: string): string {
  return `${section}.${name}`;
}

/** @param root the directory of the projects. Names of projects do not begin with a dot, so none has this folder. */
export function storedContents(root: string): StoredContents {
  const folder = path.join(root, '.files');
  const fileOf = (project: string): string => path.join(folder, `${project}.json`);

  async function encoded(project: string): Promise<ReadonlyMap<string, string>> {
    const text = await readFile(fileOf(project), 'utf8').catch((error: unknown) => {
      if (isMissing(error)) return '{}';
      throw error;
    });
    return new Map(Object.entries(objectOf(parseJson(text))).map(([key, content]) => [key, textOf(content)]));
  }

  async function write(project: string, contents: ReadonlyMap<string, string>): Promise<void> {
    if (contents.size === 0) {
      await rm(fileOf(project), { force: true });
      return;
    }
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await replaceFile(fileOf(project), JSON.stringify(Object.fromEntries(contents)));
  }

  return {
    async read(project) {
      return new Map([...(await encoded(project))].map(([key, content]) => [key, Buffer.from(content, 'base64')]));
    },
    write,
    async keep(project, keys) {
      const before = await encoded(project);
      const kept = new Map([...before].filter(([key]) => keys.has(key)));
      if (kept.size < before.size) await write(project, kept);
    },
    remove: (project) => rm(fileOf(project), { force: true }),
    async removeOthers(projects) {
      const names = await readdir(folder).catch((error: unknown) => {
        if (isMissing(error)) return null;
        throw error;
      });
      if (names === null) return;
      await removeDrafts(folder);
      const stored = names.filter((name) => name.endsWith('.json')).map((name) => name.slice(0, -5));
      await Promise.all(stored.filter((project) => !projects.has(project)).map((project) => rm(fileOf(project))));
    },
  };
}

function isMissing(error: unknown): boolean {
  return errorCode(error) === 'ENOENT';
}
