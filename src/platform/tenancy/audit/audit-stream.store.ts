import type { Sql } from '../../../database/connection.js';
import { recordColumns, type AuditRow } from './audit-records.store.js';

/** Where a record is in the stream. The time has microseconds, which `Date` would cut off. */
export interface StreamPosition {
  readonly inserted_at: string;
  readonly at: Date;
  readonly id: string;
}

export type StreamedRow = AuditRow & StreamPosition;

/** @returns null if the organization has no such record */
export async function findStreamPosition(sql: Sql, orgId: string, id: string): Promise<StreamPosition | null> {
  const [position] = await sql<StreamPosition[]>`
    select inserted_at::text, at, id from audit_log where org_id = ${orgId} and id = ${id}`;
  return position ?? null;
}

/**
 * The time before which no record will be added any more: the beginning of the oldest transaction that runs. A record has
 * the beginning of its transaction in `inserted_at`. The statement that reads records follows this one, so it sees what
 * has been committed until now. A transaction that begins is not listed at once, hence the second. Syncs hold
 * transactions for hours, and add no records.
 */
export async function streamHorizon(sql: Sql): Promise<string> {
  const [row] = await sql<[{ horizon: string }]>`
    select (least(now(), min(xact_start)) - interval '1 second')::text as horizon from pg_stat_activity
    where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()
      and application_name not like 'plumbline sync%'`;
  return row.horizon;
}

/** The records after a position (null: from the oldest on) and before the horizon, in the order of the stream. */
export async function selectStreamedRecords(
  sql: Sql,
  orgId: string,
  { after, horizon }: { readonly after: StreamPosition | null; readonly horizon: string },
  limit: number,
): Promise<StreamedRow[]> {
  return sql<StreamedRow[]>`
    select ${recordColumns(sql)}, inserted_at::text from audit_log
    where org_id = ${orgId} and inserted_at < ${horizon}::text::timestamptz
      ${after === null ? sql`` : sql`and (inserted_at, at, id) > (${after.inserted_at}::text::timestamptz, ${after.at}, ${after.id})`}
    order by inserted_at, at, id limit ${limit}`;
}
