import { mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { expect, it, onTestFinished } from 'vitest';
import { runMain } from './main-process.js';

function directory(): string {
  const path = mkdtempSync(join(tmpdir(), 'plumbline-teams-'));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  return path;
}

it('plumbline teams import assigns stored units, and those of later syncs', async () => {
  const folder = directory();
  const path = join(folder, 'records.db');
  const db = ['--db', `sqlite:${path}`];
  const sync = (...args: string[]): string[] => ['sync', 'git', '--provider', 'synthetic', ...db, ...args];
  expect((await runMain(sync('--date', '2026-01-10', '--backfill', '10'))).exitCode).toBe(0);
  expect(teamsOf(path)).toEqual(['unassigned']);

  const file = join(folder, 'teams.yaml');
  writeFileSync(
    file,
    'teams:\n  - { id: web, members: [amber@example.com] }\n  - { id: shop, repositories: ["acme/*"] }\n',
  );
  const imported = await runMain(['teams', 'import', file, ...db, '--json']);
  expect(imported.exitCode).toBe(0);
  expect(JSON.parse(imported.stdout)).toMatchObject({ org_id: 'default', teams: ['web', 'shop'], repositories: 1 });
  expect(teamsOf(path)).toEqual(['shop', 'web']);

  expect((await runMain(sync('--date', '2026-01-20', '--backfill', '20'))).exitCode).toBe(0);
  expect(teamsOf(path)).toEqual(['shop', 'web']);
  const again = await runMain(['teams', 'import', file, ...db, '--json']);
  expect(JSON.parse(again.stdout)).toMatchObject({ work_units: 0 });
});

it('plumbline teams import lists every error in a file', async () => {
  const file = join(directory(), 'teams.yaml');
  writeFileSync(
    file,
    'teams:\n  - { id: a b, members: [x] }\n  - { id: unassigned, members: [x] }\n  - { id: c, people: [x] }\n',
  );
  const { exitCode, stderr } = await runMain(['teams', 'import', file, '--db', 'sqlite:unused.db']);
  expect(exitCode).toBe(1);
  expect(stderr).toContain('teams[0].id: "a b" may have letters');
  expect(stderr).toContain('teams[1].id: "unassigned" stands for');
  expect(stderr).toContain('teams[2]: does not know "people"');
  expect(stderr).toContain('teams[2]: has neither members nor repositories');
});

it('plumbline teams import needs a database', async () => {
  const file = join(directory(), 'teams.yaml');
  writeFileSync(file, 'teams: []\n');
  expect(await runMain(['teams', 'import', file])).toMatchObject({ exitCode: 2, stdout: '' });
});

function teamsOf(path: string): string[] {
  const database = new Database(path);
  const rows = database.prepare('select distinct team from work_units order by team').all();
  database.close();
  return rows.map((row) => (row as { team: string }).team);
}
