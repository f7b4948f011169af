import { isDeepStrictEqual } from 'node:util';
import type {
  ReplaceScimUserHandler,
  ReplaceScimUserReply,
  Schemas,
  UpdateScimUserHandler,
} from '../../../../generated/platform/operations.js';
import type { LastOwner, RecoveryOwner } from '../../../../generated/problems.js';
import type { Sql } from '../../../database/connection.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { recordAudit } from '../../tenancy/audit/audit.store.js';
import { releaseLeavers } from '../../tenancy/teams/release-leavers.js';
import { roleOfGroups } from './group-roles.js';
import { selectGroupsOf } from './groups.store.js';
import { lockPerson } from './lock-person.js';
import { endAccess, giveAccess } from './membership.js';
import { readPatch } from './patch-operations.js';
import {
  deleteFormerPeople,
  findPerson,
  findTaken,
  storeMembers,
  updatePerson,
  type PersonRow,
} from './people.store.js';
import { provisioningOf, type Provisioning } from './provisioning.js';
import { noSuch, taken, type Checked } from './refusals.js';
import { checkUser, readUser, type UserAttributes, type UserDraft } from './user-attributes.js';
import { draftOf, patchUser } from './user-patch.js';
import { userResource } from './user-resource.js';

export const replaceScimUser: ReplaceScimUserHandler<PlatformDependencies> = (request, dependencies) =>
  changeUser(request.params.scim_user_id, request, dependencies, () => readUser(request.body));

export const updateScimUser: UpdateScimUserHandler<PlatformDependencies> = (request, dependencies) => {
  const read = readPatch(request.body);
  if ('refusal' in read) return read.refusal;
  return changeUser(request.params.scim_user_id, request, dependencies, (person) => patchUser(person, read.value));
};

interface ChangingRequest {
  readonly principal: Schemas['ServiceTokenPrincipal'];
  readonly context: Provisioning['context'];
}

/** Changes a user in one transaction. @param change the attributes after the change */
async function changeUser(
  id: string,
  request: ChangingRequest,
  dependencies: PlatformDependencies,
  change: (person: PersonRow) => Checked<UserDraft>,
): Promise<ReplaceScimUserReply> {
  const { sql, clock, appBaseUrl } = dependencies;
  const provisioning = provisioningOf(request.principal, request.context, clock.now());
  const { orgId } = provisioning;
  const moved = { isTrue: false };
  const reply = await sql.beginFor(orgId, async (transaction): Promise<ReplaceScimUserReply> => {
    const person = await lockPerson(transaction, orgId, id);
    if (person === null) return noSuch('user');
    await deleteFormerPeople(transaction, orgId);
    const draft = change(person);
    const checked = 'refusal' in draft ? draft : checkUser(draft.value, person.active);
    if ('refusal' in checked) return checked.refusal;
    const attributes = checked.value;
    const conflict = await findTaken(transaction, orgId, person.id, attributes);
    if (conflict !== null) return taken('user', conflict);
    if (!isDeepStrictEqual({ ...draftOf(person) }, attributes)) {
      const refusal = await store(transaction, person, attributes, provisioning, dependencies);
      if (refusal !== null) return refusal;
    }
    const row = await findPerson(transaction, orgId, person.id);
    if (row === null) return noSuch('user');
    moved.isTrue = row.active !== person.active || row.email !== person.email;
    const groups = await selectGroupsOf(transaction, orgId, [row.id]);
    return { status: 200, body: userResource(row, groups, appBaseUrl()) };
  });
  if (moved.isTrue) await releaseLeavers(request, dependencies);
  return reply;
}

/** @returns the refusal of `endAccess` */
async function store(
  sql: Sql,
  person: PersonRow,
  attributes: UserAttributes,
  provisioning: Provisioning,
  dependencies: PlatformDependencies,
): Promise<LastOwner | RecoveryOwner | null> {
  const { orgId, now, actor, context } = provisioning;
  const { id, email, active: wasActive, member_id: memberId } = person;
  await storeMembers(sql, orgId, [id]);
  const isElsewhere = memberId === null && email !== attributes.email;
  const ends = wasActive && (!attributes.active || isElsewhere);
  const refusal = ends ? await endAccess(sql, person, provisioning) : null;
  if (refusal !== null) return refusal;
  const accountId = memberId ?? person.account_id;
  await updatePerson(sql, { orgId, id, accountId }, attributes, now);
  if (attributes.active && (!wasActive || isElsewhere)) {
    const updated = { ...person, account_id: accountId, email: attributes.email };
    await giveAccess(sql, updated, await roleOfGroups(sql, orgId, id), provisioning, dependencies);
  }
  const record = { action: 'UPDATE', resourceKind: 'SCIM_USER', resourceId: id, orgId, ...actor } as const;
  const note = attributes.active === wasActive ? undefined : `active: ${String(attributes.active)}`;
  await recordAudit(sql, context, now, { ...record, ...(note !== undefined && { note }) });
  return null;
}
