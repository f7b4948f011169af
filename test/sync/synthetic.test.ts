import { expect, it } from 'vitest';
import type { Stored } from './harness.js';
import { onlyId, sqliteUri, storedRows, sync, testDependencies } from './harness.js';

async function stored(target: string, options: Record<string, string> = {}, db = sqliteUri()): Promise<Stored> {
  const summary = await sync({ target, provider: 'synthetic', db, date: '2026-01-31', backfill: '31', ...options });
  expect(summary.repositories[0]?.error).toBeNull();
  return storedRows(db, onlyId(summary));
}

const TARGETS = ['git', 'prs', 'blame', 'cicd', 'deployments', 'incidents', 'issues'];

it.each(TARGETS)('makes the same %s for the same seed, and others for another', async (target) => {
  // Incidents are rare.
  const days = { backfill: '180' };
  const first = await stored(target, days);
  expect(await stored(target, days)).toEqual(first);
  expect(await stored(target, { ...days, seed: '2' })).not.toEqual(first);
  expect(Object.keys(first).length).toBeGreaterThan(1);
});

it('makes requests of the commits that sync git stores', async () => {
  const hashes = new Set((await stored('git'))['git_commits']?.map((row) => row['hash']));
  const requests = (await stored('prs'))['git_pull_requests'] ?? [];
  expect(requests.length).toBeGreaterThan(20);
  for (const request of requests)
    for (const hash of request['commit_hashes'] as string[]) expect(hashes).toContain(hash);
});

it('makes the same day for any requested range', async () => {
  const month = (await stored('git'))['git_commits'] ?? [];
  const week = (await stored('git', { backfill: '7' }))['git_commits'] ?? [];
  expect(week.length).toBeGreaterThan(10);
  for (const commit of week) expect(month).toContainEqual(commit);
});

it('ends open items as time passes', async () => {
  const db = sqliteUri();
  const before = (await stored('prs', { date: '2026-01-20', backfill: '20' }, db))['git_pull_requests'] ?? [];
  const after = (await stored('prs', { date: '2026-01-31', backfill: '31' }, db))['git_pull_requests'] ?? [];
  const open = before.filter((row) => row['state'] === 'open').map((row) => row['number']);
  expect(after.some((row) => open.includes(row['number'] ?? null) && row['state'] === 'merged')).toBe(true);
});

it('makes exactly the requested number of commits, also when it is run again', async () => {
  const db = sqliteUri();
  expect((await stored('git', { maxCommitsPerRepo: '1234' }, db))['git_commits']).toHaveLength(1234);
  expect((await stored('git', { maxCommitsPerRepo: '1234' }, db))['git_commits']).toHaveLength(1234);
});

it('resumes within a day where it was aborted', async () => {
  const [db, whole] = [sqliteUri(), sqliteUri()];
  const options = { target: 'git', provider: 'synthetic', db, date: '2026-01-31', maxCommitsPerRepo: '500' };
  const controller = new AbortController();
  const progress = {
    pageStored: () => {
      controller.abort();
    },
  };
  const aborted = sync(options, testDependencies({ signal: controller.signal, progress }));
  await expect(aborted).rejects.toMatchObject({ code: 'aborted' });
  const finished = await sync(options);
  expect(finished.repositories[0]?.records['git_commits']).toBeLessThan(500);
  await sync({ ...options, db: whole });
  expect(await storedRows(db, onlyId(finished))).toEqual(await storedRows(whole, onlyId(finished)));
});

it('makes up as many repositories as --max-repos says', async () => {
  const summary = await sync({
    target: 'incidents',
    provider: 'synthetic',
    db: sqliteUri(),
    maxRepos: '3',
    repoName: 'acme/shop',
  });
  expect(summary.repositories.map(({ name }) => name)).toEqual(['acme/shop', 'acme/shop-2', 'acme/shop-3']);
});
