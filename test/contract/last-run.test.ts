import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { noteRun } from './gate/last-run.js';
import { createNotesRepository, type NotesRepository } from './notes-server.js';

let notes: NotesRepository;
beforeEach(async () => {
  notes = await createNotesRepository();
});
afterEach(() => notes.close());

function gate(): { status: number | null; stdout: string } {
  const script = ['node_modules/tsx/dist/cli.mjs', 'test/contract/gate.ts'].map((path) => join(process.cwd(), path));
  return spawnSync(process.execPath, script, { cwd: notes.root, encoding: 'utf8' });
}

test('After npm test the gate says that a part of the tests has run, and prints at most 70 lines', () => {
  noteRun(notes.root, ['run', '--exclude', '**/*.slow.test.ts']);
  const { status, stdout } = gate();
  expect(status).toBe(1);
  expect(stdout).toContain('Only a part of the tests has run: vitest run --exclude **/*.slow.test.ts.');
  expect(stdout.split('\n').length).toBeLessThan(70);
});

test('Without any test run the gate says so', () => {
  expect(gate().stdout).toContain('No tests have run. npm run test:all runs all tests.');
});

test('After all tests the gate says what is missing and nothing of parts', () => {
  noteRun(notes.root, ['run']);
  const { status, stdout } = gate();
  expect([status, stdout]).toEqual([1, expect.stringContaining('missing: notes')]);
  expect(stdout).not.toMatch(/part of the tests|No tests have run/);
});

test('Every run of the tests is noted', () => {
  expect(existsSync('coverage/run.json')).toBe(true);
});
