import type {
  AssignTeamsHandler,
  GetTeamAssignmentHandler,
  Schemas,
} from '../../../../generated/platform/operations.js';
import type { Sql } from '../../../database/connection.js';
import { actorOf } from '../../identity/accounts/actor.js';
import { recordAudit } from '../audit/audit.store.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { findTask } from '../../sources/store-tasks/store-tasks.store.js';
import { requestAssignment } from './stored-teams.js';

export const getTeamAssignment: GetTeamAssignmentHandler<PlatformDependencies> = async ({ principal }, { sql }) => ({
  status: 200,
  body: await assignmentOf(sql, principal.org_id),
});

export const assignTeams: AssignTeamsHandler<PlatformDependencies> = async (
  { principal, context },
  { sql, clock, storeTasks },
) => {
  const now = clock.now();
  const { org_id: orgId } = principal;
  const actor = actorOf(principal);
  const body = await sql.begin(async (transaction) => {
    await requestAssignment(transaction, orgId, now);
    await recordAudit(transaction, context, now, { action: 'TEAMS_ASSIGNED', resourceKind: 'TEAM', orgId, ...actor });
    return assignmentOf(transaction, orgId);
  });
  storeTasks.wake();
  return { status: 202, body };
};

/** Finished tasks are deleted. */
async function assignmentOf(sql: Sql, orgId: string): Promise<Schemas['TeamAssignment']> {
  const task = await findTask(sql, orgId, 'assign_teams');
  if (task === null) return { state: 'done', error: null };
  return { state: task.error === null ? 'assigning' : 'failing', error: task.error };
}
