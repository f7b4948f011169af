import type { Sql } from '../../../database/connection.js';
import { lockOrganization } from '../../tenancy/organizations/members.store.js';
import { findPerson, lockAccountsOf, type PersonRow } from './people.store.js';
import { isId } from './refusals.js';

/**
 * Finds a user of the organization, and locks the account and the organization until the transaction ends. The account
 * may be one that has not joined: it could accept the invite at the same time.
 */
export async function lockPerson(sql: Sql, orgId: string, id: string): Promise<PersonRow | null> {
  if (!isId(id)) return null;
  const seen = await findPerson(sql, orgId, id);
  if (seen === null) return null;
  await lockAccountsOf(sql, seen);
  await lockOrganization(sql, orgId);
  return findPerson(sql, orgId, id); // it may have changed until the lock was taken
}
