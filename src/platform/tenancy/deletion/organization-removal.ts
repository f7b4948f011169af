import type { Log } from '@plumbline/contract/contract-types';
import type { DatabaseSql } from '../../../database/connection.js';
import type { Clock } from '../../clock.js';
import { startRounds, type Rounds } from '../../server/rounds.js';
import type { StoreTasks } from '../../sources/store-tasks/store-tasks.js';
import { beginRemoval, removeNextPart, selectDueDeletions, selectEmptiedOrganizations } from './removal.store.js';

const pollMs = 60_000;
/** Organizations of one round. */
const most = 10;

/**
 * Starts to remove organizations whose deletion is due, in the background. Several servers can work on one database;
 * each step of a removal is done by one of them. A store task removes the records and work units.
 */
export function startOrganizationRemoval(options: {
  readonly sql: DatabaseSql;
  readonly clock: Clock;
  readonly log: Log;
  readonly storeTasks: Pick<StoreTasks, 'wake'>;
}): Rounds {
  const { sql, clock, log, storeTasks } = options;
  const rounds = startRounds({
    pollMs,
    round: async (again, isStopped) => {
      for (const orgId of await selectDueDeletions(sql, clock.now(), most)) {
        if (isStopped()) return;
        if (!(await beginRemoval(sql, orgId, clock.now()))) continue;
        log.info({ org_id: orgId }, 'the removal of an organization begins');
        storeTasks.wake();
      }
      for (const orgId of await selectEmptiedOrganizations(sql, most)) {
        if (isStopped()) return;
        if (await removeNextPart(sql, orgId, clock.now())) again();
      }
    },
    failed: (error) => {
      log.warn({ err: error }, 'organizations cannot be removed; will retry');
    },
  });
  rounds.wake();
  return rounds;
}
