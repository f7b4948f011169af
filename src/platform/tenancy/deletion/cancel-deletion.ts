import type {
  CancelOrganizationDeletionHandler,
  CancelOrganizationDeletionReply,
} from '../../../../generated/platform/operations.js';
import { deletionNotFound } from '../../../../generated/problems.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { recordAudit } from '../audit/audit.store.js';
import { ownerRequired } from '../organizations/member-to-manage.js';
import { actingRole, lockOrganization } from '../organizations/members.store.js';
import { takeDeletionBack } from './deletions.store.js';
import { mailOwners } from './owners-mail.js';

/** Takes the mark for deletion back, unless the removal has begun: both hold the lock of the organization. */
export const cancelOrganizationDeletion: CancelOrganizationDeletionHandler<PlatformDependencies> = async (
  { principal, context },
  dependencies,
) => {
  const { sql, clock, mails } = dependencies;
  const { org_id: orgId, org_name: organization, user_id: userId } = principal;
  const reply = await sql.begin(async (transaction): Promise<CancelOrganizationDeletionReply> => {
    await lockOrganization(transaction, orgId);
    const actingAs = await actingRole(transaction, principal);
    if (actingAs !== 'owner') return ownerRequired(actingAs);
    if (!(await takeDeletionBack(transaction, orgId))) {
      return deletionNotFound({ message: 'The organization is not marked for deletion, or its removal has begun.' });
    }
    const record = { resourceKind: 'ORGANIZATION', resourceId: orgId, orgId, userId } as const;
    await recordAudit(transaction, context, clock.now(), { action: 'DELETION_CANCELLED', ...record });
    const by = principal.full_name ?? principal.email;
    await mailOwners(transaction, { orgId, organization, by, dueAt: null }, dependencies);
    return { status: 204 };
  });
  if (reply.status === 204) mails.wake();
  return reply;
};
