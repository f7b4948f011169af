import type { Caller } from '../../analytics/graphql/organization.js';
import type { Sql } from '../../database/connection.js';
import { findAccount } from '../accounts/accounts.store.js';
import { bearerOf, type BearerParts } from '../accounts/bearer-security.js';

/**
 * Authenticates a query's sender against the database on every request. Members can read every organization that they
 * currently belong to. A superuser can read any organization, including ones unknown to the Platform, such as
 * `default`, which the command line uses for its syncs.
 */
export function createGraphqlAuthentication(parts: BearerParts): (token: string) => Promise<Caller | null> {
  return async (token) => {
    const bearer = await bearerOf(parts, token);
    if (bearer === null) return null;
    const { id, org_id: tokenOrgId, is_superuser: isSuperuser } = bearer.account;
    return {
      userId: id,
      tokenOrgId,
      mayRead: async (orgId) => isSuperuser || orgId === tokenOrgId || (await isMember(parts.sql, id, orgId)),
    };
  };
}

const uuid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/;

async function isMember(sql: Sql, userId: string, orgId: string): Promise<boolean> {
  if (!uuid.test(orgId)) return false; // not the id of a Platform organization
  return (await findAccount(sql, userId, orgId))?.org_id === orgId;
}
