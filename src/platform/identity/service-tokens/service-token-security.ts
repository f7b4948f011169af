import type { Verdict } from '@plumbline/contract/contract-types';
import type { PlatformSecurity } from '../../../../generated/platform/security.js';
import type { Schemas } from '../../../../generated/platform/operations.js';
import { insufficientScope, organizationMismatch, unauthenticated } from '../../../../generated/problems.js';
import type { Sql } from '../../../database/connection.js';
import { isReadOnly } from '../../../database/failures.js';
import type { Clock } from '../../clock.js';
import { hashToken } from '../tokens/token-hash.js';
import { isServiceToken } from './service-token-form.js';
import { findByHash, storeLastUse, type PresentedToken } from './service-tokens.store.js';

type Principal = Schemas['ServiceTokenPrincipal'];

/** The last use is known to the minute, so that most requests write nothing. */
const useIntervalMs = 60_000;

/** Checks service tokens against the database on every request. */
export function createServiceTokenSecurity(parts: {
  readonly sql: Sql;
  readonly clock: Clock;
}): PlatformSecurity['serviceToken'] {
  return {
    authenticate: async (token) => {
      // One message for all reasons: a stranger learns nothing about a token.
      const message = 'The service token is invalid, expired or revoked.';
      const found = isServiceToken(token) ? await findByHash(parts.sql, hashToken(token), parts.clock.now()) : null;
      if (found === null) return { refusal: unauthenticated({ message }) };
      await noteUse(parts, found);
      return { principal: principalOf(found) };
    },
    authorize: (principal, scope, params) => authorize(principal, scope, params),
  };
}

/** Stores the time of the last use. A token can also be used while the database is read-only. */
async function noteUse(
  { sql, clock }: { readonly sql: Sql; readonly clock: Clock },
  token: PresentedToken,
): Promise<void> {
  const now = clock.now();
  const { service_token_id: id, last_used_at: lastUsedAt } = token;
  if (lastUsedAt !== null && now.getTime() - lastUsedAt.getTime() < useIntervalMs) return;
  try {
    await storeLastUse(sql, id, now);
  } catch (error) {
    if (!isReadOnly(error)) throw error;
  }
}

function authorize(
  principal: Principal,
  scope: Schemas['ServiceTokenScope'],
  params: Readonly<Record<string, string>>,
): Verdict<Principal> {
  const { org_id: orgId, scopes } = principal;
  if (params['org_id'] !== undefined && params['org_id'].toLowerCase() !== orgId) {
    return { refusal: organizationMismatch({ message: 'The service token belongs to another organization.' }) };
  }
  if (!scopes.includes(scope)) {
    const message = `This needs the scope ${scope}, which the service token lacks.`;
    return { refusal: insufficientScope({ message, required_scope: scope }) };
  }
  return { principal };
}

function principalOf({ last_used_at: _lastUsedAt, expires_at, secret_ends_at, ...token }: PresentedToken): Principal {
  return { ...token, expires_at: expires_at.toISOString(), secret_ends_at: secret_ends_at.toISOString() };
}
