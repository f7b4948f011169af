import type { ConnectionSettings } from './driver.js';
import type { Log } from './log.js';

type Pool = ReturnType<ConnectionSettings['connect']>;

export interface StatementPool {
  /** The pool that a new statement goes to. */
  current(): Pool;
  close(graceSeconds: number): Promise<void>;
}

/** The grace period for statements of a pool that has lost a connection. */
const GRACE_AFTER_LOSS_SECONDS = 5;
/** If no connection can be opened, waiting statements cannot succeed; this short grace period is for running ones. */
const GRACE_AFTER_FAILURE_SECONDS = 0.25;

/**
 * Connections for single statements: the driver's pool, which is replaced when one of its connections is lost or cannot
 * be opened. So lost connections are never reused, and no statement waits longer than the grace period for an
 * unavailable server. An unused pool costs nothing, so it may be replaced at every attempt during an outage.
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
      onSilence: () => {
        retire(opened, GRACE_AFTER_LOSS_SECONDS);
      },
      // Behind a load balancer, the next connection may reach the primary. This connection could stay read-only for
      // long.
      onStandby: () => {
        retire(opened, GRACE_AFTER_LOSS_SECONDS);
      },
    });
    return opened;
  }

  function retire(lost: Pool, graceSeconds: number): void {
    if (lost !== pool || closing) return;
    logger.debug({ graceSeconds }, 'A database connection was lost; new statements use new connections');
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
