/** Opens the readers of a store. */
import type { Log } from '../../database/log.js';
import type { AnalyticsAddress } from '../address.js';
import { openClickHouseServer } from '../clickhouse/server.js';
import { openClickHouseReaders } from './clickhouse-readers.js';
import { openPostgresReaders } from './postgres-readers.js';
import { ReaderRefused, type Readers } from './readers.js';

/** @throws ReaderRefused for engines without roles */
export function openReaders({ kind, address }: AnalyticsAddress, log: Log): Readers {
  switch (kind) {
    case 'postgres':
      return openPostgresReaders(address, log);
    case 'clickhouse':
      return openClickHouseReaders(openClickHouseServer(address));
    case 'chdb':
    case 'sqlite':
      throw new ReaderRefused(`${kind} has no readers with SQL`);
  }
}
