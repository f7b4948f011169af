/** Stores groups and who is in them. */
import type { Sql } from '../../../database/connection.js';
import { recordAudit } from '../../tenancy/audit/audit.store.js';
import { lockOrganization } from '../../tenancy/organizations/members.store.js';
import { lockUsers } from '../accounts/accounts.store.js';
import type { GroupDraft } from './group-attributes.js';
import { applyGroupRoles, type RoleChange } from './group-roles.js';
import {
  addGroupMembers,
  findGroup,
  isGroupNameTaken,
  removeGroupMembers,
  selectGroupMembers,
  updateGroup,
  type GroupRow,
} from './groups.store.js';
import { deleteFormerPeople, selectAccounts, storeMembers } from './people.store.js';
import type { Provisioning } from './provisioning.js';
import { invalidRequest, isId, taken, type Checked } from './refusals.js';
import type { ScimRequestInvalid, ScimResourceExists } from '../../../../generated/problems.js';

/** A group with the ids of its users. */
export interface HeldGroup {
  readonly group: GroupRow;
  readonly members: ReadonlySet<string>;
}

/**
 * Locks the organization, and before that the accounts whose roles the change may change. Former members leave the
 * group, so that their names are free for those who are added.
 */
export async function lockGroup(
  sql: Sql,
  orgId: string,
  id: string,
  added: readonly string[] = [],
): Promise<HeldGroup | null> {
  if (!isId(id)) return null;
  const seen = await selectGroupMembers(sql, orgId, [id]);
  const people = [...seen.map((member) => member.person_id), ...added];
  await lockUsers(sql, await selectAccounts(sql, orgId, people));
  await lockOrganization(sql, orgId);
  await deleteFormerPeople(sql, orgId);
  const group = await findGroup(sql, orgId, id);
  if (group === null) return null;
  const members = await selectGroupMembers(sql, orgId, [id]);
  return { group, members: new Set(members.map((member) => member.person_id)) };
}

/** Stores the attributes and members of a group that is locked. */
export async function storeGroup(
  sql: Sql,
  { group, members }: HeldGroup,
  draft: GroupDraft,
  provisioning: Provisioning,
): Promise<Checked<null, ScimRequestInvalid | ScimResourceExists>> {
  const { orgId, now, actor, context } = provisioning;
  const { displayName, externalId } = draft;
  if (displayName === null) return invalidRequest('invalidValue', 'displayName is required.');
  if (await isGroupNameTaken(sql, orgId, group.id, displayName)) return { refusal: taken('group', 'displayName') };
  const added = [...draft.members].filter((id) => !members.has(id));
  const unknown = await storeMembers(sql, orgId, added);
  if (unknown !== null) return invalidRequest('invalidValue', `The organization has no user ${unknown}.`);
  const removed = [...members].filter((id) => !draft.members.has(id));
  const isRenamed = displayName !== group.display_name || externalId !== group.external_id;
  if (!isRenamed && added.length + removed.length === 0) return { value: null };
  await updateGroup(sql, group.id, { displayName, externalId }, now);
  await changeGroupMembers(sql, group, { added, removed }, provisioning);
  const note = `${added.length} added, ${removed.length} removed`;
  const record = { action: 'UPDATE', resourceKind: 'SCIM_GROUP', resourceId: group.id, orgId, note } as const;
  await recordAudit(sql, context, now, { ...record, ...actor });
  return { value: null };
}

/** Adds and removes users, and gives them the roles of their groups. */
export async function changeGroupMembers(
  sql: Sql,
  { id, role }: Pick<GroupRow, 'id' | 'role'>,
  { added, removed }: { readonly added: readonly string[]; readonly removed: readonly string[] },
  change: RoleChange,
): Promise<void> {
  await addGroupMembers(sql, change.orgId, id, added);
  await removeGroupMembers(sql, id, removed);
  if (role !== null) await applyGroupRoles(sql, [...added, ...removed], change);
}
