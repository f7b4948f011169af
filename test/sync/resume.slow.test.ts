import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { SyncOptions } from '../../src/sync/options.js';
import type { Lock } from '../../src/sync/sinks/sink.js';
import { exitCodeOf } from '../../src/sync/summary.js';
import { initRepository, writeHistory } from '../support/git-history.js';
import { describeOnEachDatabase } from './databases.js';
import {
  NOW,
  onlyId,
  openDatabase,
  sqliteUri,
  storedRows,
  sync,
  temporaryDirectory,
  testDependencies,
} from './harness.js';
import { killedInFrontOf } from './killed-sync.js';
import { unitsIn } from './work-units/stored-units.js';

const COMMITS = 45;
const SMALL_PAGES = { BATCH_SIZE: '10' };

/** Kills a sync before it stores the state of its third page. */
function killedSync(options: SyncOptions): Promise<void> {
  return killedInFrontOf('(insert into|update) sync_state', 3, options, SMALL_PAGES);
}

async function localHistory(): Promise<SyncOptions> {
  const repoPath = join(temporaryDirectory(), 'project');
  initRepository(repoPath);
  await writeHistory(repoPath, COMMITS);
  return { target: 'git', provider: 'local', repoPath, since: '2001-01-01' };
}

describeOnEachDatabase('a sync', (engine) => {
  it('that is killed is completed by the next one, which resumes where it stopped; a further one changes nothing', async () => {
    const options = await localHistory();
    const [killed, whole] = [await engine.newDatabase(), await engine.newDatabase()];
    await killedSync({ ...options, db: killed });
    let resumed: boolean | undefined;
    const progress = { repositoryStarted: (event: { resumed: boolean }) => (resumed = event.resumed) };
    const finished = await sync({ ...options, db: killed }, testDependencies({ progress }), SMALL_PAGES);
    expect(resumed).toBe(true);
    expect(finished.repositories[0]?.records['git_commits']).toBe(COMMITS - 20);
    const uninterrupted = await sync({ ...options, db: whole }, undefined, SMALL_PAGES);
    const stored = await storedRows(killed, onlyId(finished));
    expect(stored['git_commits']).toHaveLength(COMMITS);
    expect(stored).toEqual(await storedRows(whole, onlyId(uninterrupted)));
    await sync({ ...options, db: killed }, undefined, SMALL_PAGES);
    expect(await storedRows(killed, onlyId(finished))).toEqual(stored);
  });

  it('of issues that is killed is completed by the next one, with the records of SQLite', async () => {
    const options = { target: 'issues', provider: 'synthetic', date: '2026-01-31', backfill: '120' };
    const [killed, whole] = [await engine.newDatabase(), sqliteUri()];
    await killedSync({ ...options, db: killed });
    const finished = await sync({ ...options, db: killed }, undefined, SMALL_PAGES);
    expect(finished.repositories[0]?.records['issues']).toBe(94);
    const uninterrupted = await sync({ ...options, db: whole });
    expect(uninterrupted.repositories[0]?.records['issues']).toBe(114);
    const stored = await storedRows(killed, onlyId(finished));
    expect(stored).toEqual(await storedRows(whole, onlyId(uninterrupted)));
    if (engine.kind === 'mongo') return;
    expect(await unitsIn(killed, onlyId(finished))).toEqual(await unitsIn(whole, onlyId(finished)));
  });

  it('of a repository that another one syncs at the same time stores the same records', async () => {
    const options = await localHistory();
    const [shared, alone] = [await engine.newDatabase(), await engine.newDatabase()];
    // Time is the real one, since it decides about leases; what is slept takes none.
    const dependencies = testDependencies({
      now: Date.now,
      sleep: () => new Promise((resolve) => setImmediate(resolve)),
    });
    const [first, second] = await Promise.all([
      sync({ ...options, db: shared }, dependencies, SMALL_PAGES),
      sync({ ...options, db: shared }, dependencies, SMALL_PAGES),
    ]);
    expect([first.repositories[0]?.error, second.repositories[0]?.error]).toEqual([null, null]);
    const reference = await sync({ ...options, db: alone }, undefined, SMALL_PAGES);
    expect(await storedRows(shared, onlyId(first))).toEqual(await storedRows(alone, onlyId(reference)));
  });

  it('of synthetic data stores the same number of records on every kind of database', async () => {
    const db = await engine.newDatabase();
    const counts: Record<string, number> = {};
    for (const target of ['git', 'prs', 'cicd', 'deployments', 'incidents', 'issues']) {
      const summary = await sync({ target, provider: 'synthetic', db, date: '2026-01-31', backfill: '120' });
      for (const [table, rows] of Object.entries(await storedRows(db, onlyId(summary)))) counts[table] = rows.length;
    }
    expect(counts).toMatchInlineSnapshot(`
      {
        "ci_pipeline_runs": 380,
        "deployments": 34,
        "git_commit_stats": 742,
        "git_commits": 435,
        "git_pull_request_reviews": 460,
        "git_pull_requests": 258,
        "incidents": 5,
        "issue_state_changes": 250,
        "issues": 114,
        "repos": 1,
      }
    `);
  });
});

it('a sync that loses its lock writes no further page and says so, and the next one resumes after the last page', async () => {
  const options = await localHistory();
  const repoId = onlyId(await sync({ ...options, db: sqliteUri() }, undefined, SMALL_PAGES));
  const db = sqliteUri();
  let time = NOW;
  const now = (): number => time;
  const other = await openDatabase(db, now);
  let pages = 0;
  let taken: Promise<Lock | undefined> | undefined;
  const pageStored = (): void => {
    pages += 1;
    if (pages !== 2) return;
    time += 121_000; // the process was paused: its lease has expired, and another one takes it
    taken = other.tryLock({ repoId, target: 'git', source: 'local' });
  };
  const lost = await sync({ ...options, db }, testDependencies({ now, progress: { pageStored } }), SMALL_PAGES);
  expect(lost.repositories[0]?.error).toMatchObject({
    code: 'lock_lost',
    message: expect.stringMatching(/Run it again: it resumes/) as unknown,
  });
  expect([pages, exitCodeOf(lost)]).toEqual([2, 1]);
  expect((await storedRows(db, repoId))['git_commits']).toHaveLength(20);

  const lock = await taken;
  await lock?.renew(); // the release of the sync that lost it has left it
  await lock?.release();
  const resumed = await sync({ ...options, db }, testDependencies({ now }), SMALL_PAGES);
  expect(resumed.repositories[0]?.records['git_commits']).toBe(COMMITS - 20);
});
