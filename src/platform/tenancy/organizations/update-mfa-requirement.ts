import type {
  UpdateMfaRequirementHandler,
  UpdateMfaRequirementReply,
} from '../../../../generated/platform/operations.js';
import { noSecondFactor } from '../../../../generated/problems.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { refusalOfOldSession } from '../../identity/mfa/fresh-proof.js';
import { selectMethods } from '../../identity/mfa/second-factors.store.js';
import { recordAudit } from '../audit/audit.store.js';
import { ownerRequired } from './member-to-manage.js';
import { actingRole, lockOrganization } from './members.store.js';
import { readOrganization } from './organizations.store.js';

/** Decides whether the organization demands a second factor of its members. */
export const updateMfaRequirement: UpdateMfaRequirementHandler<PlatformDependencies> = async (
  { body: { mfa_required: isRequired }, principal, context },
  { sql, clock },
) => {
  const { org_id: orgId, user_id: userId } = principal;
  const now = clock.now();
  return sql.begin(async (transaction): Promise<UpdateMfaRequirementReply> => {
    await lockOrganization(transaction, orgId);
    const actingAs = await actingRole(transaction, principal);
    if (actingAs !== 'owner') return ownerRequired(actingAs);
    if (isRequired && (await selectMethods(transaction, userId)).length === 0) {
      return noSecondFactor({ message: 'You have no second factor, and would be locked out. Set one up first.' });
    }
    const stale = await refusalOfOldSession(transaction, principal, now, 'organization');
    if (stale !== null) return stale;
    await transaction`
      update organizations set mfa_required = ${isRequired}, updated_at = ${now} where id = ${orgId}`;
    const note = isRequired ? 'second factor demanded' : 'second factor no longer demanded';
    const record = { action: 'UPDATE', resourceKind: 'ORGANIZATION', resourceId: orgId, orgId, userId, note } as const;
    await recordAudit(transaction, context, now, record);
    return { status: 200, body: await readOrganization(transaction, orgId) };
  });
};
