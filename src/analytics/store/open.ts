/** Opens the store of work units of a database; each driver is loaded only when its kind is used. */
import type { WorkUnitStore } from '../work-unit.js';
import type { Log } from '../../database/log.js';
import type { AnalyticsAddress } from '../address.js';
import type { ImportChdb } from '../clickhouse/chdb.js';

/**
 * Runs work that no two processes may do to one database at once.
 *
 * @param work calls `assertHeld` before each step that another process must not have overtaken; it throws then
 */
export type Exclusively = (work: (assertHeld: () => Promise<void>) => Promise<void>) => Promise<void>;

export interface StoreOptions {
  /** Epoch milliseconds. ClickHouse orders the versions of a unit by it. */
  readonly now: () => number;
  readonly log: Log;
  /** How a table of an earlier release is rebuilt, where the engine has no transaction for it. */
  readonly exclusively: Exclusively;
  /** How the optional package `chdb` is imported; tests hand in one that is installed elsewhere. */
  readonly importChdb?: ImportChdb;
}

/**
 * Opens the store. Nothing is read or written before `ensureSchema`.
 *
 * @param address as `parseAnalyticsUri` returns it, or put together by who has a driver's address already
 * @throws Error naming what to install where `chdb:` is asked for and the package is missing; the methods of the store
 *   throw the driver's errors
 */
export async function openWorkUnitStore(address: AnalyticsAddress, options: StoreOptions): Promise<WorkUnitStore> {
  switch (address.kind) {
    case 'postgres':
      return (await import('./postgres.js')).openPostgresStore(address.address, options);
    case 'sqlite':
      return (await import('./sqlite.js')).openSqliteStore(address.address);
    case 'clickhouse': {
      const { openClickHouseServer } = await import('../clickhouse/server.js');
      const { openClickHouseStore } = await import('./clickhouse.js');
      return openClickHouseStore(openClickHouseServer(address.address), options);
    }
    case 'chdb': {
      const { openChdb } = await import('../clickhouse/chdb.js');
      const { openClickHouseStore } = await import('./clickhouse.js');
      return openClickHouseStore(await openChdb(address.address, options.importChdb), options);
    }
  }
}
