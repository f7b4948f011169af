import type { JSX } from 'preact';
import { Moment } from '../ui/moment.js';
import type { SyncConfig } from './sync-form.js';

/** When the schedule of a sync starts the next run, and how many failures delay it; nothing without a schedule. */
export function NextRun({ config }: { config: SyncConfig }): JSX.Element | null {
  const { next_run_at: at, failed_runs: failed } = config;
  if (at === null) return null;
  return failed === 0 ? (
    <>
      Next run <Moment at={at} />
    </>
  ) : (
    <>
      {failed === 1 ? 'The last run' : `The last ${failed} runs`} failed, so the next one waits until <Moment at={at} />
    </>
  );
}
