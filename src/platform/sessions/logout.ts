import type { LogoutHandler } from '../../../generated/platform/operations.js';
import { lockUser } from '../accounts/accounts.store.js';
import { recordAudit } from '../audit/audit.store.js';
import type { PlatformDependencies } from '../dependencies.js';
import { revokeFamily } from './refresh-tokens.store.js';

/** Ends the session of a refresh token, including its access tokens. Accepts any token of the session. */
export const logout: LogoutHandler<PlatformDependencies> = async (
  { body, principal, context },
  { sql, clock, tokens },
) => {
  const claims = await tokens.verifyRefreshToken(body.refresh_token);
  const now = clock.now();
  await sql.begin(async (transaction) => {
    let endedId: string | null = null;
    if (claims !== null) {
      await lockUser(transaction, claims.userId);
      if (await revokeFamily(transaction, claims, 'logout', now)) endedId = claims.familyId;
    }
    if (principal === null) return;
    await recordAudit(transaction, context, now, {
      action: 'LOGOUT',
      resourceKind: 'SESSION',
      resourceId: endedId,
      orgId: principal.org_id,
      userId: principal.user_id,
    });
  });
  return { status: 200, body: { message: 'Logout successful' } };
};
