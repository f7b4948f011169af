import type { ConnectionSettings } from './driver.js';
import { DatabaseUnavailableError, isReadOnly } from './failures.js';
import type { Transaction } from './sql.js';
import { member, traced } from './trace-statements.js';

type Work<T> = (transaction: Transaction) => Promise<T>;

/** A driver instance with a single connection, and whether that connection was lost. */
interface Session {
  readonly sql: ReturnType<ConnectionSettings['connect']>;
  lost: boolean;
  /** Never fulfilled; rejected when the connection is lost. */
  readonly loss: Promise<never>;
}

interface Waiter {
  readonly group: string | null;
  readonly admit: () => void;
  readonly refuse: (error: Error) => void;
}

export interface TransactionCounts {
  readonly running: number;
  readonly waiting: number;
  readonly limit: number;
}

export interface SessionPool {
  begin<T>(...parameters: [work: Work<T>] | [mode: string, work: Work<T>]): Promise<T>;
  beginFor<T>(group: string, work: Work<T>): Promise<T>;
  counts(): TransactionCounts;
  close(graceSeconds: number): Promise<void>;
}

/**
 * Connections for transactions: up to `max` sessions, each used by one transaction at a time and discarded when its
 * connection is lost, so that a transaction's statement never runs in another session than the one that began it.
 *
 * A group of transactions uses at most half of the sessions: those of one organization may wait for its lock, and must
 * not keep all others waiting. Of those that wait, the one whose group has the fewest sessions comes first.
 */
export function createSessionPool(settings: ConnectionSettings, max: number): SessionPool {
  const idle = new Set<Session>();
  const open = new Set<Session>();
  const waiting = new Set<Waiter>();
  const mostOfGroup = Math.ceil(max / 2);
  const admittedOfGroup = new Map<string, number>();
  let admitted = 0;
  let closed = false;

  function begin<T>(...parameters: [work: Work<T>] | [mode: string, work: Work<T>]): Promise<T> {
    const [mode, work] = parameters.length === 1 ? ['', parameters[0]] : parameters;
    return runAdmitted(null, mode, work);
  }

  async function runAdmitted<T>(group: string | null, mode: string, work: Work<T>): Promise<T> {
    await admission(group);
    try {
      const [kept] = idle;
      const session = kept ?? openSession();
      idle.delete(session);
      try {
        return await runTransaction(session, settings.begin(mode), work);
      } finally {
        if (!session.lost && !closed) idle.add(session);
        else void discard(session, 0);
      }
    } finally {
      count(group, -1);
      nextWaiter()?.admit();
    }
  }

  function admittedOf(group: string | null): number {
    return group === null ? 0 : (admittedOfGroup.get(group) ?? 0);
  }

  function count(group: string | null, change: 1 | -1): void {
    admitted += change;
    if (group === null) return;
    const next = admittedOf(group) + change;
    if (next === 0) admittedOfGroup.delete(group);
    else admittedOfGroup.set(group, next);
  }

  /** The first of those whose group has the fewest sessions. */
  function nextWaiter(): Waiter | undefined {
    let next: Waiter | undefined;
    for (const waiter of waiting) {
      const least = next === undefined ? mostOfGroup : admittedOf(next.group);
      if (admittedOf(waiter.group) < least) next = waiter;
    }
    return next;
  }

  /** Resolves when one of the `max` sessions is free for the group. */
  function admission(group: string | null): Promise<void> {
    if (closed) return Promise.reject(poolIsClosed());
    // While a session is free, only transactions of groups that have their share are waiting.
    if (admitted < max && admittedOf(group) < mostOfGroup) {
      count(group, 1);
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const leave = (action: () => void): void => {
        clearTimeout(timer);
        waiting.delete(waiter);
        action();
      };
      const waiter: Waiter = {
        group,
        admit: () => {
          leave(() => {
            count(group, 1);
            resolve();
          });
        },
        refuse: (error) => {
          leave(() => {
            reject(error);
          });
        },
      };
      const timer = setTimeout(() => {
        waiter.refuse(poolTimeout(settings.connectTimeoutMs));
      }, settings.connectTimeoutMs);
      waiting.add(waiter);
    });
  }

  function openSession(): Session {
    let rejectLoss: (error: Error) => void = () => undefined;
    const loss = new Promise<never>((_, reject) => (rejectLoss = reject));
    loss.catch(() => undefined); // An idle session that is lost may have no listener.
    const end = (): void => {
      if (session.lost) return;
      session.lost = true;
      rejectLoss(new DatabaseUnavailableError('CONNECTION_CLOSED', 'The connection to the database was lost'));
      void discard(session, 0);
    };
    const sql = settings.connect({ max: 1, onclose: end, onFailure: end, onSilence: end });
    const session: Session = { sql, lost: false, loss };
    open.add(session);
    return session;
  }

  async function discard(session: Session, graceSeconds: number): Promise<void> {
    idle.delete(session);
    open.delete(session);
    await session.sql.end({ timeout: graceSeconds });
  }

  return {
    begin,
    beginFor: (group, work) => runAdmitted(group, '', work),
    counts: () => ({ running: admitted, waiting: waiting.size, limit: max }),
    async close(graceSeconds) {
      closed = true;
      for (const waiter of waiting) waiter.refuse(poolIsClosed());
      await Promise.all([...open].map((session) => discard(session, graceSeconds)));
    },
  };
}

async function runTransaction<T>(session: Session, begin: string, work: Work<T>): Promise<T> {
  const scope = { over: false };
  try {
    await session.sql.unsafe(begin);
    const result = await Promise.race([work(guard(session, scope)), session.loss]);
    const { command } = await session.sql.unsafe('commit');
    // PostgreSQL answers COMMIT after a failed statement with ROLLBACK, not with an error.
    if (command !== 'COMMIT') throw new Error('The transaction was rolled back, because one of its statements failed');
    return result;
  } catch (error) {
    scope.over = true;
    // The server rolls back the transaction of a lost connection. A session that cannot roll back is discarded, too.
    if (!session.lost) await session.sql.unsafe('rollback').catch(() => (session.lost = true));
    // The next connection may reach a writable server.
    if (isReadOnly(error)) session.lost = true;
    throw error;
  } finally {
    scope.over = true;
  }
}

/** The session's statements, usable until the transaction ends or its connection is lost. */
function guard(session: Session, scope: { over: boolean }): Transaction {
  const check = (): void => {
    if (session.lost) {
      throw new DatabaseUnavailableError(
        'CONNECTION_CLOSED',
        'The connection was lost; the transaction is rolled back',
      );
    }
    if (scope.over) throw new Error('This transaction has ended; await its statements inside it');
  };
  const guarded: unknown = new Proxy(session.sql, {
    apply: (sql, _this, parameters: unknown[]) => {
      check();
      return traced(Reflect.apply(sql, undefined, parameters) as unknown, parameters[0]);
    },
    get: (sql, name) => {
      check();
      return name === 'savepoint' ? savepoint : member(sql, name);
    },
  });
  const transaction = guarded as Transaction; // The driver's statements, and `savepoint`, which the proxy provides.

  async function savepoint<T>(work: Work<T>): Promise<T> {
    check();
    await session.sql.unsafe('savepoint scope');
    const inner = { over: false };
    try {
      const result = await work(guard(session, inner));
      check();
      await session.sql.unsafe('release savepoint scope');
      return result;
    } catch (error) {
      if (!session.lost) await session.sql.unsafe('rollback to savepoint scope; release savepoint scope');
      throw error;
    } finally {
      inner.over = true;
    }
  }

  return transaction;
}

function poolTimeout(milliseconds: number): Error {
  return new DatabaseUnavailableError('POOL_TIMEOUT', `No database connection became free within ${milliseconds} ms`);
}

function poolIsClosed(): Error {
  return new DatabaseUnavailableError('CONNECTION_ENDED', 'The database was closed');
}
