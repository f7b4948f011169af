import type { Sql } from '../../../database/connection.js';
import type { PlatformDependencies } from '../../dependencies.js';

/**
 * Whether an earlier attempt of this request created the team, and the server was killed before it stored the reply.
 *
 * No other request can have created it: the attempt announced its write after it had seen that there was no such team,
 * and every later change of the team over the API is in the audit log. Imports on the command line are not in it.
 */
export async function isOfLostAttempt(
  { sql, attempt }: Pick<PlatformDependencies, 'sql' | 'attempt'>,
  orgId: string,
  teamId: string,
): Promise<boolean> {
  const announcedAt = await attempt?.announcedAt();
  if (announcedAt === undefined || announcedAt === null) return false;
  return !(await wasChangedSince(sql, { orgId, teamId, since: announcedAt }));
}

interface Change {
  readonly orgId: string;
  readonly teamId: string;
  readonly since: Date;
}

async function wasChangedSince(sql: Sql, { orgId, teamId, since }: Change): Promise<boolean> {
  const found = await sql`
    select from audit_log
    where org_id = ${orgId} and at >= ${since} and resource_kind = 'TEAM'
      and (resource_id = ${teamId} or action = 'TEAMS_IMPORTED')
    limit 1`;
  return found.length > 0;
}
