import type { Caller } from '../../analytics/graphql/organization.js';
import type { Sql } from '../../database/connection.js';
import { findAccount } from '../accounts/accounts.store.js';
import { bearerOf, type BearerParts } from '../accounts/bearer-security.js';

/**
 * Finds out who sends a query, against the database on every request. What a member may read is every organization that
 * they are a member of now; a superuser reads any, also one that the Platform does not know, such as `default`, under
 * which the command line files what it syncs.
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
  if (!uuid.test(orgId)) return false; // no organization of the Platform is called that
  return (await findAccount(sql, userId, orgId))?.org_id === orgId;
}
