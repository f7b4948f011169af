import { mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { expect, it, onTestFinished } from 'vitest';
import { runMain } from './main-process.js';

async function syncedDatabase() {
  const folder = mkdtempSync(join(tmpdir(), 'plumbline-corrections-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, 'records.db');
  const db = ['--db', `sqlite:${path}`];
  const synced = await runMain(['sync', 'git', '--provider', 'synthetic', ...db, '--max-commits-per-repo', '10']);
  expect(synced.exitCode).toBe(0);
  const units = (): readonly { id: string; subcategory: string }[] => {
    const database = new Database(path);
    const rows = database.prepare('select id, subcategory from work_units order by id').all();
    database.close();
    return rows as { id: string; subcategory: string }[];
  };
  return { folder, db, units };
}

it('plumbline corrections sets, lists and withdraws a correction, and classify explains it', async () => {
  const { db, units } = await syncedDatabase();
  const before = units();
  const [{ id, subcategory } = { id: '', subcategory: '' }] = before;
  const set = ['corrections', 'set', id, 'risk.compliance', '--note', 'an audit', '--by', 'Ada', ...db];
  expect(await runMain(set)).toMatchObject({ exitCode: 0 });
  expect(units()).toEqual(before.map((unit) => (unit.id === id ? { id, subcategory: 'risk.compliance' } : unit)));

  const listed = await runMain(['corrections', 'list', '--json', ...db]);
  expect(JSON.parse(listed.stdout)).toMatchObject({
    ...{ id, subcategory: 'risk.compliance', note: 'an audit', corrected_by: 'Ada' },
  });
  const explained = await runMain(['classify', '--explain', id, ...db]);
  expect(explained.stdout).toMatch(
    /\nCorrected to risk\.compliance on \d{4}-\d\d-\d\dT[\d:.]+Z by Ada\n {2}note: an audit\n {2}instead of /,
  );
  expect(explained.stdout).toContain(`instead of ${subcategory} (by the rule `);
  expect(explained.stdout).toContain('replaced by the correction');
  const json = await runMain(['classify', '--explain', id, '--json', ...db]);
  expect(JSON.parse(json.stdout)).toMatchObject({
    shares: [{ subcategory: 'risk.compliance', share: 1 }],
    stored_shares: [{ subcategory: 'risk.compliance', share: 1 }],
    correction: { corrected_by: 'Ada', instead_of: subcategory },
  });

  const withdrawn = await runMain(['corrections', 'withdraw', id, ...db]);
  expect(withdrawn.stdout).toBe(`${id} is classified by the rules again\n`);
  expect(units()).toEqual(before);
  expect(await runMain(['corrections', 'withdraw', id, ...db])).toMatchObject({
    ...{ exitCode: 2, stderr: expect.stringContaining('default has no correction of') },
  });
});

it('plumbline corrections refuses unknown units and subcategories, and long notes', async () => {
  const { db, units } = await syncedDatabase();
  const id = units()[0]?.id ?? '';
  for (const [args, message] of [
    [['no-unit', 'risk.compliance'], 'default has no work unit "no-unit"'],
    [[id, 'risk.danger'], '"risk.danger" is not a subcategory: use one of feature_delivery.customer'],
    [[id, 'risk.compliance', '--org', 'other'], 'other has no work unit'],
    [[id, 'risk.compliance', '--note', 'x'.repeat(501)], '--note may have at most 500 characters'],
  ] as const) {
    const refused = await runMain(['corrections', 'set', ...args, ...db]);
    expect(refused).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(message) });
  }
  expect((await runMain(['corrections', 'list', ...db])).stdout).toBe('');
});

it('plumbline rules import classifies stored and later units, and undoes it', async () => {
  const { folder, db, units } = await syncedDatabase();
  const before = units();
  const file = join(folder, 'rules.yaml');
  writeFileSync(file, 'rules:\n  - { name: all, work_types: [commit], gives: risk.compliance }\n');
  const imported = await runMain(['rules', 'import', file, '--json', ...db]);
  expect(JSON.parse(imported.stdout)).toMatchObject({ org_id: 'default', rules: 1, repositories: 1 });
  expect(new Set(units().map(({ subcategory }) => subcategory))).toEqual(new Set(['risk.compliance']));
  await runMain(['sync', 'git', '--provider', 'synthetic', ...db, '--max-commits-per-repo', '20']);
  expect(units()).toHaveLength(20);
  expect(new Set(units().map(({ subcategory }) => subcategory))).toEqual(new Set(['risk.compliance']));
  const explained = await runMain(['classify', '--explain', before[0]?.id ?? '', ...db]);
  expect(explained.stdout).toContain('organization: all: work type commit');

  writeFileSync(file, 'rules:\n  - { name: all, work_types: [commits], gives: risk.compliance }\n');
  const refused = await runMain(['rules', 'import', file, ...db]);
  expect(refused).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('"commits" is none of') });
  writeFileSync(file, 'rules: []\n');
  expect(await runMain(['rules', 'import', file, ...db])).toMatchObject({ exitCode: 0 });
  expect(units()).toEqual(expect.arrayContaining([...before]));
});
