import type { CreateOrganizationHandler, CreateOrganizationReply } from '../../../../generated/platform/operations.js';
import { emailNotVerified, organizationLimitReached, superuserRequired } from '../../../../generated/problems.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { lockUser } from '../../identity/accounts/accounts.store.js';
import { refusalOfNewOrganization } from '../../identity/sso/sso-barrier.js';
import { recordAudit } from '../audit/audit.store.js';
import { createOrganization as insertOrganization, readOrganization } from './organizations.store.js';

/** Organizations that exist and that one account has created, so that a stranger cannot create thousands. */
const mostCreated = 10;

/** Creates an organization beside those that the caller has. The first one comes from the registration or onboarding. */
export const createOrganization: CreateOrganizationHandler<PlatformDependencies> = async (
  { body, principal, context },
  { sql, clock, settings },
) => {
  const now = clock.now();
  const { user_id: userId, is_superuser: isSuperuser } = principal;
  if (!principal.is_verified) return emailNotVerified({ message: 'Verify your e-mail address first.' });
  const { kind } = settings.registration;
  if (!isSuperuser && (kind === 'invite' || kind === 'closed')) {
    return superuserRequired({ message: 'On this server, only superusers create further organizations.' });
  }
  return sql.begin(async (transaction): Promise<CreateOrganizationReply> => {
    await lockUser(transaction, userId);
    const refusal = await refusalOfNewOrganization(transaction, principal.session_id);
    if (refusal !== null) return refusal;
    const created = await transaction`select 1 from organizations where created_by = ${userId} limit ${mostCreated}`;
    if (!isSuperuser && created.length === mostCreated) {
      const message = `You have created ${mostCreated} organizations, which is the maximum.`;
      return organizationLimitReached({ message });
    }
    const orgId = await insertOrganization(transaction, { name: body.name, ownerId: userId }, now);
    const record = { action: 'CREATE', resourceKind: 'ORGANIZATION', resourceId: orgId, orgId, userId } as const;
    await recordAudit(transaction, context, now, record);
    return { status: 201, body: await readOrganization(transaction, orgId) };
  });
};
