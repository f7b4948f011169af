import type { Schemas } from '../../../../generated/platform/operations.js';
import type { Caller } from '../../../analytics/graphql/organization.js';
import type { Sql } from '../../../database/connection.js';
import { findAccount } from '../../identity/accounts/accounts.store.js';
import { isUuid } from '@plumbline/contract/system/uuid';

/**
 * The sender of a query. Members can read every organization that they currently belong to. A superuser can read any
 * organization, including ones unknown to the Platform, such as `default`, which the command line uses for its syncs.
 *
 * @param principal the result of authentication
 */
export function graphqlCallerOf(sql: Sql, principal: unknown): Caller {
  // The endpoint names the schemes, and their handlers are typed by the contract to return these principals.
  const caller = principal as Schemas['AccountPrincipal'] | Schemas['ServiceTokenPrincipal'];
  if ('service_token_id' in caller) return serviceTokenCaller(caller);
  const { user_id: id, org_id: tokenOrgId, is_superuser: isSuperuser } = caller;
  return {
    tokenOrgId,
    missingScope: null,
    mayRead: async (orgId) => isSuperuser || orgId === tokenOrgId || (await isMember(sql, id, orgId)),
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

async function isMember(sql: Sql, userId: string, orgId: string): Promise<boolean> {
  if (!isUuid(orgId)) return false; // not the id of a Platform organization
  return (await findAccount(sql, userId, orgId))?.org_id === orgId;
}
