/** `--period`: the first sync reads the days before it, and later ones continue from there. */
import { describe, expect, it } from 'vitest';
import { parseSyncRequest } from '../../src/sync/request.js';
import { parseTimeWindow } from '../../src/sync/time-window.js';
import { runSync } from '../../src/sync/run.js';
import { git, initRepository, writeHistory } from '../support/git-history.js';
import type { CommitData } from '../support/hosts/host-a-bodies.js';
import { hostARepository } from '../support/hosts/host-a.js';
import { NOW, onlyId, sqliteUri, storedRows, sync, temporaryDirectory, testDependencies } from './harness.js';
import { host, options, pullRequest } from './host-a-fixture.js';

const DAY = 86_400_000;

/** A commit a day, the latest today. */
function daily(count: number): CommitData[] {
  return Array.from({ length: count }, (_, index) => ({
    sha: String(count - index).padStart(40, '0'),
    date: new Date(NOW - index * DAY).toISOString(),
    parents: index === count - 1 ? [] : [String(count - index - 1).padStart(40, '0')],
    files: [{ filename: 'src/a.ts', additions: index + 1, deletions: 1 }],
  }));
}

describe('a sync with a period', () => {
  it('reads all commits of the period with their files', async () => {
    const started = await host(hostARepository('acme/widgets', { commits: daily(200) }));
    const db = sqliteUri();
    const repoId = onlyId(await sync(options(started, db, { period: '149' })));
    const rows = await storedRows(db, repoId);
    expect(rows['git_commits']).toHaveLength(150);
    expect(rows['git_commit_stats']).toHaveLength(150);
  });

  it('continues from there on another day, without reading the period again', async () => {
    const history = daily(151);
    const repository = hostARepository('acme/widgets', { commits: history.slice(1) });
    const started = await host(repository);
    const db = sqliteUri();
    await sync(options(started, db, { period: '30' }));
    const before = started.requests.length;
    repository.commits = history;
    const parsed = parseSyncRequest(options(started, db, { period: '30' }), {}, NOW + 2 * DAY);
    if (!parsed.ok) throw new Error(parsed.problems.join('\n'));
    const later = await runSync(parsed.request, testDependencies());
    expect(later.repositories[0]?.records['git_commits']).toBe(1);
    const files = started.requests.slice(before).filter(({ path }) => /\/commits\/0{30}/.test(path));
    expect(files).toHaveLength(1);
  });

  it('reads everything of another period', async () => {
    const started = await host(hostARepository('acme/widgets', { commits: daily(60) }));
    const db = sqliteUri();
    await sync(options(started, db, { period: '10' }));
    const repoId = onlyId(await sync(options(started, db, { period: '40' })));
    expect((await storedRows(db, repoId))['git_commits']).toHaveLength(41);
  });

  it('reads the requests that were changed in the period', async () => {
    const pullRequests = Array.from({ length: 40 }, (_, index) =>
      pullRequest(index + 1, { updatedAt: new Date(NOW - index * DAY).toISOString() }),
    );
    const started = await host(hostARepository('acme/widgets', { pullRequests }));
    const summary = await sync(options(started, sqliteUri(), { target: 'prs', period: '9' }));
    expect(summary.repositories[0]?.records['git_pull_requests']).toBe(10);
  });

  it('reads all commits of a clone that are in the period', async () => {
    const repoPath = temporaryDirectory();
    initRepository(repoPath);
    await writeHistory(repoPath, 300);
    const db = sqliteUri();
    const midnight = Date.UTC(2017, 6, 15);
    const period = String((Math.floor(NOW / DAY) * DAY - midnight) / DAY);
    const repoId = onlyId(await sync({ target: 'git', provider: 'local', db, repoPath, period }));
    const rows = await storedRows(db, repoId);
    const expected = Number(git(repoPath, 'rev-list', '--count', '--since=2017-07-15T00:00:00Z', 'HEAD'));
    expect(expected).toBeGreaterThan(150);
    expect(rows['git_commits']).toHaveLength(expected);
    expect(new Set(rows['git_commit_stats']?.map((row) => row['commit_hash'])).size).toBe(expected);
  });
});

describe('the period', () => {
  it('begins with a whole day', () => {
    expect(parseTimeWindow({ period: '1' }, NOW)).toEqual({
      window: { since: Date.UTC(2026, 0, 13), until: undefined },
    });
  });

  it.each([
    [{ period: '0' }, '--period must be a whole number of days, at least 1; it is "0"'],
    [{ period: 'x' }, '--period must be a whole number of days, at least 1; it is "x"'],
    [{ period: '5', since: '2026-01-01' }, '--period cannot be used together with --since, --date or --backfill'],
    [{ period: '5', backfill: '3' }, '--period cannot be used together with --since, --date or --backfill'],
  ])('%o is refused', (given, problem) => {
    expect(parseTimeWindow(given, NOW)).toEqual({ problems: [problem] });
  });
});
