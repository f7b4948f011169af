import { mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { repositoryId } from '../../src/sync/identity.js';
import { runMain } from './main-process.js';

function directory(): string {
  const path = mkdtempSync(join(tmpdir(), 'plumbline-classify-'));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  return path;
}

it('plumbline classify --text explains which rule gave which share', async () => {
  const { exitCode, stdout } = await runMain([
    'classify',
    '--text',
    'fix(deps): patch a vulnerability',
    '--label',
    'bug',
  ]);
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/%  quality\.bugfix\n +7\.00 points {2}bugs: type fix/);
  expect(stdout).toContain('bugs: label bug');
  expect(stdout).toContain('vulnerability: keyword vulnerability');
});

it('plumbline classify --text --json prints shares that add up to 1', async () => {
  const { stdout } = await runMain([
    'classify',
    '--json',
    '--text',
    'anything',
    '--path',
    'test/a.ts',
    '--path',
    'test/b.ts',
  ]);
  const { shares, contributions } = JSON.parse(stdout);
  expect(shares).toEqual([{ subcategory: 'quality.testing', share: 1 }]);
  expect(contributions).toMatchObject([
    { rule: 'testing', signal: 'path', match: '2 of 2 files', subcategory: 'quality.testing' },
    { rule: 'testing', signal: 'only_path', match: '2 of 2 files', subcategory: 'quality.testing' },
  ]);
});

it('plumbline classify reads a custom rules file, and lists every error in it', async () => {
  const rules = join(directory(), 'rules.yaml');
  writeFileSync(rules, 'version: 1\nfallback: { risk.security: 1 }\nrules: []\n');
  const fine = await runMain(['classify', '--text', 'fix: it', '--json'], { WORK_UNIT_RULES: rules });
  expect(JSON.parse(fine.stdout)).toMatchObject({ theme: 'risk', subcategory: 'risk.security' });
  writeFileSync(rules, 'version: 2\nfallback: risk.danger\nrules: [{ name: a, gives: quality.bugfix }]\n');
  const wrong = await runMain(['classify', '--text', 'fix: it', '--rules', rules]);
  expect(wrong.exitCode).toBe(1);
  expect(wrong.stderr).toContain('version: must be 1');
  expect(wrong.stderr).toContain('fallback: "risk.danger" is none of');
  expect(wrong.stderr).toContain('rules[0]: needs one of types');
  expect(wrong.stderr).not.toContain('at ');
});

it('plumbline classify --explain explains a stored unit, only of the same organization', async () => {
  const db = `sqlite:${join(directory(), 'records.db')}`;
  const sync = [
    'sync',
    'incidents',
    '--provider',
    'synthetic',
    '--db',
    db,
    '--org',
    'acme',
    '--date',
    '2026-01-10',
    '--backfill',
    '180',
  ];
  expect((await runMain(sync)).exitCode).toBe(0);
  const repoId = repositoryId('acme', 'synthetic.invalid/acme/demo-app');
  const id = (number: number): string => `${repoId}:incident:${number}`;
  // Which days have incidents depends on the seed: one of these has.
  const ids = await incidentIds(db, repoId);
  const [first = id(0)] = ids;
  const explained = await runMain(['classify', '--explain', first, '--db', db, '--org', 'acme', '--json']);
  expect(explained).toMatchObject({ exitCode: 0, stderr: '' });
  const explanation = JSON.parse(explained.stdout);
  expect(explanation).toMatchObject({ id: first, workType: 'incident', subcategory: 'operational.incident_response' });
  expect(explanation.stored_shares).toEqual(explanation.shares);
  expect(explanation.contributions).toContainEqual({
    rule: 'incident response',
    signal: 'label',
    match: 'incident',
    subcategory: 'operational.incident_response',
    points: 6,
  });
  const foreign = await runMain(['classify', '--explain', first, '--db', db, '--org', 'other']);
  expect(foreign.exitCode).toBe(2);
  expect(foreign.stderr).toContain('other has no work unit');
});

it('plumbline classify asks for one of --explain and --text, and for a database', async () => {
  expect(await runMain(['classify'])).toMatchObject({ exitCode: 2, stdout: '' });
  const without = await runMain(['classify', '--explain', 'x']);
  expect(without.exitCode).toBe(2);
  expect(without.stderr).toContain('no database');
});

async function incidentIds(db: string, repoId: string): Promise<string[]> {
  const { openWorkUnitStore } = await import('../../src/analytics/store/open.js');
  const ignore = (): void => {};
  const log = { debug: ignore, info: ignore, warn: ignore, error: ignore };
  const store = await openWorkUnitStore(
    { kind: 'sqlite', address: db.replace('sqlite:', '') },
    { now: Date.now, log, exclusively: (work) => work(() => Promise.resolve()) },
  );
  const ids: string[] = [];
  for await (const units of store.scan('acme', repoId)) ids.push(...units.map((unit) => unit.id));
  await store.close();
  return ids;
}
