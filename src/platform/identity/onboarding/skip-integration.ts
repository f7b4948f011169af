import type { SkipIntegrationHandler } from '../../../../generated/platform/operations.js';
import { notAMember } from '../../../../generated/problems.js';
import { recordAudit } from '../../tenancy/audit/audit.store.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { findMember } from '../../tenancy/organizations/members.store.js';
import { onboardingStateOf } from './onboarding-state.js';

/**
 * Postpones the integration step. If an integration exists, there is nothing to skip. Superusers can enter organizations
 * without membership, but cannot skip the step there.
 */
export const skipIntegration: SkipIntegrationHandler<PlatformDependencies> = async (
  { principal, context },
  { sql, clock },
) => {
  const now = clock.now();
  const { org_id: orgId, user_id: userId } = principal;
  const state = await sql.begin(async (transaction) => {
    if ((await findMember(transaction, orgId, userId)) === null) return null;
    const [skipped] = await transaction`
      update organizations set onboarding_integration_skipped_at = ${now}, updated_at = ${now}
      where id = ${orgId} and onboarding_integration_skipped_at is null
        and not exists (select 1 from integrations where org_id = ${orgId} and is_active)
      returning 1`;
    if (skipped !== undefined) {
      const record = { resourceKind: 'ORGANIZATION', resourceId: orgId, orgId, userId } as const;
      await recordAudit(transaction, context, now, { action: 'INTEGRATION_SKIPPED', ...record });
    }
    return onboardingStateOf(transaction, principal);
  });
  if (state === null) return notAMember({ message: 'You do not belong to this organization.' });
  return { status: 200, body: state };
};
