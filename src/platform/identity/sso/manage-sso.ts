import type {
  DeleteSsoHandler,
  DeleteSsoReply,
  GetSsoHandler,
  Schemas,
} from '../../../../generated/platform/operations.js';
import { ssoNotFound } from '../../../../generated/problems.js';
import type { Sql } from '../../../database/connection.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { recordAudit } from '../../tenancy/audit/audit.store.js';
import { refusalOfOldSession } from '../mfa/fresh-proof.js';
import { callbackPage, loginPage } from './connection-issuer.js';
import { deleteConnection, findConnection, type SsoConnection } from './sso-connections.store.js';
import { domainOf, replaceDomains, selectDomains } from './sso-domains.store.js';
import { endSsoSessions } from './sso-sessions.store.js';
import { releaseTeams } from './sso-teams.js';

export const getSso: GetSsoHandler<PlatformDependencies> = async ({ principal }, dependencies) => ({
  status: 200,
  body: await ssoOf(dependencies.sql, principal.org_id, dependencies),
});

export const deleteSso: DeleteSsoHandler<PlatformDependencies> = async (request, dependencies) => {
  const { principal, context } = request;
  const { sql, clock } = dependencies;
  const { org_id: orgId, user_id: userId } = principal;
  const now = clock.now();
  const reply = await sql.begin(async (transaction): Promise<DeleteSsoReply> => {
    const stale = await refusalOfOldSession(transaction, principal, now, 'organization');
    if (stale !== null) return stale;
    const connection = await findConnection(transaction, orgId);
    if (connection === null) return ssoNotFound({ message: 'The organization has no SSO.' });
    await endSsoSessions(transaction, { connectionId: connection.id }, now);
    await deleteConnection(transaction, connection.id);
    await replaceDomains(transaction, orgId, [], () => '', now);
    await recordAudit(transaction, context, now, { action: 'DELETE', resourceKind: 'SSO', orgId, userId });
    return { status: 204 };
  });
  if (reply.status === 204) await releaseTeams([], request, dependencies);
  return reply;
};

/** The contract's `Sso`. */
export async function ssoOf(
  sql: Sql,
  orgId: string,
  dependencies: Pick<PlatformDependencies, 'appBaseUrl'>,
): Promise<Schemas['Sso']> {
  const connection = await findConnection(sql, orgId);
  return {
    connection: connection === null ? null : connectionOf(connection),
    domains: (await selectDomains(sql, orgId)).map(domainOf),
    redirect_uri: callbackPage(orgId, dependencies),
    initiate_login_uri: loginPage(orgId, dependencies),
    backchannel_logout_uri: `${dependencies.appBaseUrl()}/api/v1/auth/sso/${orgId}/logout`,
  };
}

function connectionOf({
  id: _id,
  org_id: _orgId,
  client_secret_sealed: _secret,
  group_roles: groupRoles,
  group_teams: groupTeams,
  updated_at: updatedAt,
  ...shown
}: SsoConnection): Schemas['SsoConnection'] {
  const mappings = { group_roles: [...groupRoles], group_teams: [...groupTeams] };
  return { ...shown, ...mappings, updated_at: updatedAt.toISOString() };
}
