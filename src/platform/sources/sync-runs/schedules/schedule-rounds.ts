import type { Log } from '@plumbline/contract/contract-types';
import type { DatabaseSql } from '../../../../database/connection.js';
import type { Clock } from '../../../clock.js';
import { startRounds, type Rounds } from '../../../server/rounds.js';
import type { SyncJobs } from '../jobs/sync-jobs.js';
import { selectDueConfigs, startDueRun, type ScheduledStart } from './schedules.store.js';

const pollMs = 10_000;
/** Configurations of one round. */
const most = 100;

export interface ScheduleOptions {
  readonly sql: DatabaseSql;
  readonly clock: Clock;
  readonly log: Log;
  readonly syncJobs: Pick<SyncJobs, 'wake'>;
  /** False: this server starts no runs by schedule. */
  readonly isWorking: boolean;
  /** The maximum number of pending and running runs of an organization. */
  readonly runsPerOrganization: number;
  /** Called for each configuration that was due here. */
  readonly observed: (outcome: ScheduledStart['outcome']) => void;
}

/** Starts to queue the runs of schedules, in the background. Of the servers of one database, one queues each. */
export function startSyncSchedules(options: ScheduleOptions): Rounds {
  const { sql, clock, log, syncJobs, isWorking, runsPerOrganization, observed } = options;
  const rounds = startRounds({
    pollMs,
    round: async (again, isStopped) => {
      if (!isWorking) return;
      const due = await selectDueConfigs(sql, clock.now(), most);
      let done = 0;
      for (const config of due) {
        if (isStopped()) return;
        const fields = { org_id: config.org_id, sync_config_id: config.id };
        try {
          const start = await startDueRun(sql, config, runsPerOrganization, clock.now());
          if (start === null) continue;
          done += 1;
          observed(start.outcome);
          if (start.outcome === 'started') syncJobs.wake();
          log.info({ ...fields, ...(start.outcome === 'started' && { run_id: start.runId }) }, said[start.outcome]);
        } catch (error) {
          log.warn({ ...fields, err: error }, 'a scheduled sync run cannot be queued; will retry'); // the others go on
        }
      }
      if (done > 0 && due.length === most) again();
    },
    failed: (error) => {
      log.warn({ err: error }, 'the schedules of syncs cannot be read; will retry');
    },
  });
  rounds.wake();
  return rounds;
}

const said: Readonly<Record<ScheduledStart['outcome'], string>> = {
  started: 'sync run queued by its schedule',
  skipped: 'sync run of a schedule skipped: one is pending or running',
  postponed: 'sync run of a schedule postponed: the organization has the maximum number of runs',
  corrected: 'the next time of a schedule is computed again: it was computed in the future',
};
