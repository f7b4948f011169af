import { parseConnection } from '../../../sync/sinks/connection-string.js';

/**
 * The PostgreSQL database that holds the locks of a store's repositories, because ClickHouse has no locks.
 *
 * @param store connection string of the records
 * @param database connection string of the PostgreSQL that all servers share
 * @returns null: the store has locks, or only one process can open it
 */
export function lockDatabaseOf(store: string, database: string): string | null {
  const address = parseConnection(store);
  const isClickHouse = 'kind' in address && address.kind === 'clickhouse';
  return isClickHouse && !store.startsWith('chdb:') ? database : null;
}
