/**
 * Statements for a cluster on two shards that one chdb plays: `test/support/clickhouse-shards.ts` says what of it is
 * real. TEST_CLICKHOUSE_URI names a real cluster (`clickhouse://host/default?cluster=name`) instead.
 */
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseAnalyticsUri } from '../../../src/analytics/address.js';
import { openClickHouseServer } from '../../../src/analytics/clickhouse/server.js';
import { alterTable, createTable, deleteRows, type TableDefinition } from '../../../src/analytics/clickhouse/tables.js';
import type { AnalyticsBatch } from '../../../src/analytics/analytics.js';
import { openAnalytics } from '../../../src/analytics/open.js';
import { openWorkUnitStore } from '../../../src/analytics/store/open.js';
import { PHASE_COLUMNS } from '../../../src/analytics/store/rows.js';
import { startClickHouse, type TestClickHouse } from '../../support/clickhouse-http.js';
import { freePort } from '../../support/free-port.js';
import { onlyId, storedRows, sync } from '../../sync/harness.js';
import { openOptions } from '../engines.js';

const table: TableDefinition = {
  name: 'things',
  columns: ['repo_id UUID', 'name String', 'version UInt64'],
  replacing: 'version',
  orderBy: 'repo_id, name',
  clauses: 'ttl written',
  shardBy: 'repo_id',
};

describe('the statements for a table', () => {
  it('create one table on a server, and a replicated and a distributed one on a cluster', () => {
    expect(createTable(table, undefined)).toEqual([
      'create table if not exists things (repo_id UUID, name String, version UInt64) ' +
        'engine = ReplacingMergeTree(version) order by (repo_id, name) ttl written',
    ]);
    expect(createTable(table, '{cluster}')).toEqual([
      "create table if not exists things_local on cluster '{cluster}' (repo_id UUID, name String, version UInt64) " +
        'engine = ReplicatedReplacingMergeTree(version) order by (repo_id, name) ttl written',
      "create table if not exists things on cluster '{cluster}' (repo_id UUID, name String, version UInt64) " +
        "engine = Distributed('{cluster}', currentDatabase(), 'things_local', cityHash64(repo_id))",
    ]);
  });

  it('change both tables, and delete from the replicated one', () => {
    expect(alterTable('things', 'add column x Int8', 'main')).toEqual([
      "alter table things_local on cluster 'main' add column x Int8",
      "alter table things on cluster 'main' add column x Int8",
    ]);
    expect(deleteRows('things', 'x = 1', 'main')).toBe("delete from things_local on cluster 'main' where x = 1");
    expect(deleteRows('things', 'x = 1', undefined)).toBe('delete from things where x = 1');
  });
});

const cluster = await startClickHouse(2);
const missing = 'missing' in cluster ? ` (skipped: ${cluster.missing})` : '';
/** Where a row is: of shards that one engine plays, each is a database. */
const shardColumn = (process.env['TEST_CLICKHOUSE_URI'] ?? '') === '' ? '_database' : '_shard_num';

describe.skipIf(missing !== '')(`a cluster${missing}`, () => {
  // It is there where this is not skipped.
  const server = cluster as TestClickHouse;
  let directory: string;
  let uri: string;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'plumbline-cluster-'));
    uri = await server.newDatabase('cluster');
  });
  afterAll(async () => {
    await server.stop();
    await rm(directory, { recursive: true });
  });

  const options = (db: string) =>
    ({ provider: 'synthetic', db, org: 'acme', target: 'git', maxCommitsPerRepo: '20' }) as const;
  const year = { startDate: '2000-01-01', endDate: '2030-01-01' };
  const batch: AnalyticsBatch = {
    timeseries: [{ dimension: 'REPO', measure: 'CHURN_LOC', interval: 'MONTH', dateRange: year }],
    breakdowns: [{ dimension: 'AUTHOR', measure: 'CYCLE_TIME_HOURS', dateRange: year, topN: 50 }],
    distributions: [],
    sankey: { path: ['TEAM', 'THEME', 'REPO'], measure: 'COUNT', dateRange: year, maxNodes: 100, maxEdges: 500 },
    useInvestment: true,
    scope: { level: 'ORG', ids: [] },
  };
  const answerOf = async (db: string): Promise<unknown> => {
    const analytics = await openAnalytics(db, { ...openOptions, timeoutSeconds: 60 });
    try {
      return await analytics.run('acme', batch, new AbortController().signal);
    } finally {
      await analytics.close();
    }
  };

  it('stores and answers what another engine does, also after repeated syncs', async () => {
    const databases = [uri, `sqlite:${join(directory, 'records.db')}`] as const;
    const stored: unknown[] = [];
    for (const db of databases) {
      for (const repoName of ['acme/one', 'acme/two', 'acme/three']) await sync({ ...options(db), repoName });
      const again = onlyId(await sync({ ...options(db), repoName: 'acme/two' }));
      stored.push((await storedRows(db, again))['git_commits']?.length, await answerOf(db));
    }
    expect(stored.slice(0, 2)).toEqual(stored.slice(2));
  });

  it('has rows on each shard, and all rows of a repository on one', async () => {
    const engine = openClickHouseServer(parseAnalyticsUri(uri).address);
    try {
      const rows = await engine.query(
        `select repo_id, groupUniqArray(${shardColumn}) from git_commits group by repo_id`,
        {},
      );
      const shards = rows.map(([, found]) => String(found));
      expect([rows.length, new Set(shards).size]).toEqual([3, 2]);
    } finally {
      await engine.close();
    }
  });

  it('answers through another host when the first one is down', async () => {
    const down = await freePort();
    expect(await answerOf(uri.replace(/\/\/([^@]*@)?/, `//$1127.0.0.1:${down},`))).toEqual(await answerOf(uri));
  });

  it('is tried once on each host', async () => {
    const calls: number[] = [];
    const hosts = await Promise.all(
      [0, 1].map(async (index) => {
        const server = createServer((socket) => {
          calls.push(index);
          socket.destroy();
        }).listen(0, '127.0.0.1');
        await once(server, 'listening');
        return server;
      }),
    );
    const ports = hosts.map((server) => (server.address() as { port: number }).port);
    const { address } = parseAnalyticsUri(`clickhouse://127.0.0.1:${ports[0]},127.0.0.1:${ports[1]}/db?cluster=main`);
    const engine = openClickHouseServer(address);
    try {
      await expect(engine.query('select 1', {})).rejects.toThrow();
      expect(calls).toEqual([0, 1]);
    } finally {
      await engine.close();
      for (const server of hosts) server.close();
    }
  });

  const ensureSchema = async (address: string): Promise<void> => {
    const store = await openWorkUnitStore(parseAnalyticsUri(address), openOptions);
    await store.ensureSchema().finally(() => store.close());
  };

  it('gets the columns that tables of an earlier release lack', async () => {
    const earlier = await server.newDatabase('earlier');
    const engine = openClickHouseServer(parseAnalyticsUri(earlier).address);
    const readPhases = (): Promise<unknown> => engine.query(`select ${PHASE_COLUMNS.join(', ')} from work_units`, {});
    try {
      await ensureSchema(earlier);
      const dropped = PHASE_COLUMNS.map((column) => `drop column ${column}`).join(', ');
      for (const statement of alterTable('work_units', dropped, engine.cluster)) await engine.command(statement);
      await expect(readPhases()).rejects.toThrow(PHASE_COLUMNS[0]);
      await ensureSchema(earlier);
      expect(await readPhases()).toEqual([]);
    } finally {
      await engine.close();
    }
  });

  it('is not mixed up with a single server', async () => {
    const ofServer = await server.newDatabase('cluster');
    const engine = openClickHouseServer(parseAnalyticsUri(ofServer).address);
    await engine.command('create table work_units (id String) engine = MergeTree order by id');
    await engine.close();
    await expect(ensureSchema(ofServer)).rejects.toThrow('The table work_units belongs to a single server.');
    await expect(ensureSchema(uri.replace(/\?.*/, ''))).rejects.toThrow(
      'The table work_units belongs to a cluster: append ?cluster=NAME to the address.',
    );
  });
});
