import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The arguments of the last run of the tests. */
const file = 'coverage/run.json';

/** @param args what the command line of vitest says, such as `['run', 'test/sdk']` */
export function noteRun(root: string, args: readonly string[]): void {
  const path = join(root, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, JSON.stringify(args));
}

/** Says which tests the gate judges by, if these are not all. */
export function partialRun(root: string): string | null {
  const path = join(root, file);
  const everything = 'npm run test:all runs all tests.';
  if (!existsSync(path)) return `No tests have run. ${everything}`;
  const args = JSON.parse(readFileSync(path, 'utf8')) as string[]; // Written above.
  if (args.every((arg) => arg === 'run')) return null;
  return `Only a part of the tests has run: vitest ${args.join(' ')}. Replies that the others show count as missing. ${everything}`;
}
