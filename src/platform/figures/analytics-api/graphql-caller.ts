import type { Schemas } from '../../../../generated/platform/operations.js';
import type { Caller } from '../../../analytics/graphql/organization.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { findAccountInSession } from '../../identity/accounts/accounts.store.js';
import { isUuid } from '@plumbline/contract/system/uuid';

/**
 * The sender of a query. Members can read every organization that they currently belong to. A superuser can read any
 * organization, including ones unknown to the Platform, such as `default`, which the command line uses for its syncs. An
 * organization that demands a second factor is closed to sessions without one.
 *
 * @param principal the result of authentication
 */
export function graphqlCallerOf(
  { sql, clock }: Pick<PlatformDependencies, 'sql' | 'clock'>,
  principal: unknown,
): Caller {
  // The endpoint names the schemes, and their handlers are typed by the contract to return these principals.
  const caller = principal as Schemas['AccountPrincipal'] | Schemas['ServiceTokenPrincipal'];
  if ('service_token_id' in caller) return serviceTokenCaller(caller);
  const { org_id: tokenOrgId, is_superuser: isSuperuser } = caller;
  return {
    tokenOrgId,
    missingScope: null,
    mayRead: async (orgId) => {
      if (orgId === tokenOrgId) return true;
      const { user_id: userId, session_id: sessionId } = caller;
      const now = clock.now();
      const account = isUuid(orgId) ? await findAccountInSession(sql, { userId, orgId, sessionId }, now) : null;
      return account?.org_id === orgId ? !account.mfa_missing : isSuperuser;
    },
  };
}

/** A service token reads its organization only. */
function serviceTokenCaller({ org_id: tokenOrgId, scopes }: Schemas['ServiceTokenPrincipal']): Caller {
  return {
    tokenOrgId,
    missingScope: scopes.includes('analytics:read') ? null : 'analytics:read',
    mayRead: (orgId) => Promise.resolve(orgId === tokenOrgId),
  };
}
