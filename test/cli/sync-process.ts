/** Runs `plumbline sync` in a separate process, from the sources, without a build. */
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { SyncSummary } from '../../src/sync/summary.js';
import type { Finished } from './plumbline.js';

const MAIN = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));
const TSX = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;

export interface SyncProcess {
  readonly pid: number;
  readonly finished: Promise<Finished>;
  /** Resolves as soon as standard error matches; rejects when the process ends without. */
  said(pattern: RegExp): Promise<void>;
  kill(signal: NodeJS.Signals): void;
}

export interface SyncProcessOptions {
  /** Nothing of the tests' own environment but PATH is passed on. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Where it is started. */
  readonly directory?: string;
}

/** Starts `plumbline sync` with these arguments. */
export function startSync(
  args: readonly string[],
  { environment = {}, directory = process.cwd() }: SyncProcessOptions = {},
): SyncProcess {
  const child = spawn(process.execPath, ['--conditions=@plumbline/source', '--import', TSX, MAIN, 'sync', ...args], {
    cwd: directory,
    env: { PATH: process.env['PATH'], HOME: '/nonexistent', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  let onStderr = (): void => {};
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
    onStderr();
  });
  const finished = new Promise<Finished>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (exitCode, signal) => {
      resolve({ exitCode, signal, stdout, stderr });
    });
  });
  return {
    pid: child.pid ?? 0,
    finished,
    said: (pattern) =>
      new Promise((resolve, reject) => {
        onStderr = () => {
          if (pattern.test(stderr)) resolve();
        };
        onStderr();
        finished.then(() => {
          reject(new Error(`It ended without saying ${String(pattern)}: ${stderr}`));
        }, reject);
      }),
    kill: (signal) => {
      child.kill(signal);
    },
  };
}

/** Runs `plumbline sync` to its end. */
export function runSyncProcess(args: readonly string[], options: SyncProcessOptions = {}): Promise<Finished> {
  return startSync(args, options).finished;
}

/** What `--json` printed: one line, one object. */
export function printedSummary({ stdout, stderr }: Finished): SyncSummary {
  if (!/^\{.*\}\n$/.test(stdout)) throw new Error(`Not one line with an object: ${stdout}\n${stderr}`);
  return JSON.parse(stdout) as SyncSummary;
}
