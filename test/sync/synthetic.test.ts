import { expect, it } from 'vitest';
import type { Stored } from './harness.js';
import { NOW, onlyId, sqliteUri, storedRows, sync, testDependencies } from './harness.js';

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

const HOUR = 3_600_000;

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
}

/** The requests of 90 days of four repositories, with the dates as numbers. */
async function requests(): Promise<Stored[string]> {
  const options = { target: 'prs', provider: 'synthetic', date: '2026-01-31', backfill: '90' };
  const names = ['acme/web-shop', 'acme/mobile-app', 'acme/api', 'acme/payments'];
  const all = await Promise.all(names.map((repoName) => stored('prs', { ...options, repoName })));
  return all.flatMap((each) => each['git_pull_requests'] ?? []);
}

const hours = (row: Stored[string][number], from: string, to: string): number =>
  (Number(row[to]) - Number(row[from])) / HOUR;

it('ends nearly all requests within two weeks, large ones later than small ones', async () => {
  const all = await requests();
  const left = all.filter((row) => row['closed_at'] === null && Number(row['created_at']) < Date.UTC(2026, 0, 17));
  expect(left.length / all.length).toBeLessThan(0.03);
  const merged = all.filter((row) => row['merged_at'] !== null);
  expect(merged.length / all.length).toBeGreaterThan(0.8);
  const took = (isLarge: boolean): number =>
    median(
      merged
        .filter((row) => Number(row['additions']) > 100 === isLarge)
        .map((row) => hours(row, 'created_at', 'merged_at')),
    );
  expect(took(false)).toBeGreaterThan(8);
  expect(took(true)).toBeLessThan(72);
  expect(took(true)).toBeGreaterThan(took(false));
});

it('gives a person one name in commits, requests, issues and reviews, and nobody reviews own requests', async () => {
  const options = { backfill: '60' };
  const { git_pull_requests: made = [], git_pull_request_reviews: reviews = [] } = await stored('prs', options);
  const authors = new Map(made.map((row) => [row['number'], row['author_name']]));
  expect(reviews.length).toBeGreaterThan(50);
  for (const review of reviews) expect(review['reviewer']).not.toBe(authors.get(review['number'] ?? null));
  const commits = (await stored('git', options))['git_commits'] ?? [];
  const issues = (await stored('issues', options))['issues'] ?? [];
  for (const name of [
    ...commits.filter((row) => row['author_name'] !== 'renovate[bot]').map((row) => row['author_email']),
    ...made.filter((row) => row['author_name'] !== 'renovate[bot]').map((row) => row['author_name']),
    ...reviews.map((row) => row['reviewer']),
    ...issues.map((row) => row['author_name']),
  ])
    expect(name).toMatch(/^[a-z]+@example\.com$/);
});

it('deploys on working days, under a number for each', async () => {
  const options = { target: 'deployments', provider: 'synthetic', date: '2026-01-31', backfill: '31' };
  const db = sqliteUri();
  const summary = await sync({ ...options, db, maxCommitsPerRepo: '5000' });
  const rows = (await storedRows(db, onlyId(summary)))['deployments'] ?? [];
  expect(rows).toHaveLength(summary.repositories[0]?.records['deployments'] ?? 0);
  const weekdays = new Set(rows.map((row) => new Date(Number(row['started_at'])).getUTCDay()));
  expect([...weekdays].sort()).toEqual([1, 2, 3, 4, 5]);
});

it('begins 180 days ago, so that the last 90 days have a period before', async () => {
  const db = sqliteUri();
  const summary = await sync({ target: 'git', provider: 'synthetic', db });
  const commits = (await storedRows(db, onlyId(summary)))['git_commits'] ?? [];
  const days = commits.map((row) => (NOW - Number(row['author_when'])) / (24 * HOUR));
  expect(Math.max(...days)).toBeGreaterThan(170);
  expect(Math.max(...days)).toBeLessThan(190);
});
