import type { Random } from '../../../random.js';
import { queueRequestedSyncs } from '../queue-requested-syncs.js';
import { takeDueRuns } from './sync-jobs.store.js';
import { workOn, type RunInWork, type WorkOptions } from './work.js';

/** Runs the sync runs of the queue, in the background. */
export interface SyncJobs {
  /** Checks the queue soon. Call it after a transaction that added a run. */
  wake(): void;
  /** Checks soon whether this run must continue. Call it after a transaction that cancelled it. */
  recheck(runId: string): void;
  /** Stops taking runs, lets each current run finish its page, and puts it back for another server. */
  stop(deadlineMs: number): Promise<void>;
}

export interface SyncJobsOptions extends WorkOptions {
  readonly random: Random;
  /** The maximum number of concurrent runs; 0: none. */
  readonly limit: number;
  /** The maximum number of pending and running runs of an organization. */
  readonly runsPerOrganization: number;
}

const pollMs = 2000;
/** Many heartbeats, so that a slow database does not make a worker look dead. */
const silenceSeconds = 30;

/**
 * Starts taking runs. Several servers can work on one database. A run is a row, taken under a lock and kept by
 * heartbeats. When its worker dies, another one resumes after the last stored page.
 */
export function startSyncJobs(options: SyncJobsOptions): SyncJobs {
  const { sql, clock, random, log, limit, runsPerOrganization } = options;
  const inWork = new Map<string, RunInWork>();
  let looking: Promise<void> | null = null;
  let asked = false;
  let stopped = false;

  const look = async (): Promise<void> => {
    try {
      while (asked && !stopped && inWork.size < limit) {
        asked = false;
        const worker = random.uuid();
        await queueRequestedSyncs(sql, clock.now(), runsPerOrganization, log);
        const runs = await takeDueRuns(sql, worker, clock.now(), { silenceSeconds, limit: limit - inWork.size });
        for (const run of runs) begin(run.id, workOn(run, worker, options));
      }
    } finally {
      looking = null; // synchronously after the last check of `asked`, so that no request is missed
    }
  };
  const begin = (runId: string, run: RunInWork): void => {
    inWork.set(runId, run);
    if (stopped) run.stop(); // the server was asked to stop while the run was being taken
    const leave = (): void => {
      inWork.delete(runId);
      attempt(); // there is capacity for another
    };
    run.done.then(leave, (error: unknown) => {
      log.error({ err: error, run_id: runId }, 'a sync run failed unexpectedly; will retry');
      leave();
    });
  };
  const attempt = (): void => {
    if (stopped || inWork.size >= limit) return; // a finishing run checks again
    asked = true;
    looking ??= look();
    looking.catch((error: unknown) => {
      log.warn({ err: error }, 'the sync runs cannot be read; will retry');
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
      await looking?.catch(() => undefined); // failures were logged by the code that started it
      for (const run of inWork.values()) run.stop();
      await Promise.allSettled([...inWork.values()].map((run) => run.done)); // as above
      clearTimeout(deadline);
    },
  };
}

/**
 * Runs one run, if it is due. For a command without a server.
 * @returns null when it is not due, or belongs to another worker
 */
export async function workOnRun(
  runId: string,
  options: WorkOptions & { readonly random: Random },
): Promise<RunInWork | null> {
  const worker = options.random.uuid();
  const [run] = await takeDueRuns(options.sql, worker, options.clock.now(), { silenceSeconds, limit: 1, runId });
  return run === undefined ? null : workOn(run, worker, options);
}
