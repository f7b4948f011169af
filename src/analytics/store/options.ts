import type { Log } from '../../database/log.js';
import type { ImportChdb } from '../clickhouse/chdb-folder.js';

/**
 * Runs work that no two processes may do to one database at once.
 *
 * @param work calls `assertHeld` before each step that another process must not have overtaken; it throws then
 */
export type Exclusively = (work: (assertHeld: () => Promise<void>) => Promise<void>) => Promise<void>;

export interface StoreOptions {
  /** Epoch milliseconds. ClickHouse orders versions of a unit by it. */
  readonly now: () => number;
  readonly log: Log;
  /** Excludes other processes while a table of an earlier release is rebuilt, for engines without transactions. */
  readonly exclusively: Exclusively;
  /** How the optional package `chdb` is imported; tests pass one from another location. */
  readonly importChdb?: ImportChdb;
}
