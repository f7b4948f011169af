import type { DatabaseSql, Sql } from '../../../database/connection.js';
import { requestTask } from '../store-tasks/store-tasks.store.js';
import type { PushedContent } from './pushed-rows.js';

/** A push whose records wait to be stored. */
export interface WaitingPush {
  readonly id: string;
  readonly content: PushedContent;
}

/** What waits to be stored. */
export interface Waiting {
  readonly pushes: number;
  readonly records: number;
}

/** Holds the pushes of the organization until the end of the transaction, so that two do not exceed its maximum. */
export async function lockWaiting(sql: Sql, orgId: string): Promise<Waiting> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`pushed records of ${orgId}`}, 0))`;
  return countWaiting(sql, orgId);
}

export async function countWaiting(sql: Sql, orgId: string): Promise<Waiting> {
  const [row] = await sql<[Waiting]>`
    select count(*)::int as pushes, coalesce(sum(records), 0)::int as records
    from pushed_records where org_id = ${orgId}`;
  return row;
}

export async function insertPush(
  sql: Sql,
  { orgId, content, records }: { readonly orgId: string; readonly content: PushedContent; readonly records: number },
  now: Date,
): Promise<void> {
  await sql`
    insert into pushed_records (org_id, content, records, pushed_at)
    values (${orgId}, ${sql.json(content)}, ${records}, ${now})`;
}

/** The oldest pushes, with about as many records in all; at least one push, if one waits. */
export async function oldestPushes(sql: Sql, orgId: string, records: number): Promise<readonly WaitingPush[]> {
  return sql<WaitingPush[]>`
    select id, content from (
      select id, content, sum(p.records) over (order by id) - p.records as before from pushed_records p
      where org_id = ${orgId} order by id limit 100
    ) oldest
    where before < ${records} order by id`;
}

/** Deletes pushes whose records are stored, and requests the task again if others wait. */
export async function completePushes(
  sql: DatabaseSql,
  orgId: string,
  pushes: readonly WaitingPush[],
  now: Date,
): Promise<void> {
  await sql.begin(async (transaction) => {
    const ids = pushes.map(({ id }) => id);
    await transaction`delete from pushed_records where org_id = ${orgId} and id in ${transaction(ids)}`;
    const { pushes: others } = await countWaiting(transaction, orgId);
    if (others > 0) await requestTask(transaction, { orgId, kind: 'store_pushed_records', availableAt: now }, now);
  });
}
