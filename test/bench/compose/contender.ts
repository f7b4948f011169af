/** One program that is measured. */
import { spawn } from 'node:child_process';
import path from 'node:path';
import type { TestEngine } from '../../support/engines.js';

export interface Contender {
  readonly command: readonly string[];
  readonly engine: TestEngine;
  /** Where the compose files are. */
  readonly folder: string;
}

/** A command that takes longer is not waited for. */
export const LIMIT_SECONDS = 60;

export class Unfinished extends Error {
  override readonly name = 'Unfinished';
}

/**
 * How long a command takes, from its start to its end.
 *
 * @throws Unfinished when that is more than the limit, and another error when it fails: what fails fast is not fast
 */
export async function milliseconds({ command, engine, folder }: Contender, args: readonly string[]): Promise<number> {
  const [program = '', ...before] = command.map((part) => (part.endsWith('.cjs') ? path.resolve(part) : part));
  const begun = performance.now();
  const child = spawn(program, [...before, ...args], {
    cwd: folder,
    env: { ...engine.environment, HOME: folder, PLUMBLINE_HOME: path.join(folder, 'state') },
    // Read, because a program that writes into nothing has less to do.
    stdio: ['ignore', 'pipe', 'pipe'],
    // A separate process group, so that its children end with it.
    detached: true,
  });
  const limit = setTimeout(() => {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  }, LIMIT_SECONDS * 1000);
  let tail = '';
  child.stdout.resume();
  child.stderr.setEncoding('utf8').on('data', (text: string) => (tail = (tail + text).slice(-2000)));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  }).finally(() => {
    clearTimeout(limit);
  });
  const took = performance.now() - begun;
  if (code === null && took >= LIMIT_SECONDS * 1000) {
    throw new Unfinished(`${[program, ...before, ...args].join(' ')}: not done in ${LIMIT_SECONDS} s`);
  }
  if (code !== 0) throw new Error(`${[program, ...before, ...args].join(' ')} ended with ${code}: ${tail}`);
  return took;
}
