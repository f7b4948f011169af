import { isLoopbackName } from '@plumbline/contract/local-request';
import { validationProblem } from '@plumbline/contract/violations';
import type { Schemas, UpdateSsoHandler, UpdateSsoReply } from '../../../../generated/platform/operations.js';
import type { ValidationFailed } from '../../../../generated/problems.js';
import type { Sql } from '../../../database/connection.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { openOrLog } from '../../server/secrets/secret-box.js';
import { faultOfTargetUrl } from '../../sources/integrations/base-url.js';
import { recordAudit } from '../../tenancy/audit/audit.store.js';
import { ownerRequired } from '../../tenancy/organizations/member-to-manage.js';
import { actingRole, lockAllMembers } from '../../tenancy/organizations/members.store.js';
import { refusalOfUnknownTeams } from '../../tenancy/teams/stored-teams.js';
import { refusalOfOldSession } from '../mfa/fresh-proof.js';
import { failedProvider } from '../providers/start-provider-login.js';
import { newOneTimeToken } from '../tokens/token-hash.js';
import { issuerOf, providerName } from './connection-issuer.js';
import { normalizeDomain } from './domain-name.js';
import { ssoOf } from './manage-sso.js';
import {
  canRecover,
  deleteConnection,
  findConnection,
  secretContext,
  storeConnection,
  type SsoConnection,
} from './sso-connections.store.js';
import { replaceDomains, selectDomains } from './sso-domains.store.js';
import { endOtherSessions, endSsoSessions } from './sso-sessions.store.js';
import { releaseTeams } from './sso-teams.js';

export const updateSso: UpdateSsoHandler<PlatformDependencies> = async (request, dependencies) => {
  const { body, principal, context } = request;
  const { sql, clock, random, settings } = dependencies;
  const { org_id: orgId, user_id: userId } = principal;
  const domains = [...new Set(body.domains.map(normalizeDomain))];
  const fault = faultOfIssuer(body.issuer, settings.integrationNetworks);
  if (fault !== null) return violation('issuer', fault);
  if (domains.includes('')) return violation('domains', 'must be names of domains, such as example.com');
  const former = await findConnection(sql, orgId);
  const unknown = await refusalOfUnknownTeams(dependencies, orgId, newTeams(body, former));
  if (unknown !== null) return unknown;
  const connection = connectionFor(body, former, orgId, dependencies);
  if (typeof connection === 'string') return violation('client_secret', connection);
  const isKept = connection.id === former?.id && (former.is_required || !connection.is_required);
  // While a provider fails, its organization can still name another recovery owner, or cease to require SSO.
  if (!isKept) {
    try {
      await issuerOf(connection, dependencies).discover();
    } catch (error) {
      return failedProvider(error, { id: `sso:${connection.id}`, name: providerName }, dependencies);
    }
  }
  const now = clock.now();
  const reply = await sql.begin(async (transaction): Promise<UpdateSsoReply> => {
    await lockAllMembers(transaction, orgId);
    const role = await actingRole(transaction, principal);
    if (role !== 'owner') return ownerRequired(role);
    const stale = await refusalOfOldSession(transaction, principal, now, 'organization');
    if (stale !== null) return stale;
    const current = await findConnection(transaction, orgId);
    if (current !== null && current.id !== connection.id) {
      await endSsoSessions(transaction, { connectionId: current.id }, now);
      await deleteConnection(transaction, current.id);
    }
    const refusal = await refusalOfLockOut(transaction, connection, domains);
    if (refusal !== null) return refusal;
    await replaceDomains(transaction, orgId, domains, () => `plumbline=${newOneTimeToken(random).token}`, now);
    await storeConnection(transaction, connection);
    if (connection.is_required) await endOtherSessions(transaction, orgId, now);
    const action = current === null ? 'CREATE' : 'UPDATE';
    const note = `${connection.issuer}${connection.is_required ? ', required' : ''}`;
    await recordAudit(transaction, context, now, { action, resourceKind: 'SSO', orgId, userId, note });
    return { status: 200, body: await ssoOf(transaction, orgId, dependencies) };
  });
  const mapped = body.groups_claim === null ? [] : body.group_teams;
  if (reply.status === 200) await releaseTeams(mapped, request, dependencies);
  return reply;
};

/**
 * The teams of new mappings, by their places in the body. A former mapping may name a team that was deleted since, and
 * must not keep an owner from changing something else.
 */
function newTeams(
  { group_teams: mappings }: Schemas['SsoRequest'],
  former: SsoConnection | null,
): Readonly<Record<string, string>> {
  const isFormer = ({ group, team_id: teamId }: Schemas['SsoGroupTeam']): boolean =>
    former?.group_teams.some((mapping) => mapping.group === group && mapping.team_id === teamId) === true;
  return Object.fromEntries(
    mappings.flatMap((mapping, index) =>
      isFormer(mapping) ? [] : [[`/body/group_teams/${index}/team_id`, mapping.team_id] as const],
    ),
  );
}

/** The connection to store. One to another issuer or client is new. @returns a string: why it needs its secret again */
function connectionFor(
  body: Schemas['SsoRequest'],
  former: SsoConnection | null,
  orgId: string,
  { clock, random, secrets, log }: PlatformDependencies,
): SsoConnection | string {
  const { client_secret: secret, domains: _domains, ...chosen } = body;
  const same = former?.issuer === body.issuer && former.client_id === body.client_id ? former : null;
  const id = same?.id ?? random.uuid();
  const sealed = secret === undefined ? same?.client_secret_sealed : secrets.seal(secret, secretContext(id));
  if (sealed === undefined) return 'is needed for another issuer or client';
  if (openOrLog({ secrets, log }, sealed, secretContext(id)) === null) {
    return 'is needed again, because the stored one cannot be read';
  }
  return { ...chosen, id, org_id: orgId, client_secret_sealed: sealed, updated_at: clock.now() };
}

/** Requires SSO only where people can log in by it, and somebody without it. */
async function refusalOfLockOut(
  sql: Sql,
  { org_id: orgId, is_required: isRequired, recovery_owner_id: recoveryOwnerId }: SsoConnection,
  domains: readonly string[],
): Promise<ValidationFailed | null> {
  if (recoveryOwnerId !== null && !(await canRecover(sql, orgId, recoveryOwnerId))) {
    return violation('recovery_owner_id', 'must be an owner with a password');
  }
  if (!isRequired) return null;
  if (recoveryOwnerId === null) return violation('recovery_owner_id', 'is needed when SSO is required');
  const verified = (await selectDomains(sql, orgId)).filter((each) => each.verified_at !== null);
  if (verified.some(({ domain }) => domains.includes(domain))) return null;
  return violation('is_required', 'needs a verified domain; verify one first');
}

/** The problem of the address of an issuer; null when it is valid. Secrets go there, so it needs TLS. */
function faultOfIssuer(issuer: string, networks: readonly string[]): string | null {
  const fault = faultOfTargetUrl(issuer, networks, 'use the client secret');
  if (fault !== null) return fault;
  const { protocol, hostname, search, hash } = new URL(issuer);
  if (protocol !== 'https:' && !isLoopbackName(hostname)) return 'must begin with https://';
  return search === '' && hash === '' ? null : 'must end with the path, without ? and #';
}

function violation(property: keyof Schemas['SsoRequest'], message: string): ValidationFailed {
  return validationProblem([{ path: `/body/${property}`, rule: 'format', message }]);
}
