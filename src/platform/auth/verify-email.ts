import type { VerifyEmailHandler } from '../../../generated/platform/operations.js';
import { invalidVerificationToken } from '../../../generated/problems.js';
import { unverifiedHorizon } from '../accounts/unverified-accounts.store.js';
import { recordAudit } from '../audit/audit.store.js';
import type { PlatformDependencies } from '../dependencies.js';
import { hashToken } from '../tokens/token-hash.js';
import { useOneTimeToken } from './one-time-tokens.store.js';

export const verifyEmail: VerifyEmailHandler<PlatformDependencies> = async ({ query, context }, { sql, clock }) => {
  const now = clock.now();
  const verified = await sql.begin(async (transaction) => {
    const userId = await useOneTimeToken(transaction, 'verification', hashToken(query.token), now);
    if (userId === null) return false;
    const verified = await transaction`
      update users set is_verified = true, updated_at = ${now}
      where id = ${userId} and (is_verified or created_at > ${unverifiedHorizon(now)}) returning 1`;
    if (verified.length === 0) return false; // expired: the account is about to be removed
    await recordAudit(transaction, context, now, {
      action: 'EMAIL_VERIFIED',
      resourceKind: 'USER',
      resourceId: userId,
      orgId: null,
      userId,
    });
    return true;
  });
  if (!verified) return invalidVerificationToken();
  return { status: 200, body: { message: 'Your e-mail address has been verified.', verified: true } };
};
