import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Two builds, so that the server reads its files until the next one is complete. */
const folders = ['.cache/dev/a', '.cache/dev/b'] as const;

/** The server of the last complete build. */
export class BuiltServer {
  #child: ChildProcess | null = null;
  #current = 1;

  readonly #options: readonly string[];

  /** @param options the options of `plumbline serve` */
  constructor(options: readonly string[]) {
    this.#options = options;
  }

  get isRunning(): boolean {
    return this.#child !== null;
  }

  /** The folder that is built next. */
  get nextFolder(): string {
    return folders[this.#current === 0 ? 1 : 0];
  }

  /**
   * Ends the running server, and starts the one in `nextFolder`.
   *
   * @returns false if `signal` has asked for the end
   */
  async replace(signal: AbortSignal): Promise<boolean> {
    // A build reads its version and the format of its modules from the file beside it.
    await copyFile('package.json', join(this.nextFolder, 'package.json'));
    await this.stop();
    if (signal.aborted) return false;
    const main = join(this.nextFolder, 'dist/src/cli/main.cjs');
    const child = spawn(process.execPath, ['--enable-source-maps', main, 'serve', ...this.#options], {
      stdio: ['ignore', 'inherit', 'inherit'],
      detached: true, // Ctrl-C would reach it a second time, which ends it at once.
    });
    child.once('exit', (code, cause) => {
      if (this.#child !== child) return;
      this.#child = null;
      console.error(`dev: the server ended (${String(code ?? cause)}); the next change starts it again`);
    });
    this.#child = child;
    this.#current = this.#current === 0 ? 1 : 0;
    return true;
  }

  /** Ends the server as Ctrl-C does: after the requests in progress, but without SHUTDOWN_DRAIN. */
  async stop(): Promise<void> {
    const child = this.#child;
    this.#child = null;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGINT');
    await once(child, 'exit');
  }
}
