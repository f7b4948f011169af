import type { DeleteOrganizationHandler, DeleteOrganizationReply } from '../../../../generated/platform/operations.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { proveCaller } from '../../identity/mfa/caller-proof.js';
import { cancelRun } from '../../sources/sync-runs/cancel-sync-run.js';
import { selectActiveRuns } from '../../sources/sync-runs/sync-runs.store.js';
import { recordAudit } from '../audit/audit.store.js';
import { ownerRequired } from '../organizations/member-to-manage.js';
import { actingRole, lockOrganization } from '../organizations/members.store.js';
import { deletionOf, findDeletion, insertDeletion } from './deletions.store.js';
import { mailOwners } from './owners-mail.js';

/**
 * Marks the organization for deletion. Of simultaneous requests, one does; the others find the mark. The active sync runs
 * are ended after the commit: no other one begins by then, and a worker that ends its run locks the two rows in the other
 * order.
 */
export const deleteOrganization: DeleteOrganizationHandler<PlatformDependencies> = async (
  { body, principal, context },
  dependencies,
) => {
  const { sql, clock, mails } = dependencies;
  const { org_id: orgId, org_name: organization, user_id: userId } = principal;
  const proof = await proveCaller({ principal, context }, body.current_password, 'organization', dependencies);
  if ('refusal' in proof) return proof.refusal;
  const reply = await sql.begin(async (transaction): Promise<DeleteOrganizationReply> => {
    const now = clock.now();
    const refusal = await proof.accept(transaction, now);
    if (refusal !== null) return refusal;
    await lockOrganization(transaction, orgId);
    const actingAs = await actingRole(transaction, principal);
    if (actingAs !== 'owner') return ownerRequired(actingAs);
    const earlier = await findDeletion(transaction, orgId);
    if (earlier !== null) return { status: 202, body: deletionOf(earlier) };
    const deletion = await insertDeletion(transaction, orgId, userId, now);
    const record = { resourceKind: 'ORGANIZATION', resourceId: orgId, orgId, userId } as const;
    await recordAudit(transaction, context, now, { action: 'DELETION_REQUESTED', ...record });
    const by = principal.full_name ?? principal.email;
    await mailOwners(transaction, { orgId, organization, by, dueAt: deletion.due_at }, dependencies);
    return { status: 202, body: deletionOf(deletion) };
  });
  if (reply.status !== 202) return reply;
  mails.wake();
  const actor = { userId, serviceTokenId: null };
  for (const { id: runId, sync_config_id: configId } of await selectActiveRuns(sql, orgId)) {
    await cancelRun({ orgId, configId, runId }, actor, context, dependencies);
  }
  return reply;
};
