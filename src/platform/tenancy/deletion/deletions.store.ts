import type { PendingQuery, Row } from 'postgres';
import type { Schemas } from '../../../../generated/platform/operations.js';
import { deletionPending, type DeletionPending } from '../../../../generated/problems.js';
import type { Sql } from '../../../database/connection.js';
import { after } from '../../clock.js';

/** The time in which a deletion can be taken back. */
const delaySeconds = 7 * 86_400;

/** The mark of an organization that will be deleted. */
export interface DeletionRow {
  readonly requested_at: Date;
  /** Null: the account no longer exists. */
  readonly requested_by: string | null;
  readonly due_at: Date;
}

/** @returns null when the organization is not marked */
export async function findDeletion(sql: Sql, orgId: string): Promise<DeletionRow | null> {
  const [row] = await sql<DeletionRow[]>`
    select requested_at, requested_by, due_at from organization_deletions where org_id = ${orgId}`;
  return row ?? null;
}

/** The condition that an organization is marked, for statements about many. @param orgId the column with its id */
export function isMarked(sql: Sql, orgId: string): PendingQuery<Row[]> {
  return sql`exists (select 1 from organization_deletions d where d.org_id = ${sql(orgId)})`;
}

/** Whether an organization is marked for deletion. */
export async function isMarkedForDeletion(sql: Sql, orgId: string): Promise<boolean> {
  return (await sql`select 1 from organization_deletions where org_id = ${orgId}`).length > 0;
}

/** Marks an organization. Call it under the lock of the organization, which is not marked. */
export async function insertDeletion(sql: Sql, orgId: string, userId: string, now: Date): Promise<DeletionRow> {
  const row = { requested_at: now, requested_by: userId, due_at: after(now, delaySeconds) };
  await sql`insert into organization_deletions ${sql({ org_id: orgId, ...row })}`;
  return row;
}

/**
 * Takes a mark back. Call it under the lock of the organization.
 *
 * @returns false: the organization is not marked, or its removal has begun
 */
export async function takeDeletionBack(sql: Sql, orgId: string): Promise<boolean> {
  const rows = await sql`
    delete from organization_deletions where org_id = ${orgId} and started_at is null returning 1`;
  return rows.length > 0;
}

/** The refusal of what a marked organization does not do; null: it is not marked. */
export async function refusalWhileMarked(sql: Sql, orgId: string): Promise<DeletionPending | null> {
  return (await findDeletion(sql, orgId)) === null
    ? null
    : deletionPending({ message: 'The organization is marked for deletion. An owner can take that back.' });
}

/** The contract's `OrganizationDeletion`. */
export function deletionOf(row: DeletionRow): Schemas['OrganizationDeletion'] {
  return { ...row, requested_at: row.requested_at.toISOString(), due_at: row.due_at.toISOString() };
}
