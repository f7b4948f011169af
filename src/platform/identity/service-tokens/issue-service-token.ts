import type {
  CreateServiceTokenHandler,
  RotateServiceTokenHandler,
  Schemas,
} from '../../../../generated/platform/operations.js';
import {
  serviceTokenEnded,
  serviceTokenLimitReached,
  type InsufficientRole,
  type RecentLoginRequired,
  type ServiceTokenEnded,
  type ServiceTokenLimitReached,
  type ServiceTokenNotFound,
  type ValidationFailed,
} from '../../../../generated/problems.js';
import { validationProblem, type Violation } from '@plumbline/contract/violations';
import type { DatabaseSql, Sql } from '../../../database/connection.js';
import { recordAudit } from '../../tenancy/audit/audit.store.js';
import { after, type Clock } from '../../clock.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { ownerRequired, refuseFormerAdmin } from '../../tenancy/organizations/member-to-manage.js';
import { actingRole, lockOrganization } from '../../tenancy/organizations/members.store.js';
import type { Random } from '../../random.js';
import { lockUser } from '../accounts/accounts.store.js';
import { hashToken } from '../tokens/token-hash.js';
import { refusalOfOldSession } from '../mfa/fresh-proof.js';
import { mailAboutSecurity } from '../security/security-mails.js';
import { managerOf, type TokenManager } from './token-manager.js';
import { mailAboutRotation } from './mail-about-rotation.js';
import { recordEvent } from '../../messages/webhooks/record-event.js';
import { newServiceToken } from './service-token-form.js';
import {
  countServiceTokens,
  endSecrets,
  endsOfReplacedSecrets,
  findServiceToken,
  insertSecret,
  insertServiceToken,
  lockServiceToken,
  serviceTokenOf,
  storeRotation,
  type LockedToken,
} from './service-tokens.store.js';
import { noSuchServiceToken } from './service-tokens.js';

/** How many tokens that are neither revoked nor expired an organization can have. */
const mostServiceTokens = 100;
/** How many replaced secrets of a token may be accepted. */
const mostReplacedSecrets = 4;
const daySeconds = 86_400;

type Issued = Schemas['IssuedServiceToken'];
type Outcome<Refusal> = { readonly issued: Issued } | { readonly refusal: Refusal };

interface IssueParts {
  readonly sql: DatabaseSql;
  readonly clock: Clock;
  readonly random: Random;
}

export const createServiceToken: CreateServiceTokenHandler<PlatformDependencies> = async (
  { body, principal, context },
  dependencies,
) => {
  const { user_id: id, email, org_name: organizationName } = principal;
  const event = { kind: 'service_token_created', organizationName } as const;
  const manager = managerOf(principal, context);
  const outcome = await issueServiceToken(manager, body, dependencies, (sql, now) =>
    mailAboutSecurity(sql, { id, email }, event, { context, now }, dependencies),
  );
  dependencies.mails.wake();
  return 'refusal' in outcome ? outcome.refusal : { status: 201, body: outcome.issued };
};

export const rotateServiceToken: RotateServiceTokenHandler<PlatformDependencies> = async (
  { params, body, principal, context },
  dependencies,
) => {
  const id = params.service_token_id.toLowerCase();
  const outcome = await issueNextSecret(managerOf(principal, context), id, body, dependencies, (sql, token, now) =>
    mailAboutRotation(sql, principal, token, { context, now }, dependencies),
  );
  dependencies.mails.wake();
  return 'refusal' in outcome ? outcome.refusal : { status: 200, body: outcome.issued };
};

/**
 * Creates a token with its first secret.
 *
 * @param mailAboutToken mails the admin, in the transaction that creates the token; default: there is no admin to mail
 */
export async function issueServiceToken(
  { orgId, admin, context }: TokenManager,
  { name, scopes, expires_in_days: days }: Schemas['CreateServiceTokenRequest'],
  { sql, clock, random }: IssueParts,
  mailAboutToken: (sql: Sql, now: Date) => Promise<void> = () => Promise.resolve(),
): Promise<Outcome<RecentLoginRequired | InsufficientRole | ValidationFailed | ServiceTokenLimitReached>> {
  const now = clock.now();
  const userId = admin?.user_id ?? null;
  const secret = newServiceToken(random);
  return sql.begin(async (transaction) => {
    const stale = admin === null ? null : await refusalOfSession(transaction, admin, now);
    if (stale !== null) return { refusal: stale };
    await lockOrganization(transaction, orgId); // simultaneous requests must not exceed the limit together
    const refusal = admin === null ? null : await refuseIssuer(transaction, admin, scopes);
    if (refusal !== null) return { refusal };
    if ((await countServiceTokens(transaction, orgId, now)) >= mostServiceTokens) {
      const message = `An organization can have ${mostServiceTokens} service tokens. Revoke one first.`;
      return { refusal: serviceTokenLimitReached({ message }) };
    }
    const token = { orgId, name: name.trim(), scopes, createdBy: userId, expiresAt: after(now, days * daySeconds) };
    const id = await insertServiceToken(transaction, token, now);
    if (id === null) {
      const message = 'is the name of another service token';
      return { refusal: validationProblem([{ path: '/body/name', rule: 'unique', message }]) };
    }
    await insertSecret(transaction, id, { hash: hashToken(secret), createdBy: userId }, now);
    const record = { action: 'CREATE', resourceKind: 'SERVICE_TOKEN', resourceId: id, orgId, userId } as const;
    await recordAudit(transaction, context, now, { ...record, note: scopes.join(', ') });
    await mailAboutToken(transaction, now);
    const data = { service_token_id: id, name: token.name };
    await recordEvent(transaction, { type: 'service_token.created', orgId, subject: `service token ${id}`, data }, now);
    return { issued: await issuedToken(transaction, { orgId, id, secret }, now) };
  });
}

/**
 * Rotates a token: it gets a new secret, and the earlier ones end after the overlap.
 *
 * @param mailAboutToken mails whom the rotation concerns, in its transaction; default: there is no admin to mail
 */
export async function issueNextSecret(
  { orgId, admin, context }: TokenManager,
  id: string,
  { overlap_seconds: overlap, expires_in_days: days }: Schemas['RotateServiceTokenRequest'],
  { sql, clock, random }: IssueParts,
  mailAboutToken: (sql: Sql, token: LockedToken, now: Date) => Promise<void> = () => Promise.resolve(),
): Promise<
  Outcome<RecentLoginRequired | InsufficientRole | ServiceTokenNotFound | ServiceTokenEnded | ValidationFailed>
> {
  const now = clock.now();
  const userId = admin?.user_id ?? null;
  const secret = newServiceToken(random);
  return sql.begin(async (transaction) => {
    const stale = admin === null ? null : await refusalOfSession(transaction, admin, now);
    if (stale !== null) return { refusal: stale };
    await lockOrganization(transaction, orgId);
    const formerAdmin = admin === null ? null : await refuseFormerAdmin(transaction, admin);
    if (formerAdmin !== null) return { refusal: formerAdmin };
    const token = await lockServiceToken(transaction, orgId, id);
    if (token === null) return { refusal: noSuchServiceToken() };
    const refusal = admin === null ? null : await refuseIssuer(transaction, admin, token.scopes);
    if (refusal !== null) return { refusal };
    if (token.revoked_at !== null || token.expires_at <= now) {
      const what = token.revoked_at === null ? 'has expired' : 'is revoked';
      return { refusal: serviceTokenEnded({ message: `The service token ${what}. Create a new one.` }) };
    }
    const excess = overlap === 0 ? null : tooManySecrets(await endsOfReplacedSecrets(transaction, id, now));
    if (excess !== null) return { refusal: validationProblem([excess]) };
    await endSecrets(transaction, id, after(now, overlap), now);
    await insertSecret(transaction, id, { hash: hashToken(secret), createdBy: userId }, now);
    await storeRotation(transaction, id, days === undefined ? token.expires_at : after(now, days * daySeconds), now);
    const record = { action: 'SERVICE_TOKEN_ROTATED', resourceKind: 'SERVICE_TOKEN', resourceId: id } as const;
    await recordAudit(transaction, context, now, { ...record, orgId, userId, note: `overlap of ${overlap} s` });
    await mailAboutToken(transaction, token, now);
    return { issued: await issuedToken(transaction, { orgId, id, secret }, now) };
  });
}

/**
 * Checks the session under the lock of its user. "This was not me" in a mail ends sessions and tokens under that lock, so
 * no token can appear after it.
 */
async function refusalOfSession(
  sql: Sql,
  admin: Schemas['MemberPrincipal'],
  now: Date,
): Promise<RecentLoginRequired | null> {
  await lockUser(sql, admin.user_id);
  return refusalOfOldSession(sql, admin, now, 'organization');
}

/** A token for an identity provider decides who is a member, so only owners get its secret. */
async function refuseIssuer(
  sql: Sql,
  admin: Schemas['MemberPrincipal'],
  scopes: readonly Schemas['ServiceTokenScope'][],
): Promise<InsufficientRole | null> {
  if (!scopes.includes('scim:write')) return refuseFormerAdmin(sql, admin);
  const role = await actingRole(sql, admin);
  return role === 'owner' ? null : ownerRequired(role);
}

/** @param ends of the replaced secrets, the first one first */
function tooManySecrets(ends: readonly Date[]): Violation | null {
  const [until] = ends;
  if (until === undefined || ends.length < mostReplacedSecrets) return null;
  const message =
    `must be 0, which ends all earlier secrets: ${mostReplacedSecrets} earlier secrets are still accepted, the first ` +
    `until ${until.toISOString()}`;
  return { path: '/body/overlap_seconds', rule: 'maximum', message };
}

/** The only reply that shows a secret. */
async function issuedToken(
  sql: Sql,
  { orgId, id, secret }: { readonly orgId: string; readonly id: string; readonly secret: string },
  now: Date,
): Promise<Issued> {
  const row = await findServiceToken(sql, orgId, id, now);
  if (row === null) throw new Error('A service token is gone in the transaction that locked it');
  return { token: secret, service_token: serviceTokenOf(row, now) };
}
