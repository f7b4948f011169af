import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { longFiles } from '../support/long-files-first.js';

const run = promisify(execFile);
const files = await readdir('test', { recursive: true });
const slow = files.filter((file) => file.endsWith('.slow.test.ts')).map((file) => `test/${file}`);
const { scripts }: { scripts: Readonly<Record<string, string>> } = JSON.parse(await readFile('package.json', 'utf8'));

/** The files that the vitest command of a script runs. */
async function filesOf(script: string): Promise<readonly string[]> {
  const command = /vitest run[^&]*/.exec(scripts[script] ?? '')?.[0] ?? '';
  const list = command.replace('vitest run', 'node_modules/.bin/vitest list --filesOnly');
  const { stdout } = await run('sh', ['-c', list], { env: { ...process.env, NO_COLOR: '1' } });
  return stdout.split('\n').flatMap((line) => /^\[(?:fast|slow|networks)\] (.*\.ts)$/.exec(line)?.[1] ?? []);
}

test('npm test leaves out the slow files and nothing else, and says so', { timeout: 120_000 }, async () => {
  const [some, all] = [await filesOf('test'), await filesOf('test:all')];
  expect(slow.length).toBeGreaterThan(0);
  expect([...some, ...slow].sort()).toEqual([...all].sort());
  const { stdout } = await run('node_modules/.bin/tsx', ['test/print-slow-files.ts']);
  expect(stdout).toMatch(new RegExp(`^Left out: ${slow.length} slow files .*npm run test:all runs everything\\.\n$`));
});

test('the files that a run begins with exist, and are slow', () => {
  expect(longFiles.filter((file) => !slow.includes(file))).toEqual([]);
  expect(new Set(longFiles).size).toBe(longFiles.length);
});

test('CI runs all tests and the contract gate', async () => {
  expect(await readFile('.ci/run', 'utf8')).toMatch(/^npm run test:all$/m);
  expect(scripts['test:all']).toMatch(/vitest run && npm run gate$/);
});
