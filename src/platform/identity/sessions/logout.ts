import type { LogoutHandler } from '../../../../generated/platform/operations.js';
import { lockUsers } from '../accounts/accounts.store.js';
import { recordAudit } from '../../tenancy/audit/audit.store.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { revokeFamily } from './refresh-tokens.store.js';

/**
 * Ends the session of a refresh token and that of the bearer token, including their access tokens. Accepts any token of
 * a session.
 */
export const logout: LogoutHandler<PlatformDependencies> = async (
  { body, principal, context },
  { sql, clock, tokens },
) => {
  const token = body?.refresh_token;
  const claims = await tokens.verifyRefreshToken(typeof token === 'string' ? token : '');
  const bearer = principal === null ? null : { userId: principal.user_id, familyId: principal.session_id };
  const named = claims?.familyId === bearer?.familyId ? [bearer] : [bearer, claims];
  const sessions = named.filter((session) => session !== null);
  const now = clock.now();
  await sql.begin(async (transaction) => {
    await lockUsers(
      transaction,
      sessions.map(({ userId }) => userId),
    );
    for (const session of sessions) {
      const isEnded = await revokeFamily(transaction, session, 'logout', now);
      if (principal === null || (session !== bearer && !isEnded)) continue;
      await recordAudit(transaction, context, now, {
        action: 'LOGOUT',
        resourceKind: 'SESSION',
        resourceId: isEnded ? session.familyId : null,
        orgId: principal.org_id,
        userId: principal.user_id,
      });
    }
  });
  return { status: 200, body: { message: 'Logout successful' } };
};
