/** Opens the sink for a database address. Each driver is loaded on demand. */
import type { AnalyticsAddress } from '../../analytics/address.js';
import { SyncError } from '../failures.js';
import type { SyncDependencies } from '../dependencies.js';
import { withSharedLocks } from './postgres-locks.js';
import type { DatabaseAddress } from './connection-string.js';
import type { Sink, SinkOptions } from './sink.js';

/** Opens the database. The dependencies resolve `embedded:`, which is closed with the sink. */
export async function openSink(
  address: DatabaseAddress,
  options: SinkOptions,
  dependencies: SyncDependencies,
): Promise<Sink> {
  switch (address.kind) {
    case 'postgres':
      return openPostgres(address.address, options);
    case 'sqlite':
      return withUnits((await import('./sqlite.js')).openSqlite(address.address, options), 'sqlite', address.address);
    case 'mongo':
      return (await import('./mongo.js')).openMongo(address.address, options);
    case 'clickhouse': {
      const sink = await openAnyClickHouse(address.address, options, dependencies);
      return dependencies.locks === undefined ? sink : withSharedLocks(sink, dependencies.locks);
    }
    case 'embedded':
      return openEmbedded(options, dependencies);
  }
}

async function openPostgres(uri: string, options: SinkOptions): Promise<Sink> {
  return withUnits((await import('./postgres.js')).openPostgres(uri, options), 'postgres', uri);
}

/** A server, or with `chdb:path` the engine in this process. */
async function openAnyClickHouse(
  address: string,
  options: SinkOptions,
  { importConnector }: SyncDependencies,
): Promise<Sink> {
  const { openClickHouse } = await import('./clickhouse.js');
  if (!address.startsWith(CHDB)) {
    const { openClickHouseServer } = await import('../../analytics/clickhouse/server.js');
    return withUnits(openClickHouse(openClickHouseServer(address), options), 'clickhouse', address);
  }
  const { ChdbMissing, openChdb } = await import('../../analytics/clickhouse/chdb.js');
  const path = address.slice(CHDB.length);
  try {
    const engine = await openChdb(path, importConnector === undefined ? undefined : () => importConnector('chdb'));
    return withUnits(openClickHouse(engine, options), 'chdb', path);
  } catch (error) {
    const code = error instanceof ChdbMissing ? 'connectors_missing' : 'database_failed';
    throw new SyncError(code, error instanceof Error ? error.message : String(error), { cause: error });
  }
}

const CHDB = 'chdb:';

function withUnits(sink: Sink, kind: AnalyticsAddress['kind'], address: string): Sink {
  return { ...sink, unitsAddress: { kind, address } };
}

async function openEmbedded(options: SinkOptions, dependencies: SyncDependencies): Promise<Sink> {
  if (dependencies.resolveEmbedded === undefined) {
    throw new SyncError('database_failed', 'There is no embedded database here. Set a database with --db.');
  }
  const embedded = await dependencies.resolveEmbedded();
  const sink = await openPostgres(embedded.uri, options);
  return {
    ...sink,
    close: async () => {
      await sink.close();
      await embedded.close();
    },
  };
}
