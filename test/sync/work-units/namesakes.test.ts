/** Requests of several repositories that have one number: the second one is stored with another number. */
import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import type { AnyRow, JsonValue } from '../../../src/sync/records.js';
import { describeUnits } from '../../../src/sync/work-units/describe-units.js';
import { NOW, openDatabase, sqliteUri } from '../harness.js';
import {
  commitRow,
  DAY,
  issueRow,
  MemoryStore,
  requestRow,
  resourcesOn,
  statsRow,
  syncAndDerive,
} from './derivation/deriving.js';

const SECOND = 1_000_000_012;
const [A, M, B, R] = ['a', 'b', 'c', 'd'].map((letter) => letter.repeat(40)) as [string, string, string, string];
type Fields = Readonly<Record<string, JsonValue>>;

const first: Fields = { merge_hash: A, commit_hashes: [B], merged_at: NOW - 900 * DAY, evidence: 'merge' };
const second: Fields = { merge_hash: M, commit_hashes: [R], merged_at: NOW - DAY, evidence: 'merge', body: 'Fixes #4' };
/** The time of the host's server, which is a little later than that of the commit. */
const onHost: Fields = { ...second, merged_at: NOW - DAY + 2000, evidence: null };

async function open() {
  const store = new MemoryStore();
  const resources = await resourcesOn(await openDatabase(sqliteUri()), store);
  const repoId = randomUUID();
  const requests = (source: 'local' | 'host_a', ...rows: readonly AnyRow[]) =>
    syncAndDerive(resources, { repoId, source, target: 'prs', records: { git_pull_requests: rows } });
  const clone = () => requests('local', requestRow(12, first), requestRow(SECOND, second));
  await syncAndDerive(resources, {
    repoId,
    source: 'local',
    target: 'git',
    records: {
      git_commits: [
        commitRow(A, { parents: 2, message: 'Merge pull request #12 from ada/one' }),
        commitRow(M, { parents: 2, message: 'Merge pull request #12 from grace/two\n\nFixes #5' }),
        commitRow(B, { author_when: NOW - 901 * DAY }),
        commitRow(R, { author_when: NOW - 2 * DAY }),
      ],
      git_commit_stats: [statsRow(B, 'b.ts'), statsRow(R, 'r.ts')],
    },
  });
  await syncAndDerive(resources, {
    repoId,
    target: 'issues',
    records: { issues: [issueRow(4), issueRow(5)] },
  });
  const name = (id: string): string => id.slice(repoId.length + 1);
  return {
    clone,
    host: () => requests('host_a', requestRow(12, onHost)),
    units: () =>
      store
        .of(repoId)
        .filter(({ workType }) => workType !== 'issue')
        .map(({ id }) => name(id)),
    unit: (number: number) => store.units.get(`${repoId}:pull_request:${number}`),
    closers: async () => {
      const described = await describeUnits(
        resources,
        [4, 5].map((number) => `${repoId}:issue:${number}`),
      );
      return [...described.values()].map(({ closedBy }) => closedBy.map(name));
    },
  };
}

const CLONE = ['pull_request:1000000012', 'pull_request:12'];
const HOST = [`commit:${B}`, 'pull_request:12'];

it('each has its own commits, and closes its own issues', async () => {
  const { clone, units, unit, closers } = await open();
  await clone();
  expect(units()).toEqual(CLONE);
  expect(unit(12)?.startedAt).toBe(NOW - 901 * DAY);
  expect(unit(SECOND)?.startedAt).toBe(NOW - 2 * DAY);
  const other = ['pull_request:1000000012'];
  expect(await closers()).toEqual([other, other]);
});

it('one that a host has with its number counts once, whichever is read first', async () => {
  for (const order of [
    ['clone', 'host', 'clone'],
    ['host', 'clone', 'host'],
  ] as const) {
    const opened = await open();
    for (const source of order) await opened[source]();
    expect(opened.units()).toEqual(HOST);
    expect(opened.unit(12)?.startedAt).toBe(NOW - 2 * DAY);
    expect(await opened.closers()).toEqual([['pull_request:12'], ['pull_request:12']]);
  }
});
