/** Opens the store of work units of a database; loads a driver only when it is needed. */
import type { WorkUnitStore } from '../work-unit.js';
import type { AnalyticsAddress } from '../address.js';
import type { StoreOptions } from './options.js';

/**
 * Opens the store. It reads and writes nothing before `ensureSchema`.
 *
 * @param address from `parseAnalyticsUri`, or constructed by a caller that has a driver's address
 * @throws Error with the install command if `chdb:` is used and the package is missing; the store's methods throw the
 *   driver's errors
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
