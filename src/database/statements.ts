import type { ConnectionSettings } from './driver.js';
import type { Log } from './log.js';

type Pool = ReturnType<ConnectionSettings['connect']>;

export interface StatementPool {
  /** The pool that a new statement goes to. */
  current(): Pool;
  close(graceSeconds: number): Promise<void>;
}

/** What waits for a pool that has lost a connection, or runs on its other connections, gets this long to end. */
const GRACE_AFTER_LOSS_SECONDS = 5;
/** Where no connection can be made, statements would wait in vain; the moment is for those already under way. */
const GRACE_AFTER_FAILURE_SECONDS = 0.25;

/**
 * Connections for single statements: the driver's pool, replaced as a whole when one of its connections is lost or
 * cannot be made. So no lost connection is used again, and no statement waits longer than the grace for a server that
 * is away. A pool costs nothing until it is used, so it may be replaced at every attempt while an outage lasts.
 */
export function createStatementPool(settings: ConnectionSettings, max: number, logger: Log): StatementPool {
  const retired = new Set<Promise<void>>();
  let closing = false;
  let pool = open();

  function open(): Pool {
    const opened: Pool = settings.connect({
      max,
      onclose: () => {
        retire(opened, GRACE_AFTER_LOSS_SECONDS);
      },
      onFailure: () => {
        retire(opened, GRACE_AFTER_FAILURE_SECONDS);
      },
    });
    return opened;
  }

  function retire(lost: Pool, graceSeconds: number): void {
    if (lost !== pool || closing) return;
    logger.debug({ graceSeconds }, 'A database connection was lost; further statements get new ones');
    pool = open();
    const end = lost.end({ timeout: graceSeconds }).finally(() => retired.delete(end));
    retired.add(end);
  }

  return {
    current: () => pool,
    async close(graceSeconds) {
      closing = true;
      await Promise.all([pool.end({ timeout: graceSeconds }), ...retired]);
    },
  };
}
