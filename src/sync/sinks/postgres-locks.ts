/**
 * Locks of syncs in PostgreSQL: in the database that they write to, or in a separate one, because ClickHouse has no
 * locks.
 */
import postgres from 'postgres';
import { parseDatabaseAddress } from '../../database/address.js';
import { lockLost } from './lease.js';
import type { Lock, LockKey, Sink } from './sink.js';
import { databaseSocket } from '../../database/socket.js';

/** Locks that all servers of one installation share. */
export interface SharedLocks {
  /** Takes a lock; undefined if it is held by another process. */
  tryLock(key: LockKey): Promise<Lock | undefined>;
}

export interface OpenLocks extends SharedLocks {
  close(): Promise<void>;
}

/**
 * A lock that the server releases when the connection ends, even if the process is killed. It belongs to an open
 * transaction, because a pooler in transaction mode assigns a connection only for a transaction. The transaction holds
 * no snapshot, so it does not block vacuum.
 *
 * The lock is lost when the connection ends, for example because PostgreSQL restarts: the driver then ends `begin`.
 * (With a manually reserved connection, the next statement would wait forever.)
 */
export function tryLock(sql: postgres.Sql, name: string): Promise<Lock | undefined> {
  return new Promise((resolve, reject) => {
    const lost = new AbortController();
    let end = (): void => undefined;
    const released = new Promise<void>((done) => {
      end = done;
    });
    const transaction = sql.begin(async (held) => {
      await held`set local idle_in_transaction_session_timeout = 0`;
      const [row] = await held<
        { taken: boolean }[]
      >`select pg_try_advisory_xact_lock(hashtextextended(${name}, 0)) as taken`;
      if (row?.taken !== true) return;
      resolve({
        lost: lost.signal,
        renew: () => (lost.signal.aborted ? Promise.reject(lockLost(lost.signal.reason)) : Promise.resolve()),
        release: async () => {
          if (lost.signal.aborted) return; // the server has released it
          end();
          await transaction.catch(() => undefined); // as above
        },
      });
      await released;
    });
    transaction.then(
      () => {
        resolve(undefined); // it is held by another process; no effect after a release
      },
      (error: unknown) => {
        lost.abort(lockLost(error));
        reject(error instanceof Error ? error : new Error(String(error))); // the same, if the lock was taken
      },
    );
  });
}

/** A job syncs a few repositories concurrently, each of which holds up to two locks. */
const MOST_LOCKS = 16;

/** Opens the database. The connection for a lock is opened when the lock is taken. */
export function openPostgresLocks(uri: string): OpenLocks {
  const address = parseDatabaseAddress(uri);
  const sql = postgres(address.uri, {
    max: MOST_LOCKS,
    ...databaseSocket(address),
    onnotice: () => {},
    prepare: !address.isPooled,
    connection: { application_name: 'plumbline sync locks' },
  });
  return {
    tryLock: ({ repoId, target }) => tryLock(sql, `plumbline sync of a store ${repoId} ${target}`),
    close: () => sql.end({ timeout: 5 }),
  };
}

/** The same sink, but each lock is first taken in `locks`. */
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
      const signals = [outer.lost, own.lost].filter((each) => each !== undefined);
      return {
        lost: AbortSignal.any(signals),
        renew: async () => {
          await outer.renew();
          await own.renew();
        },
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
