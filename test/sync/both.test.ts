import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'libsql';
import { expect, it } from 'vitest';
import type { SyncOptions } from '../../src/sync/options.js';
import { exitCodeOf } from '../../src/sync/summary.js';
import { git, initRepository, writeHistory } from '../support/git-history.js';
import { onlyId, sqliteUri, storedRows, sync, temporaryDirectory, testDependencies } from './harness.js';
import { unitsIn } from './work-units/stored-units.js';

async function options(target = 'git'): Promise<SyncOptions> {
  const repoPath = join(temporaryDirectory(), 'project');
  initRepository(repoPath);
  await writeHistory(repoPath, 30);
  return {
    target,
    provider: 'local',
    repoPath,
    db: sqliteUri(),
    sink: 'both',
    ...(target === 'git' ? { since: '2001-01-01' } : {}),
  };
}

it('writes to both databases', async () => {
  const request = await options();
  const secondary = sqliteUri();
  const summary = await sync(request, undefined, { SECONDARY_DATABASE_URI: secondary });
  expect(exitCodeOf(summary)).toBe(0);
  const stored = await storedRows(request.db ?? '', onlyId(summary));
  expect(stored['git_commits']).toHaveLength(30);
  expect(await storedRows(secondary, onlyId(summary))).toEqual(stored);
});

it('writes to both databases while another sync has primary and secondary swapped', async () => {
  const request = await options();
  const [one, other] = [request.db ?? '', sqliteUri()];
  const small = { BATCH_SIZE: '4' };
  const [summary, swapped] = await Promise.all([
    sync(request, undefined, { ...small, SECONDARY_DATABASE_URI: other }),
    sync({ ...request, db: other }, undefined, { ...small, SECONDARY_DATABASE_URI: one }),
  ]);
  expect([exitCodeOf(summary), exitCodeOf(swapped)]).toEqual([0, 0]);
  const repoId = onlyId(summary);
  const stored = await storedRows(one, repoId);
  expect(stored['git_commits']).toHaveLength(30);
  expect(await storedRows(other, repoId)).toEqual(stored);
  const units = await unitsIn(one, repoId);
  expect(units).toHaveLength(30);
  expect(await unitsIn(other, repoId)).toEqual(units);
});

it('completes the primary while the secondary is down, exits with 3, and repairs the secondary in the next run', async () => {
  const request = await options();
  const directory = join(temporaryDirectory(), 'later');
  const secondary = `sqlite:${join(directory, 'records.db')}`;
  const down = await sync(request, undefined, { SECONDARY_DATABASE_URI: secondary });
  expect(down.repositories[0]).toMatchObject({
    status: 'failed',
    records: { git_commits: 30 },
    error: { code: 'secondary_failed' },
  });
  expect(exitCodeOf(down)).toBe(3);
  const stored = await storedRows(request.db ?? '', onlyId(down));
  mkdirSync(directory);
  const up = await sync(request, undefined, { SECONDARY_DATABASE_URI: secondary });
  expect(exitCodeOf(up)).toBe(0);
  expect(await storedRows(secondary, onlyId(up))).toEqual(stored);
  expect(await storedRows(request.db ?? '', onlyId(up))).toEqual(stored);
});

it('repairs a secondary that failed in the middle', async () => {
  const request = await options();
  const path = join(temporaryDirectory(), 'records.db');
  let pages = 0;
  const progress = {
    pageStored: () => {
      pages += 1;
      if (pages === 2) new Database(path).exec('drop table git_commit_stats');
    },
  };
  const environment = { SECONDARY_DATABASE_URI: `sqlite:${path}`, BATCH_SIZE: '10' };
  const failed = await sync(request, testDependencies({ progress }), environment);
  expect(failed.repositories[0]).toMatchObject({ records: { git_commits: 30 }, error: { code: 'secondary_failed' } });
  const repaired = await sync(request, undefined, environment);
  expect(exitCodeOf(repaired)).toBe(0);
  expect(await storedRows(`sqlite:${path}`, onlyId(repaired))).toEqual(
    await storedRows(request.db ?? '', onlyId(repaired)),
  );
});

it('repairs a secondary that missed syncs of the primary, removals included', async () => {
  const request = await options('blame');
  const environment = { SECONDARY_DATABASE_URI: sqliteUri() };
  await sync(request, undefined, environment);
  const path = request.repoPath ?? '';
  git(path, 'checkout', '--quiet', 'main');
  git(path, 'rm', '--quiet', '-r', 'src/part1', 'src/part2');
  git(path, 'commit', '--quiet', '--message', 'remove');
  await sync({ ...request, sink: 'primary' });
  const repaired = await sync(request, undefined, environment);
  const stored = await storedRows(environment.SECONDARY_DATABASE_URI, onlyId(repaired));
  expect(stored['git_blame']?.some((row) => JSON.stringify(row['path']).startsWith('\"src/part1/'))).toBe(false);
  expect(stored).toEqual(await storedRows(request.db ?? '', onlyId(repaired)));
});

it('stops with exit code 1 when the primary fails', async () => {
  const request = { ...(await options()), db: 'sqlite:/nonexistent/directory/records.db', sink: 'primary' };
  await expect(sync(request)).rejects.toMatchObject({ code: 'database_failed' });
});

it('writes to the secondary alone with --sink secondary', async () => {
  const request = await options();
  const secondary = sqliteUri();
  const summary = await sync({ ...request, db: undefined as never, sink: 'secondary' }, undefined, {
    SECONDARY_DATABASE_URI: secondary,
  });
  expect((await storedRows(secondary, onlyId(summary)))['git_commits']).toHaveLength(30);
});
