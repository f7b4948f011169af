/** The health of code against a plain reference over what git prints, on each database. */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { CodeHealth, CodeHealthRequest } from '../../../src/analytics/code-health.js';
import { withStoredRecords } from '../../../src/platform/sources/records/stored-records.js';
import { codeHealth } from '../../../src/sync/code-health/code-health.js';
import { importConnector } from '../../support/chdb.js';
import { git, initRepository } from '../../support/git-history.js';
import { describeOnEachDatabase } from '../databases.js';
import { onlyId, sqliteUri, sync, temporaryDirectory } from '../harness.js';
import { unitsIn } from '../work-units/stored-units.js';
import { logged, writeEdits, youngDeletedLines, type LoggedCommit } from './edited-history.js';
import { mostReworked } from './most-reworked.js';

const dateRange = { startDate: '2025-09-10', endDate: '2025-11-10' };
const never = new AbortController().signal;

function ask(db: string, request: Partial<CodeHealthRequest>, orgId = 'default', signal = never) {
  const options = { orgId, signal: never, importConnector };
  return withStoredRecords({ store: db, rulesFile: null }, options, (resources) =>
    codeHealth(resources, { repo: 'project', dateRange, depth: 1, topN: 50, ...request }, signal),
  );
}

function isInRange({ at }: LoggedCommit): boolean {
  const day = new Date(at).toISOString().slice(0, 10);
  return day >= dateRange.startDate && day <= dateRange.endDate;
}

/** What the records of a clone have to say, with the lines of files as they are now. */
function reference(repoPath: string, depth: number, hasBlame: boolean): CodeHealth {
  const all = logged(repoPath).filter(({ person }) => !person.endsWith('[bot]'));
  const changes = all.filter(isInRange).flatMap(({ people, files }) => files.map((file) => ({ ...file, people })));
  const paths = [...new Set(changes.map(({ path }) => path))];
  const total = (lines: readonly number[]): number => lines.reduce((sum, each) => sum + each, 0);
  const reworkedLines = total(
    paths.map((path) => {
      const own = all.flatMap(({ at, files }) =>
        files.filter((file) => file.path === path).map((file) => ({ ...file, at })),
      );
      return mostReworked(
        own.filter(({ at }) => at < Date.parse('2025-11-11')),
        Date.parse(dateRange.startDate),
      );
    }),
  );
  const deletedLines = total(changes.map(({ deleted }) => deleted));
  const directory = (path: string): string => path.split('/').slice(0, -1).slice(0, depth).join('/') || '.';
  const directories = [...new Set(paths.map(directory))].map((path) => {
    const own = changes.filter((change) => directory(change.path) === path);
    const people = own.flatMap((change) => change.people);
    const counts = [...new Set(people)].map((person) => people.filter((each) => each === person).length);
    counts.sort((a, b) => b - a);
    const half = counts.findIndex((_count, index) => total(counts.slice(0, index + 1)) >= people.length / 2);
    return { path, changes: own.length, authors: counts.length, busFactor: half + 1 };
  });
  const hotspots = paths.map((path) => {
    const own = changes.filter((change) => change.path === path);
    const lines = hasBlame ? git(repoPath, 'show', `HEAD:${path}`).split('\n').length - 1 : null;
    const changedLines = total(own.map(({ added, deleted }) => added + deleted));
    return { path, changes: own.length, changedLines, lines, score: lines === null ? null : own.length * lines };
  });
  return {
    repo: 'project',
    commits: all.filter(isInRange).length,
    coverage: 1,
    knownSince: new Date(Math.min(...all.filter(isInRange).map(({ at }) => at))).toISOString().slice(0, 10),
    rework: {
      addedLines: total(changes.map(({ added }) => added)),
      deletedLines,
      reworkedLines,
      share: reworkedLines / deletedLines,
    },
    directories: directories.sort((a, b) => b.changes - a.changes || (a.path < b.path ? -1 : 1)),
    hotspots: hotspots.sort(
      (a, b) => (b.score ?? 0) - (a.score ?? 0) || b.changes - a.changes || b.changedLines - a.changedLines,
    ),
  };
}

describeOnEachDatabase('the health of code', (engine) => {
  if (engine.kind === 'mongo') {
    it.skip('is not read (skipped: no engine of the analytics reads MongoDB)');
    return;
  }

  it('equals a plain reference over what git prints, with and without blame', async () => {
    const repoPath = join(temporaryDirectory(), 'project');
    writeEdits(repoPath, 110);
    const db = await engine.newDatabase();
    const local = { provider: 'local', repoPath, db, maxCommitsPerRepo: '1000' } as const;
    await sync({ ...local, target: 'git' });
    expect(await ask(db, {})).toEqual(reference(repoPath, 1, false));
    await sync({ ...local, target: 'blame' });
    const whole = await ask(db, { depth: 2 });
    expect(whole).toEqual(reference(repoPath, 2, true));
    const first = await ask(db, { depth: 2, topN: 1 });
    expect(first).toEqual({
      ...whole,
      directories: whole.directories.slice(0, 1),
      hotspots: whole.hotspots.slice(0, 1),
    });
    const nothing = { commits: 0, coverage: null, knownSince: null, rework: null, directories: [], hotspots: [] };
    expect(await ask(db, {}, 'of-others')).toEqual({ repo: 'project', ...nothing });
    expect(await ask(db, { repo: 'other' })).toEqual({ repo: 'other', ...nothing });
  });
});

it('reworked lines are never fewer than git blame finds', async () => {
  const repoPath = join(temporaryDirectory(), 'project');
  writeEdits(repoPath, 110);
  const db = sqliteUri();
  await sync({ provider: 'local', repoPath, db, target: 'git', maxCommitsPerRepo: '1000' });
  const commits = logged(repoPath).filter(isInRange);
  const people = commits.filter(({ person }) => !person.endsWith('[bot]'));
  const young = people.reduce((sum, commit) => sum + youngDeletedLines(repoPath, commit), 0);
  const found = await ask(db, {});
  expect(young).toBeGreaterThan(10);
  expect(found.rework?.reworkedLines).toBeGreaterThanOrEqual(young);
  expect(found.rework?.reworkedLines).toBeLessThan(found.rework?.deletedLines ?? 0);
});

it('says of how many commits the files are known', async () => {
  const repoPath = join(temporaryDirectory(), 'project');
  writeEdits(repoPath, 110);
  const db = sqliteUri();
  await sync({ provider: 'local', repoPath, db, target: 'git' });
  const latest = logged(repoPath).slice(-100);
  const withFiles = latest.slice(-50);
  const people = (some: readonly LoggedCommit[]): number =>
    some.filter(({ person }) => !person.endsWith('[bot]')).filter(isInRange).length;
  const found = await ask(db, {});
  expect(found).toMatchObject({ commits: people(latest), coverage: people(withFiles) / people(latest) });
  expect(found.coverage).toBeLessThan(1);
  const early = { startDate: '2025-08-15', endDate: '2025-08-31' };
  expect(await ask(db, { dateRange: early })).toMatchObject({
    coverage: 0,
    knownSince: null,
    rework: null,
    directories: [],
    hotspots: [],
  });
  const none = { startDate: '2024-01-01', endDate: '2024-01-31' };
  expect(await ask(db, { dateRange: none })).toMatchObject({ commits: 0, coverage: null, rework: null });
});

it('knows that an empty commit of a clone changed nothing', async () => {
  const repoPath = join(temporaryDirectory(), 'project');
  initRepository(repoPath);
  git(repoPath, 'commit', '--quiet', '--allow-empty', '--message', 'chore: empty');
  const db = sqliteUri();
  const repoId = onlyId(await sync({ provider: 'local', repoPath, db, target: 'git' }));
  expect(await unitsIn(db, repoId)).toMatchObject([{ churnLoc: 0 }]);
  const [{ at } = { at: 0 }] = logged(repoPath);
  const day = new Date(at).toISOString().slice(0, 10);
  expect(await ask(db, { dateRange: { startDate: day, endDate: day } })).toMatchObject({
    commits: 1,
    coverage: 1,
    directories: [],
    hotspots: [],
  });
});

it('stops when it is aborted', async () => {
  const repoPath = join(temporaryDirectory(), 'project');
  writeEdits(repoPath, 5);
  const db = sqliteUri();
  await sync({ provider: 'local', repoPath, db, target: 'git' });
  await expect(
    ask(
      db,
      { dateRange: { startDate: '2025-08-01', endDate: '2025-08-31' } },
      'default',
      AbortSignal.abort(new Error('gone')),
    ),
  ).rejects.toThrow('gone');
});
