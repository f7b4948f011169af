import Database from 'libsql';
import { describe, expect, it } from 'vitest';
import { hostARepository } from '../support/hosts/host-a.js';
import { NOW, onlyId, sqliteUri, storedRows, sync } from './harness.js';
import { host, options } from './host-a-fixture.js';

const HOUR = 3_600_000;
/** Noon of a day months ago, so that a deployment of then is settled. */
const LONG_AGO = Date.parse('2025-06-01T12:00:00Z');
const iso = (time: number): string => new Date(time).toISOString();

/** A deployment of `start` with the statuses that it got so many minutes later. */
function deployment(id: number, start: number, ...statuses: readonly (readonly [string, number])[]) {
  return {
    databaseId: id,
    environment: 'production',
    createdAt: iso(start),
    creator: { login: 'ada' },
    commit: null,
    statuses: statuses.map(([state, minutes]) => ({ state, createdAt: iso(start + minutes * 60_000) })),
  };
}

describe('deployments of host_a', () => {
  it('are the latest 1,000, and all of the period that the sync asks for', async () => {
    const deployments = Array.from({ length: 1200 }, (_, place) =>
      deployment(2000 - place, LONG_AGO - place * HOUR, ['SUCCESS', 1]),
    );
    const started = await host(hostARepository('acme/widgets', { deployments }));
    const latest = await sync(options(started, sqliteUri(), { target: 'deployments' }));
    expect(latest.repositories[0]).toMatchObject({
      records: { deployments: 1000 },
      notes: ['only the latest 1000 entries are read'],
    });
    const since = new Date(LONG_AGO - 1149 * HOUR).toISOString();
    const all = await sync(options(started, sqliteUri(), { target: 'deployments', since }));
    expect(all.repositories[0]).toMatchObject({ records: { deployments: 1150 } });
    expect(all.repositories[0]?.notes).toBeUndefined();
  });

  it('have the time and the result of their first success, also after a newer one replaced them', async () => {
    const twoDays = 48 * 60;
    const deployments = [
      deployment(5, LONG_AGO + 4 * HOUR, ['IN_PROGRESS', 1]),
      deployment(4, LONG_AGO + 3 * HOUR, ['IN_PROGRESS', 1], ['INACTIVE', 9]),
      deployment(3, LONG_AGO + 2 * HOUR, ['FAILURE', 3], ['SUCCESS', 8], ['ERROR', 30], ['INACTIVE', twoDays]),
      deployment(2, LONG_AGO + HOUR, ['ERROR', 4], ['INACTIVE', twoDays]),
      deployment(1, LONG_AGO, ['QUEUED', 0], ['SUCCESS', 5], ['INACTIVE', twoDays]),
    ];
    const started = await host(hostARepository('acme/widgets', { deployments }));
    const db = sqliteUri();
    const summary = await sync(options(started, db, { target: 'deployments' }));
    const rows = (await storedRows(db, onlyId(summary)))['deployments'] ?? [];
    const minutes = (start: number, time: unknown) => (typeof time === 'number' ? (time - start) / 60_000 : time);
    expect(
      rows.map((row, index) => {
        const start = LONG_AGO + index * HOUR;
        return [row['status'], minutes(start, row['deployed_at']), minutes(start, row['finished_at'])];
      }),
    ).toEqual([
      ['success', 5, 5],
      ['error', null, 4],
      ['success', 8, 8],
      ['inactive', null, 9],
      ['in_progress', null, null],
    ]);
  });

  it.each([
    ['that was unfinished', deployment(1, LONG_AGO, ['IN_PROGRESS', 1])],
    ['that failed within the last week', deployment(1, NOW - 24 * HOUR, ['FAILURE', 1])],
  ])('are read again if there was one %s', async (_name, first) => {
    const latest = deployment(2, NOW - HOUR, ['SUCCESS', 1]);
    const repository = hostARepository('acme/widgets', { deployments: [latest, first] });
    const started = await host(repository);
    const db = sqliteUri();
    await sync(options(started, db, { target: 'deployments' }));
    const repeated = { ...first, statuses: [...first.statuses, { state: 'SUCCESS', createdAt: iso(NOW) }] };
    repository.deployments = [latest, repeated];
    const repoId = onlyId(await sync(options(started, db, { target: 'deployments' })));
    expect((await storedRows(db, repoId))['deployments']?.[0]).toMatchObject({ status: 'success', deployed_at: NOW });
  });

  it('are all read again after a release that stored the time of their replacement', async () => {
    const deployments = [2, 1].map((id) => deployment(id, LONG_AGO + id * HOUR, ['SUCCESS', 5], ['INACTIVE', 90]));
    const started = await host(hostARepository('acme/widgets', { deployments }));
    const db = sqliteUri();
    const repoId = onlyId(await sync(options(started, db, { target: 'deployments' })));
    const database = new Database(db.slice('sqlite:'.length));
    database.exec('update deployments set deployed_at = null');
    const marker = String.raw`\"also\":\"statuses\"`;
    expect(database.prepare('update sync_state set state = replace(state, ?, ?)').run(marker, '').changes).toBe(1);
    expect(database.prepare('select state from sync_state').get()).not.toMatchObject({
      state: expect.stringContaining('statuses') as string,
    });
    database.close();
    await sync(options(started, db, { target: 'deployments' }));
    const rows = (await storedRows(db, repoId))['deployments'] ?? [];
    expect(rows.map((row) => row['deployed_at'])).toEqual([1, 2].map((id) => LONG_AGO + id * HOUR + 5 * 60_000));
  });

  it('are not read again long after they ended', async () => {
    const old = deployment(1, LONG_AGO, ['SUCCESS', 1], ['INACTIVE', 90]);
    const deployments = [deployment(2, LONG_AGO + HOUR, ['SUCCESS', 1]), old];
    const started = await host(hostARepository('acme/widgets', { deployments }));
    const db = sqliteUri();
    await sync(options(started, db, { target: 'deployments' }));
    const again = await sync(options(started, db, { target: 'deployments' }));
    expect(again.repositories[0]?.records).toMatchObject({ deployments: 1 });
  });
});
