import type { AcceptSsoLogoutHandler } from '../../../../generated/platform/operations.js';
import { invalidLogoutToken, type InvalidLogoutToken } from '../../../../generated/problems.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { recordAudit } from '../../tenancy/audit/audit.store.js';
import { failedProvider } from '../providers/start-provider-login.js';
import { attemptKey, issuerOf, providerName } from './connection-issuer.js';
import { verifyLogoutToken, type LogoutToken } from './logout-token.js';
import { findConnection } from './sso-connections.store.js';
import { endSsoSessions, useLogoutToken } from './sso-sessions.store.js';
import { unknownSso } from './start-sso-login.js';

/** Ends the sessions of somebody who has logged out at the provider of the organization. */
export const acceptSsoLogout: AcceptSsoLogoutHandler<PlatformDependencies> = async (
  { params, body, context },
  dependencies,
) => {
  const { sql, clock, outbound } = dependencies;
  const connection = await findConnection(sql, params.sso_org_id);
  if (connection === null) return unknownSso();
  const now = clock.now();
  let ended: LogoutToken | null;
  try {
    const issuer = issuerOf(connection, dependencies);
    ended = await verifyLogoutToken(body.logout_token, connection, { issuer, outbound, now });
  } catch (error) {
    return failedProvider(error, { id: attemptKey(connection), name: providerName }, dependencies);
  }
  if (ended === null) return invalid();
  const { jti, expiresAt, ...named } = ended;
  const connectionId = connection.id;
  const isNew = await sql.begin(async (transaction) => {
    if (!(await useLogoutToken(transaction, { connectionId, jti }, expiresAt))) return false;
    for (const userId of await endSsoSessions(transaction, { connectionId, ...named }, now)) {
      const record = { action: 'SESSION_REVOKED', resourceKind: 'SESSION', orgId: connection.org_id, userId } as const;
      await recordAudit(transaction, context, now, { ...record, note: 'logged out at the identity provider' });
    }
    return true;
  });
  return isNew ? { status: 204 } : invalid();
};

function invalid(): InvalidLogoutToken {
  return invalidLogoutToken({ message: 'The logout token is invalid, has expired, or was used before.' });
}
