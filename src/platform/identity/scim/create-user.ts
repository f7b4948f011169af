import type { CreateScimUserHandler, CreateScimUserReply } from '../../../../generated/platform/operations.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { recordAudit } from '../../tenancy/audit/audit.store.js';
import { lockOrganization } from '../../tenancy/organizations/members.store.js';
import { giveAccess } from './membership.js';
import { deleteFormerPeople, findPerson, findTaken, insertPerson } from './people.store.js';
import { provisioningOf } from './provisioning.js';
import { taken } from './refusals.js';
import { checkUser, readUser } from './user-attributes.js';
import { userResource } from './user-resource.js';

export const createScimUser: CreateScimUserHandler<PlatformDependencies> = async (
  { body, principal, context },
  dependencies,
) => {
  const { sql, clock, appBaseUrl } = dependencies;
  const read = readUser(body);
  const checked = 'refusal' in read ? read : checkUser(read.value);
  if ('refusal' in checked) return checked.refusal;
  const { value: attributes } = checked;
  const provisioning = provisioningOf(principal, context, clock.now());
  const { orgId, now, actor } = provisioning;
  return sql.beginFor(orgId, async (transaction): Promise<CreateScimUserReply> => {
    await lockOrganization(transaction, orgId);
    await deleteFormerPeople(transaction, orgId);
    const conflict = await findTaken(transaction, orgId, null, attributes);
    if (conflict !== null) return taken('user', conflict);
    const id = await insertPerson(transaction, orgId, attributes, now);
    const { email, active } = attributes;
    if (active) {
      const person = { account_id: null, email, former_role: null };
      await giveAccess(transaction, person, null, provisioning, dependencies);
    }
    const record = { action: 'CREATE', resourceKind: 'SCIM_USER', resourceId: id, orgId } as const;
    await recordAudit(transaction, context, now, { ...record, ...actor, note: active ? 'invited' : 'not active' });
    const row = await findPerson(transaction, orgId, id);
    if (row === null) throw new Error('A user is gone in the transaction that created it');
    const resource = userResource(row, [], appBaseUrl());
    const { location = '' } = resource.meta ?? {};
    return { status: 201, headers: { Location: location }, body: resource };
  });
};
