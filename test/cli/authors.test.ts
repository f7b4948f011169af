import { mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { expect, it, onTestFinished } from 'vitest';
import { runMain } from './main-process.js';

it('plumbline authors import merges the authors of stored and later units, and undoes it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'plumbline-authors-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, 'records.db');
  const db = ['--db', `sqlite:${path}`];
  const sync = (...args: string[]): string[] => ['sync', 'git', '--provider', 'synthetic', ...db, ...args];
  expect((await runMain(sync('--date', '2026-01-10', '--backfill', '10'))).exitCode).toBe(0);
  const before = authorsOf(path);
  const [one = '', two = ''] = before;
  expect(before.length).toBeGreaterThan(2);

  const file = join(folder, 'authors.yaml');
  writeFileSync(file, `authors:\n  - { author: ${one}, also: [${two}] }\n`);
  const imported = await runMain(['authors', 'import', file, ...db, '--json']);
  expect(JSON.parse(imported.stdout)).toMatchObject({ org_id: 'default', authors: 1, repositories: 1 });
  expect(authorsOf(path)).toEqual(before.filter((author) => author !== two));

  expect((await runMain(sync('--date', '2026-01-10', '--backfill', '12'))).exitCode).toBe(0);
  expect(authorsOf(path)).not.toContain(two);

  writeFileSync(file, 'authors: []\n');
  expect(await runMain(['authors', 'import', file, ...db])).toMatchObject({ exitCode: 0 });
  expect(authorsOf(path)).toEqual(expect.arrayContaining([...before]));
});

function authorsOf(path: string): readonly string[] {
  const database = new Database(path);
  const rows = database.prepare('select distinct author from work_units order by author').all();
  database.close();
  return rows.map((row) => (row as { author: string }).author);
}
