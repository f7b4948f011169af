import type { DeleteScimUserHandler, DeleteScimUserReply } from '../../../../generated/platform/operations.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { recordAudit } from '../../tenancy/audit/audit.store.js';
import { releaseLeavers } from '../../tenancy/teams/release-leavers.js';
import { noteDeparture } from './departures.store.js';
import { lockPerson } from './lock-person.js';
import { endAccess } from './membership.js';
import { deletePerson } from './people.store.js';
import { provisioningOf } from './provisioning.js';
import { noSuch } from './refusals.js';

export const deleteScimUser: DeleteScimUserHandler<PlatformDependencies> = async (request, dependencies) => {
  const { params, principal, context } = request;
  const { sql, clock } = dependencies;
  const provisioning = provisioningOf(principal, context, clock.now());
  const { orgId, now, actor } = provisioning;
  const reply = await sql.beginFor(orgId, async (transaction): Promise<DeleteScimUserReply> => {
    const person = await lockPerson(transaction, orgId, params.scim_user_id);
    if (person === null) return noSuch('user');
    const refusal = await endAccess(transaction, person, provisioning);
    if (refusal !== null) return refusal;
    await deletePerson(transaction, orgId, person.id);
    const { email } = person;
    await noteDeparture(transaction, orgId, { userId: person.member_id ?? person.account_id, email });
    const record = { action: 'DELETE', resourceKind: 'SCIM_USER', resourceId: person.id, orgId, ...actor } as const;
    await recordAudit(transaction, context, now, record);
    return { status: 204 };
  });
  if (reply.status === 204) await releaseLeavers(request, dependencies);
  return reply;
};
