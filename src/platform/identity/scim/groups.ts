import type {
  CreateScimGroupHandler,
  CreateScimGroupReply,
  DeleteScimGroupHandler,
  GetScimGroupHandler,
  ListScimGroupsHandler,
  ReplaceScimGroupHandler,
  ReplaceScimGroupReply,
  Schemas,
  UpdateScimGroupHandler,
} from '../../../../generated/platform/operations.js';
import type { Sql } from '../../../database/connection.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { recordAudit } from '../../tenancy/audit/audit.store.js';
import { lockOrganization } from '../../tenancy/organizations/members.store.js';
import { changeGroupMembers, lockGroup, storeGroup, type HeldGroup } from './change-group.js';
import { filterCondition } from './filter-condition.js';
import { patchGroup, readGroup, type GroupDraft } from './group-attributes.js';
import { groupColumns } from './group-filter.js';
import { groupResource } from './group-resource.js';
import { updateTeamOf } from './group-teams.js';
import {
  addGroupMembers,
  countGroups,
  deleteGroupRow,
  findGroup,
  insertGroup,
  isGroupNameTaken,
  selectGroupMembers,
  selectGroups,
} from './groups.store.js';
import { listOf, pageOf, pageWithReferences, selectedReferences } from './paging.js';
import { deleteFormerPeople, storeMembers } from './people.store.js';
import { readPatch } from './patch-operations.js';
import { projected, wants } from './projection.js';
import { provisioningOf, type Provisioning } from './provisioning.js';
import { invalidRequest, isId, noSuch, taken, type Checked } from './refusals.js';

const mostGroups = 1000;

export const listScimGroups: ListScimGroupsHandler<PlatformDependencies> = async (
  { query, principal },
  { sql, appBaseUrl },
) => {
  const { org_id: orgId } = principal;
  const condition = filterCondition(sql, orgId, groupColumns, query.filter);
  if ('refusal' in condition) return condition.refusal;
  const { offset, limit } = pageOf(query.startIndex, query.count);
  const { rows, total } = await selectGroups(sql, orgId, condition.value, { offset, limit });
  const ids = wants(query, 'members') ? rows.map(({ id }) => id) : [];
  const members = await selectGroupMembers(sql, orgId, ids, selectedReferences);
  const page = pageWithReferences(rows, members, (member) => member.group_id);
  const resources = page.map(([row, ofGroup]) => projected(groupResource(row, ofGroup, appBaseUrl()), query));
  return { status: 200, body: listOf(resources, offset, total) };
};

export const getScimGroup: GetScimGroupHandler<PlatformDependencies> = async (
  { params: { scim_group_id: id }, query, principal },
  { sql, appBaseUrl },
) => {
  const { org_id: orgId } = principal;
  const group = isId(id) ? await findGroup(sql, orgId, id) : null;
  if (group === null) return noSuch('group');
  const members = wants(query, 'members') ? await selectGroupMembers(sql, orgId, [group.id]) : [];
  return { status: 200, body: projected(groupResource(group, members, appBaseUrl()), query) };
};

export const createScimGroup: CreateScimGroupHandler<PlatformDependencies> = async (
  { body, principal, context },
  { sql, clock, appBaseUrl },
) => {
  const read = readGroup(body);
  if ('refusal' in read) return read.refusal;
  const { displayName, externalId, members } = read.value;
  if (displayName === null) return invalidRequest('invalidValue', 'displayName is required.').refusal;
  const provisioning = provisioningOf(principal, context, clock.now());
  const { orgId, now, actor } = provisioning;
  return sql.beginFor(orgId, async (transaction): Promise<CreateScimGroupReply> => {
    await lockOrganization(transaction, orgId);
    await deleteFormerPeople(transaction, orgId);
    if (await isGroupNameTaken(transaction, orgId, null, displayName)) return taken('group', 'displayName');
    if ((await countGroups(transaction, orgId)) >= mostGroups) {
      return invalidRequest('tooMany', `An organization has at most ${mostGroups} groups.`).refusal;
    }
    const unknown = await storeMembers(transaction, orgId, [...members]);
    if (unknown !== null) return invalidRequest('invalidValue', `The organization has no user ${unknown}.`).refusal;
    const id = await insertGroup(transaction, orgId, { displayName, externalId }, now);
    await addGroupMembers(transaction, orgId, id, [...members]);
    const record = { action: 'CREATE', resourceKind: 'SCIM_GROUP', resourceId: id, orgId, ...actor } as const;
    await recordAudit(transaction, context, now, { ...record, note: displayName });
    const group = await findGroup(transaction, orgId, id);
    if (group === null) throw new Error('A group is gone in the transaction that created it');
    const resource = groupResource(group, await selectGroupMembers(transaction, orgId, [id]), appBaseUrl());
    return { status: 201, headers: { Location: resource.meta?.location ?? '' }, body: resource };
  });
};

export const replaceScimGroup: ReplaceScimGroupHandler<PlatformDependencies> = (request, dependencies) => {
  const read = readGroup(request.body);
  if ('refusal' in read) return read.refusal;
  return changeGroup(request.params.scim_group_id, request, dependencies, [...read.value.members], () => read);
};

export const updateScimGroup: UpdateScimGroupHandler<PlatformDependencies> = (request, dependencies) => {
  const read = readPatch(request.body);
  if ('refusal' in read) return read.refusal;
  const empty: GroupDraft = { displayName: null, externalId: null, members: new Set() };
  // The users whom the operations name, whatever they do with them.
  const adding = read.value.filter(({ op }) => op !== 'remove');
  const named = patchGroup(
    empty,
    adding.map((each) => ({ ...each, op: 'add' })),
  );
  if ('refusal' in named) return named.refusal;
  return changeGroup(request.params.scim_group_id, request, dependencies, [...empty.members], (held) =>
    patchGroup(draftOf(held), read.value),
  );
};

function draftOf({ group, members }: HeldGroup): GroupDraft {
  return { displayName: group.display_name, externalId: group.external_id, members: new Set(members) };
}

interface ChangingRequest {
  readonly principal: Schemas['ServiceTokenPrincipal'];
  readonly context: Provisioning['context'];
}

/** @param named the ids of users who may be added. @param change the attributes after the change */
async function changeGroup(
  id: string,
  request: ChangingRequest,
  dependencies: PlatformDependencies,
  named: readonly string[],
  change: (held: HeldGroup) => Checked<GroupDraft>,
): Promise<ReplaceScimGroupReply> {
  const { sql, clock, appBaseUrl } = dependencies;
  const provisioning = provisioningOf(request.principal, request.context, clock.now());
  const { orgId } = provisioning;
  const reply = await sql.beginFor(orgId, async (transaction): Promise<ReplaceScimGroupReply> => {
    const held = await lockGroup(transaction, orgId, id, named);
    if (held === null) return noSuch('group');
    const draft = change(held);
    if ('refusal' in draft) return draft.refusal;
    const stored = await storeGroup(transaction, held, draft.value, provisioning);
    if ('refusal' in stored) return stored.refusal;
    const group = await findGroup(transaction, orgId, id);
    if (group === null) return noSuch('group');
    const members = await selectGroupMembers(transaction, orgId, [id]);
    return { status: 200, body: groupResource(group, members, appBaseUrl()) };
  });
  if (reply.status === 200) await updateTeamOf(id, request, dependencies);
  return reply;
}

export const deleteScimGroup: DeleteScimGroupHandler<PlatformDependencies> = async (request, dependencies) => {
  const { sql, clock } = dependencies;
  const { scim_group_id: id } = request.params;
  const provisioning = provisioningOf(request.principal, request.context, clock.now());
  const { orgId, now, actor, context } = provisioning;
  const removeMembers = async (transaction: Sql): Promise<boolean> => {
    const held = await lockGroup(transaction, orgId, id);
    if (held === null) return false;
    await changeGroupMembers(transaction, held.group, { added: [], removed: [...held.members] }, provisioning);
    return true;
  };
  if (!(await sql.beginFor(orgId, removeMembers))) return noSuch('group');
  await updateTeamOf(id, request, dependencies, 'release');
  await sql.beginFor(orgId, async (transaction) => {
    // Another request may have added users since, or deleted the group.
    if (!(await removeMembers(transaction))) return;
    await deleteGroupRow(transaction, id);
    const record = { action: 'DELETE', resourceKind: 'SCIM_GROUP', resourceId: id, orgId, ...actor } as const;
    await recordAudit(transaction, context, now, record);
  });
  return { status: 204 };
};
