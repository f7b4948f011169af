import type { Verdict } from '../../../generated/contract.js';
import type { PlatformSecurity } from '../../../generated/platform/security.js';
import type { Schemas } from '../../../generated/platform/operations.js';
import {
  insufficientRole,
  organizationMismatch,
  organizationRequired,
  unauthenticated,
} from '../../../generated/problems.js';
import type { Sql } from '../../database/connection.js';
import type { Tokens } from '../tokens/tokens.js';
import { findAccount, type AccountInOrganization, type Role } from './accounts.store.js';
import { reaches } from './permissions.js';

type AccountPrincipal = Schemas['AccountPrincipal'];
type MemberPrincipal = Schemas['MemberPrincipal'];

/** The role that each scope of the contract asks for. */
const leastRole = {
  organization: 'viewer',
  viewer: 'viewer',
  member: 'member',
  admin: 'admin',
  owner: 'owner',
} as const;

/** Checks access tokens, against the database on every request: a token alone opens nothing. */
export function createBearerSecurity(tokens: Tokens, sql: Sql): PlatformSecurity['bearer'] {
  return {
    authenticate: async (token) => {
      const bearer = await bearerOf(tokens, sql, token);
      return bearer === null ? { refusal: refused() } : { principal: principalOf(bearer.account) };
    },
    authorize: (principal, scope, params) => authorize(principal, leastRole[scope], params),
  };
}

/** Who presents an access token, and until when it holds. */
export interface Bearer {
  readonly account: AccountInOrganization;
  readonly expiresAt: Date;
}

/**
 * Looks up whom an access token stands for now.
 *
 * @returns null when the token does not hold, the user is gone or disabled, the password was reset since, or the
 * membership has ended
 */
export async function bearerOf(tokens: Tokens, sql: Sql, token: string): Promise<Bearer | null> {
  const claims = await tokens.verifyAccessToken(token);
  if (claims === null) return null;
  const account = await findAccount(sql, claims.userId, claims.orgId);
  if (account === null || !account.is_active || account.token_version !== claims.tokenVersion) return null;
  return account.org_id === claims.orgId ? { account, expiresAt: claims.expiresAt } : null;
}

function authorize(
  principal: AccountPrincipal,
  needed: Role,
  params: Readonly<Record<string, string>>,
): Verdict<MemberPrincipal> {
  const { org_id, org_name, role } = principal;
  if (org_id === null || org_name === null || role === null) {
    const message = 'This needs a token that is scoped to an organization: create, join or switch to one first.';
    return { refusal: organizationRequired({ message }) };
  }
  if (params['org_id'] !== undefined && params['org_id'].toLowerCase() !== org_id) {
    const message = 'The token is scoped to another organization: switch to this one first.';
    return { refusal: organizationMismatch({ message }) };
  }
  if (!principal.is_superuser && !reaches(role, needed)) {
    const message = `This needs the role ${needed} or a higher one; yours is ${role}.`;
    return { refusal: insufficientRole({ message, required_role: needed }) };
  }
  return { principal: { ...principal, org_id, org_name, role } };
}

function principalOf(account: AccountInOrganization): AccountPrincipal {
  return {
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
  };
}

function refused(): ReturnType<typeof unauthenticated> {
  return unauthenticated({ message: 'The access token does not hold. Refresh it, or log in again.' });
}
