import type { LogoutHandler } from '../../../generated/platform/operations.js';
import { recordAudit } from '../audit/audit.store.js';
import type { PlatformDependencies } from '../dependencies.js';
import { hashToken } from '../tokens/token-hash.js';
import { revokeToken } from './refresh-tokens.store.js';

export const logout: LogoutHandler<PlatformDependencies> = async (
  { body, principal, context },
  { sql, clock, tokens },
) => {
  const claims = await tokens.verifyRefreshToken(body.refresh_token);
  const now = clock.now();
  await sql.begin(async (transaction) => {
    const revoked = claims === null ? null : await revokeToken(transaction, hashToken(claims.jti), 'logout', now);
    if (principal === null) return;
    await recordAudit(transaction, context, now, {
      action: 'LOGOUT',
      resourceKind: 'SESSION',
      resourceId: revoked?.family_id ?? null,
      orgId: principal.org_id,
      userId: principal.user_id,
    });
  });
  return { status: 200, body: { message: 'Logout successful' } };
};
