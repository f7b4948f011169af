/** Syncs as users run them, with the real stores of work units. */
import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { describeOnEachDatabase } from '../../databases.js';
import { onlyId, sync, temporaryDirectory, testDependencies } from '../../harness.js';
import { git, initRepository, writeHistory } from '../../../support/git-history.js';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sinkOf, unitsIn } from '../stored-units.js';

const SYNTHETIC = { provider: 'synthetic', date: '2026-01-10', backfill: '90' } as const;
const TARGETS = ['git', 'prs', 'deployments', 'incidents', 'issues'];

describeOnEachDatabase('a sync', (engine) => {
  if (engine.kind === 'mongo') {
    it('to MongoDB reports once that no work units are derived', async () => {
      const notes: string[] = [];
      const progress = { note: (text: string) => notes.push(text) };
      await sync({ ...SYNTHETIC, target: 'git', db: await engine.newDatabase() }, testDependencies({ progress }));
      expect(notes).toEqual([expect.stringContaining('No work units are derived')]);
    });
    return;
  }

  it('derives the same units in any order of its targets, and nothing when repeated', async () => {
    const [one, other] = [await engine.newDatabase(), await engine.newDatabase()];
    let repoId = '';
    for (const target of TARGETS) repoId = onlyId(await sync({ ...SYNTHETIC, target, db: one }));
    for (const target of TARGETS.toReversed()) await sync({ ...SYNTHETIC, target, db: other });
    const units = await unitsIn(one, repoId);
    expect(new Set(units.map(({ workType }) => workType))).toEqual(
      new Set(['commit', 'deployment', 'incident', 'issue', 'pull_request']),
    );
    expect(await unitsIn(other, repoId)).toEqual(units);
    const again = await sync({ ...SYNTHETIC, target: 'git', db: one });
    expect(again.repositories[0]?.records).toEqual({ repos: 1 });
    expect(await unitsIn(one, repoId)).toEqual(units);
  });

  it('knows the environments of the deployments of an organization', async () => {
    const db = await engine.newDatabase();
    await sync({ ...SYNTHETIC, target: 'deployments', db, org: 'one' });
    const sink = await sinkOf(db);
    try {
      const { derivation } = sink;
      const all = await derivation?.environments('one', { after: null, limit: 10 }, []);
      expect(all?.map(({ name }) => name)).toEqual(['production', 'staging']);
      const [production, staging] = all ?? [];
      expect((production?.deployments ?? 0) + (staging?.deployments ?? 0)).toBeGreaterThan(5);
      expect(new Date(production?.lastAt ?? 0).getUTCFullYear()).toBeGreaterThan(2024);
      expect(await derivation?.environments('one', { after: 'production', limit: 10 }, [])).toEqual([staging]);
      expect(await derivation?.environments('one', { after: null, limit: 1 }, [])).toEqual([production]);
      const byBranch = await derivation?.environments('one', { after: null, limit: 1 }, ['tier', 'branch', 'job']);
      expect(byBranch).toEqual([{ ...production, facts: { tier: null, branch: 'main', job: null } }]);
      expect(await derivation?.environments('other', { after: null, limit: 10 }, [])).toEqual([]);
    } finally {
      await sink.close();
    }
  });

  it('of a clone takes its teams from the CODEOWNERS of HEAD, and all units follow when that changes', async () => {
    const repoPath = join(temporaryDirectory(), 'project');
    initRepository(repoPath);
    await writeHistory(repoPath, 30);
    git(repoPath, 'checkout', '--quiet', 'main');
    const db = await engine.newDatabase();
    const options = { target: 'git', provider: 'local', repoPath, db };
    const own = (text: string): void => {
      mkdirSync(join(repoPath, '.github'), { recursive: true });
      writeFileSync(join(repoPath, '.github/CODEOWNERS'), text);
      git(repoPath, 'add', '.github');
      git(repoPath, 'commit', '--quiet', '--message', 'chore: owners');
    };
    const teams = async (): Promise<Set<string>> =>
      new Set((await unitsIn(db, onlyId(await sync(options)))).map(({ team }) => team));
    expect(await teams()).toEqual(new Set(['unassigned']));
    own('* @acme/everyone\n');
    expect(await teams()).toEqual(new Set(['everyone']));
    own('* @acme/someone\n');
    expect(await teams()).toEqual(new Set(['someone']));
    own('# \0, which PostgreSQL cannot hold in a text\n* @acme/anyone\n');
    expect(await teams()).toEqual(new Set(['anyone']));
  });
});

it('the units of the history of this project add up to the counts of git', async () => {
  const repoPath = process.cwd();
  const count = (...args: readonly string[]): string =>
    execFileSync('git', ['-C', repoPath, ...args], { encoding: 'utf8', maxBuffer: 2 ** 30 });
  const commits = Number(count('rev-list', '--count', '--no-merges', 'HEAD'));
  const lines = count('log', '--numstat', '--format=', 'HEAD')
    .split('\n')
    .reduce(
      (sum, line) =>
        sum +
        line
          .split('\t')
          .slice(0, 2)
          .reduce((part, number) => part + (Number(number) || 0), 0),
      0,
    );
  const db = `sqlite:${join(temporaryDirectory(), 'records.db')}`;
  const summary = await sync({ target: 'git', provider: 'local', repoPath, db, since: '2001-01-01' });
  const units = await unitsIn(db, onlyId(summary));
  expect(units).toHaveLength(commits);
  expect(units.reduce((sum, unit) => sum + (unit.churnLoc ?? Number.NaN), 0)).toBe(lines);
  for (const { shares } of units) expect(shares.reduce((sum, { share }) => sum + share, 0)).toBe(1);
});
