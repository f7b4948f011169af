import type { Random } from '../../surroundings.js';
import { takeDueRuns } from './sync-jobs.store.js';
import { workOn, type RunInWork, type WorkOptions } from './work.js';

/** Does the sync runs of the queue, in the background. */
export interface SyncJobs {
  /** Looks into the queue soon: called after a transaction that put a run there. */
  wake(): void;
  /** Looks soon whether this run still is to be done: called after a transaction that cancelled it. */
  recheck(runId: string): void;
  /** Takes nothing up any more, lets each run finish its page, and puts it back for whoever goes on. */
  stop(deadlineMs: number): Promise<void>;
}

export interface SyncJobsOptions extends WorkOptions {
  readonly random: Random;
  /** Most runs at a time; 0: none is ever taken up. */
  readonly limit: number;
}

const pollMs = 2000;
/** Many heartbeats long, so that a slow database gives nobody up for dead. */
const silenceSeconds = 30;

/**
 * Starts to take up runs. Any number of servers do so on one database. A run is a row, taken under a lock and kept by
 * heartbeats: when its worker dies, another one goes on where the last stored page ends.
 */
export function startSyncJobs(options: SyncJobsOptions): SyncJobs {
  const { sql, clock, random, log, limit } = options;
  const inWork = new Map<string, RunInWork>();
  let looking: Promise<void> | null = null;
  let asked = false;
  let stopped = false;

  const look = async (): Promise<void> => {
    try {
      while (asked && !stopped && inWork.size < limit) {
        asked = false;
        const worker = random.uuid();
        const runs = await takeDueRuns(sql, worker, clock.now(), { silenceSeconds, limit: limit - inWork.size });
        for (const run of runs) begin(run.id, workOn(run, worker, options));
      }
    } finally {
      looking = null; // in the same step as the last look at `asked`, so that no request falls between
    }
  };
  const begin = (runId: string, run: RunInWork): void => {
    inWork.set(runId, run);
    if (stopped) run.stop(); // it was being taken up when the server was told to stop
    const leave = (): void => {
      inWork.delete(runId);
      attempt(); // there is room for another
    };
    run.done.then(leave, (error: unknown) => {
      log.error({ err: error, run_id: runId }, 'a sync run was left by a fault; it is taken up again');
      leave();
    });
  };
  const attempt = (): void => {
    if (stopped || inWork.size >= limit) return; // whoever leaves looks again
    asked = true;
    looking ??= look();
    looking.catch((error: unknown) => {
      log.warn({ err: error }, 'the sync runs cannot be read for now');
    });
  };
  const timer = setInterval(attempt, pollMs);
  timer.unref();
  attempt();

  return {
    wake: () => setImmediate(attempt),
    recheck: (runId) => inWork.get(runId)?.recheck(),
    stop: async (deadlineMs) => {
      stopped = true;
      clearInterval(timer);
      const deadline = setTimeout(() => {
        for (const run of inWork.values()) run.kill();
      }, deadlineMs);
      await looking?.catch(() => undefined); // what went wrong was logged by whoever started it
      for (const run of inWork.values()) run.stop();
      await Promise.allSettled([...inWork.values()].map((run) => run.done)); // likewise
      clearTimeout(deadline);
    },
  };
}

/**
 * Works on one run, if it is due, and on no other: for a command that does not serve.
 *
 * @returns null: it is not due, or another worker's
 */
export async function workOnRun(
  runId: string,
  options: WorkOptions & { readonly random: Random },
): Promise<RunInWork | null> {
  const worker = options.random.uuid();
  const [run] = await takeDueRuns(options.sql, worker, options.clock.now(), { silenceSeconds, limit: 1, runId });
  return run === undefined ? null : workOn(run, worker, options);
}
