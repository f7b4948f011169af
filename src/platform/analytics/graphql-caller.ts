import type { Schemas } from '../../../generated/platform/operations.js';
import type { Caller } from '../../analytics/graphql/organization.js';
import type { Sql } from '../../database/connection.js';
import { findAccount } from '../accounts/accounts.store.js';

/**
 * The sender of a query. Members can read every organization that they currently belong to. A superuser can read any
 * organization, including ones unknown to the Platform, such as `default`, which the command line uses for its syncs.
 *
 * @param principal what authentication by the scheme `bearer` has returned
 */
export function graphqlCallerOf(sql: Sql, principal: unknown): Caller {
  // The endpoint names the scheme, and its handler is typed by the contract to return this principal.
  const { user_id: id, org_id: tokenOrgId, is_superuser: isSuperuser } = principal as Schemas['AccountPrincipal'];
  return {
    tokenOrgId,
    mayRead: async (orgId) => isSuperuser || orgId === tokenOrgId || (await isMember(sql, id, orgId)),
  };
}

const uuid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/;

async function isMember(sql: Sql, userId: string, orgId: string): Promise<boolean> {
  if (!uuid.test(orgId)) return false; // not the id of a Platform organization
  return (await findAccount(sql, userId, orgId))?.org_id === orgId;
}
