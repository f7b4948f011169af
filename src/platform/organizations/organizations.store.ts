import type { Sql } from '../../database/connection.js';

/**
 * Creates an organization with its first member, the owner. The caller runs this in a transaction, and holds the lock
 * of the owner (`lockUser`) where a person may have one organization only.
 *
 * @param name as the person wrote it; the contract has checked that it is not blank
 * @returns the id of the organization
 */
export async function createOrganization(
  sql: Sql,
  { name, ownerId }: { readonly name: string; readonly ownerId: string },
  now: Date,
): Promise<string> {
  const [organization] = await sql<{ id: string }[]>`
    with organization as (
      insert into organizations (name, created_by, created_at, updated_at)
      values (${name.trim()}, ${ownerId}, ${now}, ${now})
      returning id
    )
    insert into memberships (user_id, org_id, role, joined_at, updated_at)
    select ${ownerId}, id, 'owner', ${now}, ${now} from organization
    returning org_id as id`;
  if (organization === undefined) throw new Error('The insert of an organization returned no row');
  return organization.id;
}
