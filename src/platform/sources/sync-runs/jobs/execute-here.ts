import { RunLimitError } from './limited-fetch.js';
import { runSyncJob, type JobDependencies } from './run-sync-job.js';
import type { ExecutionEnd, JobReport, SyncExecution, SyncJob } from './sync-job.js';

/** Starts a job in this process. */
export function executeHere(
  job: SyncJob,
  report: JobReport,
  dependencies: Omit<JobDependencies, 'signal'>,
): SyncExecution {
  const stop = new AbortController();
  const run = async (): Promise<ExecutionEnd> => {
    try {
      await runSyncJob(job, { ...dependencies, signal: stop.signal }, report);
      return { kind: 'finished' };
    } catch (error) {
      if (stop.signal.aborted) return { kind: 'stopped' };
      if (error instanceof RunLimitError) return { kind: 'exhausted', reason: error.message };
      return { kind: 'died', reason: error instanceof Error ? (error.stack ?? error.message) : String(error) };
    }
  };
  const abort = (): void => {
    stop.abort();
  };
  return { ended: run(), stop: abort, kill: abort };
}
