import type { PlatformSecurity } from '../../../../generated/platform/security.js';
import type { Schemas } from '../../../../generated/platform/operations.js';
import {
  insufficientRole,
  organizationMismatch,
  organizationRequired,
  unauthenticated,
  type InsufficientRole,
  type OrganizationMismatch,
  type OrganizationRequired,
} from '../../../../generated/problems.js';
import type { Sql } from '../../../database/connection.js';
import type { Clock } from '../../clock.js';
import { serviceTokenPrefix } from '../service-tokens/service-token-form.js';
import { findSessionAt } from '../sessions/refresh-tokens.store.js';
import type { Tokens } from '../tokens/tokens.js';
import { findAccountInSession, type AccountInSession, type Role } from './accounts.store.js';
import { reaches } from './permissions.js';

type AccountPrincipal = Schemas['AccountPrincipal'];
type MemberPrincipal = Schemas['MemberPrincipal'];

/** The role that each scope of the contract requires. */
const leastRole = {
  organization: 'viewer',
  viewer: 'viewer',
  member: 'member',
  admin: 'admin',
  owner: 'owner',
} as const;

/** Checks access tokens against the database on every request, so that a token alone grants nothing. */
export function createBearerSecurity(parts: BearerParts): PlatformSecurity['bearer'] {
  return {
    authenticate: async (token) => {
      if (token.startsWith(serviceTokenPrefix)) return { refusal: notForServiceTokens() };
      const bearer = await bearerOf(parts, token);
      return bearer === null ? { refusal: refused() } : { principal: principalOf(bearer) };
    },
    authorize: (principal, scope, params) => authorizeMember(principal, leastRole[scope], params),
  };
}

/** The dependencies of access token checks. */
export interface BearerParts {
  readonly tokens: Tokens;
  readonly sql: Sql;
  readonly clock: Clock;
}

/** The holder of an access token, its session, and its expiry. */
export interface Bearer {
  readonly account: AccountInSession;
  readonly sessionId: string;
  readonly expiresAt: Date;
}

/**
 * Looks up the current holder of an access token, in one statement; in two for tokens of release 0.1.0, which are valid for
 * 15 minutes after an upgrade.
 *
 * In a session without the second factor that its organization demands, a token counts as orgless.
 *
 * @returns null when the token is invalid, its session or membership has ended, the user is deleted or disabled, or the
 * password has changed since
 */
export async function bearerOf({ tokens, sql, clock }: BearerParts, token: string): Promise<Bearer | null> {
  const claims = await tokens.verifyAccessToken(token);
  if (claims === null) return null;
  const { userId, orgId, issuedAt, expiresAt } = claims;
  const sessionId = claims.sessionId ?? (await findSessionAt(sql, userId, issuedAt));
  if (sessionId === null) return null;
  const account = await findAccountInSession(sql, { userId, orgId, sessionId }, clock.now());
  if (account === null || !account.is_active || account.token_version !== claims.tokenVersion) return null;
  if (account.org_id !== orgId) return null;
  const orgless = { org_id: null, org_name: null, role: null };
  return { account: account.mfa_missing ? { ...account, ...orgless } : account, sessionId, expiresAt };
}

/** The reply to a token that is invalid, or whose session ended during the request. */
export function refused(): ReturnType<typeof unauthenticated> {
  return unauthenticated({ message: 'The access token is invalid or its session has ended. Refresh it, or log in.' });
}

/** The same reply for every service token, valid or not, without a database query. */
function notForServiceTokens(): ReturnType<typeof unauthenticated> {
  return unauthenticated({ message: 'This operation does not accept service tokens. Use the access token of a user.' });
}

type MemberVerdict =
  | { readonly principal: MemberPrincipal }
  | { readonly refusal: InsufficientRole | OrganizationMismatch | OrganizationRequired };

/** Checks that an access token is scoped to the organization of the path, if it names one, and has a role there. */
export function authorizeMember(
  principal: AccountPrincipal,
  needed: Role,
  params: Readonly<Record<string, string>>,
): MemberVerdict {
  const { org_id, org_name, role } = principal;
  if (org_id === null || org_name === null || role === null) {
    const message = principal.mfa_missing
      ? 'The organization demands a second factor. Set one up on your account, or prove it in this session.'
      : 'This needs a token that is scoped to an organization: create, join or switch to one first.';
    return { refusal: organizationRequired({ message }) };
  }
  if (params['org_id'] !== undefined && params['org_id'].toLowerCase() !== org_id) {
    const message = 'The token is scoped to another organization. Switch to this one first.';
    return { refusal: organizationMismatch({ message }) };
  }
  if (!principal.is_superuser && !reaches(role, needed)) {
    const message = `This needs the role ${needed} or a higher one; yours is ${role}.`;
    return { refusal: insufficientRole({ message, required_role: needed }) };
  }
  return { principal: { ...principal, org_id, org_name, role } };
}

function principalOf({ account, sessionId }: Bearer): AccountPrincipal {
  return {
    session_id: sessionId,
    user_id: account.id,
    email: account.email,
    full_name: account.full_name,
    is_verified: account.is_verified,
    is_superuser: account.is_superuser,
    auth_provider: account.auth_provider,
    last_login_at: account.last_login_at?.toISOString() ?? null,
    org_id: account.org_id,
    org_name: account.org_name,
    role: account.role,
    mfa_missing: account.mfa_missing,
  };
}
