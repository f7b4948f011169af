/** Analytics that read from a standby, with real streaming replication. */
import postgres from 'postgres';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { parseAnalyticsUri } from '../../../src/analytics/address.js';
import type { Analytics } from '../../../src/analytics/analytics.js';
import { openAnalytics } from '../../../src/analytics/open.js';
import { openWorkUnitStore } from '../../../src/analytics/store/open.js';
import type { WorkUnit } from '../../../src/analytics/work-unit.js';
import { readSettings } from '../../../src/platform/server/settings.js';
import {
  startReplicatedPostgres,
  withoutReplication,
  type ReplicatedPostgres,
} from '../../support/replicated-postgres.js';
import { openOptions } from '../engines.js';

const repoId = '11111111-1111-4111-8111-111111111111';

const unit: WorkUnit = {
  id: `${repoId}:commit:1`,
  workType: 'commit',
  repo: 'group/one',
  team: 'platform',
  author: 'ada@example.com',
  theme: 'quality',
  subcategory: 'quality.testing',
  startedAt: Date.parse('2024-02-28T10:00:00Z'),
  completedAt: Date.parse('2024-02-28T10:00:00Z'),
  day: '2024-02-28',
  churnLoc: 1,
  shares: [{ subcategory: 'quality.testing', share: 1 }],
};

describe.skipIf(withoutReplication !== '')(`ANALYTICS_URI with prefer-standby${withoutReplication}`, () => {
  let servers: ReplicatedPostgres;
  let uri: string;
  let analytics: Analytics;
  beforeEach(async () => {
    servers = await startReplicatedPostgres();
    uri = servers.uri.replace('read-write', 'prefer-standby');
    const store = await openWorkUnitStore(parseAnalyticsUri(uri), openOptions); // writes, so on the primary
    await store.ensureSchema();
    await store.apply({ orgId: 'acme', repoId, units: [unit], removed: [] });
    await store.close();
    analytics = await openAnalytics(uri, { timeoutSeconds: 10, log: openOptions.log });
  });
  afterEach(async () => {
    await analytics.close();
    await servers.stop();
  });

  const values = (): ReturnType<Analytics['values']> => analytics.values('acme', 'TEAM', new AbortController().signal);
  const readersOn = async (address: string): Promise<number> => {
    const sql = postgres(address, { max: 1 });
    const [row] = await sql<{ count: string }[]>`
      select count(*) as count from pg_stat_activity where application_name = 'plumbline' and pid <> pg_backend_pid()`;
    await sql.end();
    return Number(row?.count);
  };
  const expected = [{ value: 'platform', count: 1 }];

  test('queries are answered by the standby, also when the primary is gone', async () => {
    await vi.waitFor(
      async () => {
        expect(await values()).toEqual(expected);
      },
      { timeout: 20_000 },
    );
    expect([await readersOn(servers.primaryUri), await readersOn(servers.standbyUri)]).toEqual([0, 1]);
    await servers.crashPrimary();
    expect(await values()).toEqual(expected);
  });

  test('queries are answered by the primary while there is no standby', async () => {
    await vi.waitFor(
      async () => {
        expect(await values()).toEqual(expected);
      },
      { timeout: 20_000 },
    );
    await servers.crashStandby();
    await vi.waitFor(
      async () => {
        expect(await values()).toEqual(expected);
      },
      { timeout: 20_000, interval: 200 },
    );
    expect(await readersOn(servers.primaryUri)).toBeGreaterThan(0);
  });
});

test('DATABASE_URI refuses prefer-standby, because the platform writes', () => {
  const uri = 'postgres://one:5432,two:5432/name?target_session_attrs=prefer-standby';
  expect(() => readSettings({ DATABASE_URI: uri })).toThrow('DATABASE_URI must be a URL like');
  expect(readSettings({ ANALYTICS_URI: uri }).analyticsUri).toBe(uri);
});

test('several hosts of ClickHouse are refused, because its client takes one', () => {
  expect(() => readSettings({ ANALYTICS_URI: 'clickhouse://one,two/name' })).toThrow('ANALYTICS_URI must be like');
});
