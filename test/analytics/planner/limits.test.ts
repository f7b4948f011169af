import { existsSync } from 'node:fs';
import postgres from 'postgres';
import { beforeAll, describe, expect, it } from 'vitest';
import { parseAnalyticsUri } from '../../../src/analytics/address.js';
import { AnalyticsUnavailable, QueryTimeout, type AnalyticsBatch } from '../../../src/analytics/analytics.js';
import { openAnalytics } from '../../../src/analytics/open.js';
import { openWorkUnitStore } from '../../../src/analytics/store/open.js';
import type { WorkUnit } from '../../../src/analytics/work-unit.js';
import { describeOnEachEngine, openOptions } from '../engines.js';

const REPO = '11111111-1111-4111-8111-111111111111';
const never = new AbortController().signal;
const dateRange = { startDate: '2024-01-01', endDate: '2024-12-30' };

const batch: AnalyticsBatch = {
  timeseries: [{ dimension: 'AUTHOR', measure: 'COUNT', interval: 'WEEK', dateRange }],
  breakdowns: [{ dimension: 'REPO', measure: 'CHURN_LOC', dateRange, topN: 10 }],
  sankey: null,
  useInvestment: false,
  scope: { level: 'ORG', ids: [] },
};

const nothing = {
  timeseries: [],
  breakdowns: [{ dimension: 'REPO', measure: 'CHURN_LOC', items: [] }],
  distributions: [],
  sankey: null,
  dora: null,
  reviews: null,
  workInProgress: null,
};

describeOnEachEngine('the analytics', (engine) => {
  it('return nothing before the first sync', async () => {
    const uri = await engine.newUri();
    const analytics = await openAnalytics(uri, { ...openOptions, timeoutSeconds: 30 });
    try {
      expect(await analytics.run('org', batch, never)).toEqual(nothing);
      expect(await analytics.values('org', 'TEAM', never)).toEqual([]);
      if (engine.kind === 'sqlite') expect(existsSync(parseAnalyticsUri(uri).address)).toBe(false);
    } finally {
      await analytics.close();
    }
  });

  it('run no statement for a caller that has already disconnected', async () => {
    const analytics = await openAnalytics(await engine.newUri(), { ...openOptions, timeoutSeconds: 30 });
    try {
      const gone = AbortSignal.abort(new Error('the client is gone'));
      await expect(analytics.run('org', batch, gone)).rejects.toThrow('the client is gone');
    } finally {
      await analytics.close();
    }
  });
});

describeOnEachEngine('with more units than can be read in no time, the analytics', (engine) => {
  let uri: string;
  beforeAll(async () => {
    uri = await engine.newUri();
    const store = await openWorkUnitStore(parseAnalyticsUri(uri), openOptions);
    await store.ensureSchema();
    const units = Array.from({ length: 20_000 }, (_, index) => unit(index));
    await store.apply({ orgId: 'org', repoId: REPO, units, removed: [] });
    await store.close();
  });

  it('end with a timeout that has no details', async () => {
    const analytics = await openAnalytics(uri, { ...openOptions, timeoutSeconds: 0.001 });
    try {
      const failure = await analytics.run('org', batch, never).catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(QueryTimeout);
      expect(String(failure)).toBe('QueryTimeout: The query took longer than 0.001 seconds.');
    } finally {
      await analytics.close();
    }
  });

  it('continue after a caller has disconnected during a query', async () => {
    const analytics = await openAnalytics(uri, { ...openOptions, timeoutSeconds: 30 });
    try {
      const leaving = new AbortController();
      const asked = analytics.run('org', batch, leaving.signal).catch((error: unknown) => error);
      setImmediate(() => {
        leaving.abort(new Error('the client is gone'));
      });
      expect(String(await asked)).toBe('Error: the client is gone');
      const { breakdowns } = await analytics.run('org', batch, never);
      expect(breakdowns[0]?.items).toHaveLength(10);
    } finally {
      await analytics.close();
    }
  });

  // pg_stat_activity tells what a server still does; the other engines have nothing like it here.
  const unseen = engine.kind === 'postgres' ? '' : ' (skipped: this engine does not tell what it still does)';
  it.skipIf(unseen !== '')(`stop the statement on the server when a caller disconnects${unseen}`, async () => {
    const sql = postgres(uri, { max: 1, fetch_types: false });
    const locker = postgres(uri, { max: 1, fetch_types: false });
    const analytics = await openAnalytics(uri, { ...openOptions, timeoutSeconds: 30 });
    try {
      // A lock that lasts until we let go makes the query wait for as long as it is let.
      await locker.begin(async (transaction) => {
        await transaction`lock table work_units in access exclusive mode`;
        const leaving = new AbortController();
        const asked = analytics.run('org', batch, leaving.signal).catch((error: unknown) => error);
        const atWork = (): Promise<{ pid: number }[]> => sql`
          select pid from pg_stat_activity
          where datname = current_database() and state = 'active' and wait_event_type = 'Lock'`;
        await expect.poll(async () => (await atWork()).length, { timeout: 20_000 }).toBe(2);
        leaving.abort(new Error('the client is gone'));
        expect(String(await asked)).toBe('Error: the client is gone');
        expect(await atWork()).toEqual([]);
      });
    } finally {
      await analytics.close();
      await sql.end({ timeout: 1 });
      await locker.end({ timeout: 1 });
    }
  });
});

describe('an unavailable store', () => {
  it.each(['postgres://nobody@127.0.0.1:1/none', 'clickhouse://127.0.0.1:1/none'])('is reported: %s', async (uri) => {
    const analytics = await openAnalytics(uri, { ...openOptions, timeoutSeconds: 30 });
    try {
      const failure = await analytics.run('org', batch, never).catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(AnalyticsUnavailable);
      expect(String(failure)).toBe('AnalyticsUnavailable: The analytics store is unreachable.');
    } finally {
      await analytics.close();
    }
  });

  it('is distinguished from a missing package', async () => {
    const options = { ...openOptions, timeoutSeconds: 30, importChdb: () => Promise.reject(new Error('not found')) };
    await expect(openAnalytics('chdb:/nowhere', options)).rejects.toThrow('Run: npm install chdb');
  });
});

function unit(index: number): WorkUnit {
  const startedAt = Date.UTC(2024, 0, 1 + (index % 365));
  return {
    id: `u${index}`,
    workType: 'commit',
    repo: `group/${index % 40}`,
    team: 'platform',
    author: `${index % 997}@example.com`,
    theme: 'quality',
    subcategory: 'quality.testing',
    startedAt,
    completedAt: startedAt,
    day: new Date(startedAt).toISOString().slice(0, 10),
    churnLoc: index,
    shares: [{ subcategory: 'quality.testing', share: 1 }],
  };
}
