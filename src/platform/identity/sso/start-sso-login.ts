import type { IncomingMessage } from 'node:http';
import type {
  GetSsoByDomainHandler,
  Schemas,
  StartSsoLinkHandler,
  StartSsoLoginHandler,
  StartSsoLoginReply,
} from '../../../../generated/platform/operations.js';
import { ssoNotFound, type IdentityProviderFailed, type SsoNotFound } from '../../../../generated/problems.js';
import type { PlatformDependencies } from '../../dependencies.js';
import type { AttemptSecrets } from '../providers/identity-provider.js';
import type { LoginAttempt } from '../providers/login-attempts.store.js';
import { refusalOfOldSession } from '../mfa/fresh-proof.js';
import { beginAttempt } from '../providers/start-provider-login.js';
import { attemptKey, callbackPage, issuerOf, providerName } from './connection-issuer.js';
import { normalizeDomain } from './domain-name.js';
import { findConnection } from './sso-connections.store.js';
import { findHolder } from './sso-domains.store.js';

export const getSsoByDomain: GetSsoByDomainHandler<PlatformDependencies> = async ({ query }, { sql }) => {
  const holder = await findHolder(sql, normalizeDomain(query.domain));
  const connection = holder === null ? null : await findConnection(sql, holder.org_id);
  return { status: 200, body: { org_id: connection?.org_id ?? null } };
};

export const startSsoLogin: StartSsoLoginHandler<PlatformDependencies> = ({ params, body, ctx }, dependencies) =>
  start(params.sso_org_id, body, null, ctx.req, dependencies);

export const startSsoLink: StartSsoLinkHandler<PlatformDependencies> = async (
  { params, body, principal, ctx },
  dependencies,
) => {
  const refusal = await refusalOfOldSession(dependencies.sql, principal, dependencies.clock.now(), 'ways to log in');
  if (refusal !== null) return refusal;
  const link = { userId: principal.user_id, sessionId: principal.session_id };
  return start(params.sso_org_id, body, link, ctx.req, dependencies);
};

async function start(
  orgId: string,
  { return_to: returnTo = null, login_hint: hint, iss }: Schemas['SsoLoginRequest'],
  link: LoginAttempt['link'],
  request: IncomingMessage,
  dependencies: PlatformDependencies,
): Promise<Extract<StartSsoLoginReply, { status: 200 }> | SsoNotFound | IdentityProviderFailed> {
  const connection = await findConnection(dependencies.sql, orgId);
  if (connection === null || (iss !== undefined && iss !== connection.issuer)) return unknownSso();
  const id = attemptKey(connection);
  const provider = {
    id,
    name: providerName,
    redirectUri: callbackPage(connection.org_id, dependencies),
    authorizationUrl: async (secrets: AttemptSecrets) => {
      const issuer = issuerOf(connection, dependencies);
      return issuer.authorizationUrl(await issuer.discover(), secrets, hint);
    },
  };
  return beginAttempt({ provider: id, link, returnTo }, provider, request, dependencies);
}

export function unknownSso(): SsoNotFound {
  return ssoNotFound({ message: 'The organization has no SSO, or not with this provider.' });
}
