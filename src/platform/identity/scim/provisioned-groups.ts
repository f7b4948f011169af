/** What an admin lets the groups of the identity provider mean. */
import type {
  ListProvisionedGroupsHandler,
  Schemas,
  UpdateProvisionedGroupHandler,
  UpdateProvisionedGroupReply,
} from '../../../../generated/platform/operations.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { replyWithPage } from '../../server/paging.js';
import { recordAudit } from '../../tenancy/audit/audit.store.js';
import { refuseFormerAdmin } from '../../tenancy/organizations/member-to-manage.js';
import { refusalOfUnknownTeams } from '../../tenancy/teams/stored-teams.js';
import { actorOf } from '../accounts/actor.js';
import { refusalOfOldSession } from '../mfa/fresh-proof.js';
import { lockGroup } from './change-group.js';
import { applyGroupRoles } from './group-roles.js';
import { updateTeamOf } from './group-teams.js';
import { findGroup, selectProvisionedGroups, updateMapping, type GroupRow } from './groups.store.js';
import { noSuch } from './refusals.js';

export const listProvisionedGroups: ListProvisionedGroupsHandler<PlatformDependencies> = (
  { query, principal },
  { sql },
) =>
  replyWithPage(query, {
    select: (position, limit) => selectProvisionedGroups(sql, principal.org_id, position, limit),
    positionOf: (row) => ({ at: row.created_at, id: row.id }),
    itemOf: (row) => provisionedGroup(row, row.member_count),
  });

export const updateProvisionedGroup: UpdateProvisionedGroupHandler<PlatformDependencies> = async (
  request,
  dependencies,
) => {
  const { body, principal, context } = request;
  const { sql, clock } = dependencies;
  const { org_id: orgId } = principal;
  const id = request.params.scim_group_id.toLowerCase();
  const now = clock.now();
  const { role, team_id: teamId } = body;
  const stale = await refusalOfOldSession(sql, principal, now, 'organization');
  if (stale !== null) return stale;
  const before = await findGroup(sql, orgId, id);
  if (before === null) return noSuch('group');
  const unknown =
    teamId === null ? null : await refusalOfUnknownTeams(dependencies, orgId, { '/body/team_id': teamId });
  if (unknown !== null) return unknown;
  if (before.team_id !== teamId) await updateTeamOf(id, request, dependencies, 'release');
  const reply = await sql.beginFor(orgId, async (transaction): Promise<UpdateProvisionedGroupReply> => {
    const held = await lockGroup(transaction, orgId, id);
    const refusal = await refuseFormerAdmin(transaction, principal);
    if (refusal !== null) return refusal;
    if (held === null) return noSuch('group');
    await updateMapping(transaction, id, { role, teamId });
    const actor = actorOf(principal);
    const note = `role ${role ?? 'none'}, team ${teamId ?? 'none'}`;
    const record = { action: 'UPDATE', resourceKind: 'SCIM_GROUP', resourceId: id, orgId, note } as const;
    await recordAudit(transaction, context, now, { ...record, ...actor });
    if (held.group.role !== role) await applyGroupRoles(transaction, [...held.members], { orgId, now, actor, context });
    return { status: 200, body: provisionedGroup({ ...held.group, role, team_id: teamId }, held.members.size) };
  });
  if (reply.status === 200) await updateTeamOf(id, request, dependencies);
  return reply;
};

/** The contract's `ProvisionedGroup`. */
function provisionedGroup(
  { id, display_name, role, team_id, created_at }: GroupRow,
  memberCount: number,
): Schemas['ProvisionedGroup'] {
  return { id, display_name, member_count: memberCount, role, team_id, created_at: created_at.toISOString() };
}
