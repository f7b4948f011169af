/** Runs any `plumbline` command in a separate process, from the sources, without a build. */
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { createRequire } from 'node:module';
import type { Readable } from 'node:stream';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Finished } from './plumbline.js';

const MAIN = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));
const TSX = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;

/** Starts `plumbline` with these arguments; nothing of the tests' own environment but PATH is passed on. */
export function startMain(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  input: number | 'ignore' = 'ignore',
): ChildProcessByStdio<null, Readable, Readable> {
  const child = spawn(process.execPath, ['--conditions=@plumbline/source', '--import', TSX, MAIN, ...args], {
    env: { PATH: process.env['PATH'], HOME: '/nonexistent', ...environment },
    stdio: [input, 'pipe', 'pipe'],
  });
  // Pipes, by the line above; a file is not a stream here.
  return child as ChildProcessByStdio<null, Readable, Readable>;
}

/** Runs `plumbline` to its end, with a file as its standard input, or none. */
export function runMain(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  input: number | 'ignore' = 'ignore',
): Promise<Finished> {
  const child = startMain(args, environment, input);
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (exitCode, signal) => {
      resolve({ exitCode, signal, stdout, stderr });
    });
  });
}
