import type { VerifyEmailHandler } from '../../../../generated/platform/operations.js';
import { invalidVerificationToken } from '../../../../generated/problems.js';
import { recordAccountEvent } from '../../tenancy/audit/audit.store.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { hashToken } from '../tokens/token-hash.js';
import { endAccountLimits } from './account-limits.store.js';
import { findTokenOwner, useOneTimeToken } from './one-time-tokens.store.js';

export const verifyEmail: VerifyEmailHandler<PlatformDependencies> = async ({ query, context }, { sql, clock }) => {
  const now = clock.now();
  const hash = hashToken(query.token);
  const verify = (): Promise<boolean> =>
    sql.begin(async (transaction) => {
      const userId = await useOneTimeToken(transaction, 'verification', hash, now);
      if (userId === null) return false;
      await transaction`update users set is_verified = true, updated_at = ${now} where id = ${userId}`;
      await endAccountLimits(transaction, userId, context.clientIp, now);
      await recordAccountEvent(transaction, context, now, {
        action: 'EMAIL_VERIFIED',
        resourceKind: 'USER',
        resourceId: userId,
        userId,
      });
      return true;
    });
  // Programs that check the links of mails send HEAD. It must not use up the token.
  const isValid = context.isHead ? (await findTokenOwner(sql, 'verification', hash, now)) !== null : await verify();
  if (!isValid) return invalidVerificationToken();
  return { status: 200, body: { message: 'Your e-mail address has been verified.', verified: true } };
};
