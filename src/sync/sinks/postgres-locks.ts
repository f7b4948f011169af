/** Locks of syncs in PostgreSQL: in the database that they write to, or beside it, because ClickHouse has no locks. */
import postgres from 'postgres';
import { parseDatabaseAddress } from '../../database/address.js';
import { lockLost } from './lease.js';
import type { Lock, LockKey, Sink } from './sink.js';
import { primarySocket } from '../../database/socket.js';

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
 *
 * The lock is lost when the connection ends, for example because PostgreSQL restarts: the driver then ends `begin`.
 * (A connection that was reserved by hand would leave the next statement on it waiting forever.)
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
          if (lost.signal.aborted) return; // the server has freed it
          end();
          await transaction.catch(() => undefined); // the same
        },
      });
      await released;
    });
    transaction.then(
      () => {
        resolve(undefined); // it was held elsewhere; for a lock that was released this changes nothing
      },
      (error: unknown) => {
        lost.abort(lockLost(error));
        reject(error instanceof Error ? error : new Error(String(error))); // the same for a lock that was taken
      },
    );
  });
}

/** A job works on a few repositories at once, each of which holds up to two locks. */
const MOST_LOCKS = 16;

/** Opens the database; the connection of a lock is made when it is taken. */
export function openPostgresLocks(uri: string): OpenLocks {
  const address = parseDatabaseAddress(uri);
  const sql = postgres(address.uri, {
    max: MOST_LOCKS,
    ...primarySocket(address),
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
