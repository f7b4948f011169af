import type { Schemas } from '../../../../generated/platform/operations.js';
import type { Sql } from '../../../database/connection.js';
import { deletionOf, findDeletion } from '../deletion/deletions.store.js';

/**
 * Creates an organization with its first member, the owner. Call it in a transaction, and under the owner's lock
 * (`lockUser`) if users may have only one organization.
 *
 * @param name as entered; the contract has checked that it is not blank
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

/** Renames an organization. @returns the contract's `Organization` */
export async function renameOrganization(
  sql: Sql,
  orgId: string,
  name: string,
  now: Date,
): Promise<Schemas['Organization']> {
  await sql`update organizations set name = ${name.trim()}, updated_at = ${now} where id = ${orgId}`;
  return readOrganization(sql, orgId);
}

/** The contract's `Organization`. */
export async function readOrganization(sql: Sql, orgId: string): Promise<Schemas['Organization']> {
  const [row] = await sql<{ name: string; created_at: Date; updated_at: Date; mfa_required: boolean }[]>`
    select name, created_at, updated_at, mfa_required from organizations where id = ${orgId}`;
  if (row === undefined) throw new Error('The organization of the caller no longer exists');
  const deletion = await findDeletion(sql, orgId);
  return {
    id: orgId,
    name: row.name,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    mfa_required: row.mfa_required,
    deletion: deletion === null ? null : deletionOf(deletion),
  };
}
