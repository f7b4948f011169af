/** Locks of syncs in PostgreSQL: in the database that they write to, or beside it, because ClickHouse has no locks. */
import postgres from 'postgres';
import { parseDatabaseAddress } from '../../database/address.js';
import type { Lock, LockKey, Sink } from './sink.js';

/** Locks that all servers of one installation share. */
export interface SharedLocks {
  /** Takes a lock, or returns undefined while it is held elsewhere. */
  tryLock(key: LockKey): Promise<Lock | undefined>;
}

export interface OpenLocks extends SharedLocks {
  close(): Promise<void>;
}

/**
 * A lock that the server frees when the connection ends, however the process ends. It belongs to a transaction that
 * stays open meanwhile, because a pooler in transaction mode keeps a connection for no longer. The transaction holds
 * no snapshot, so it does not stand in the way of vacuum.
 */
export async function tryLock(sql: postgres.Sql, name: string): Promise<Lock | undefined> {
  const connection = await sql.reserve();
  const end = async (): Promise<void> => {
    await connection`rollback`;
    connection.release();
  };
  await connection.unsafe('begin; set local idle_in_transaction_session_timeout = 0');
  const [row] = await connection<
    { taken: boolean }[]
  >`select pg_try_advisory_xact_lock(hashtextextended(${name}, 0)) as taken`;
  if (row?.taken === true) return { renew: async () => {}, release: end };
  await end();
  return undefined;
}

/** A job works on a few repositories at once, each of which holds up to two locks. */
const MOST_LOCKS = 16;

/** Opens the database; the connection of a lock is made when it is taken. */
export function openPostgresLocks(uri: string): OpenLocks {
  const address = parseDatabaseAddress(uri);
  const sql = postgres(address.uri, {
    max: MOST_LOCKS,
    onnotice: () => {},
    prepare: !address.isPooled,
    connection: { application_name: 'plumbline sync locks' },
  });
  return {
    tryLock: ({ repoId, target }) => tryLock(sql, `plumbline sync of a store ${repoId} ${target}`),
    close: () => sql.end({ timeout: 5 }),
  };
}

/** The same sink, whose locks are taken in `locks` first. */
export function withSharedLocks(sink: Sink, locks: SharedLocks): Sink {
  return {
    ...sink,
    async tryLock(key) {
      const outer = await locks.tryLock(key);
      if (outer === undefined) return undefined;
      let inner: Lock | undefined;
      try {
        inner = await sink.tryLock(key);
      } finally {
        if (inner === undefined) await outer.release();
      }
      if (inner === undefined) return undefined;
      const own = inner;
      return {
        renew: () => own.renew(),
        release: async () => {
          try {
            await own.release();
          } finally {
            await outer.release();
          }
        },
      };
    },
  };
}
