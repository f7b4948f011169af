import type { DatabaseSql, Sql } from '../../../database/connection.js';
import { after } from '../../clock.js';
import type { PushedContent } from './pushed-rows.js';

/** A push whose records wait to be stored. */
export interface WaitingPush {
  readonly id: string;
  readonly content: PushedContent;
}

/** A push that cannot be stored. */
export interface RefusedPush {
  readonly id: string;
  /** A message for users. */
  readonly reason: string;
}

/** What waits to be stored. */
export interface Waiting {
  readonly records: number;
  readonly bytes: number;
}

/** Holds the pushes of the organization until the end of the transaction, so that two do not exceed its maximum. */
export async function lockWaiting(sql: Sql, orgId: string): Promise<Waiting> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`pushed records of ${orgId}`}, 0))`;
  return countWaiting(sql, orgId);
}

export async function countWaiting(sql: Sql, orgId: string): Promise<Waiting> {
  const [row] = await sql<[Waiting]>`
    select coalesce(sum(records), 0)::int as records, coalesce(sum(bytes), 0)::float8 as bytes
    from pushed_records where org_id = ${orgId} and refusal is null`;
  return row;
}

/** Records that are kept although they cannot be stored. */
export interface Refused {
  readonly records: number;
  /** Why the last of them was refused; null: there are none. */
  readonly reason: string | null;
}

export async function findRefused(sql: Sql, orgId: string): Promise<Refused> {
  const [row] = await sql<[Refused]>`
    select coalesce(sum(records), 0)::int as records, (array_agg(refusal order by id desc))[1] as reason
    from pushed_records where org_id = ${orgId} and refusal is not null`;
  return row;
}

export async function insertPush(
  sql: Sql,
  { orgId, content, records }: { readonly orgId: string; readonly content: PushedContent; readonly records: number },
  now: Date,
): Promise<void> {
  const bytes = Buffer.byteLength(JSON.stringify(content));
  await sql`
    insert into pushed_records (org_id, content, records, bytes, pushed_at)
    values (${orgId}, ${sql.json(content)}, ${records}, ${bytes}, ${now})`;
}

/** The oldest pushes, up to about as many records and bytes in all; at least one push, if one waits. */
export async function oldestPushes(sql: Sql, orgId: string, limit: Waiting): Promise<readonly WaitingPush[]> {
  return sql<WaitingPush[]>`
    with places as (
      select id, sum(p.records) over (order by id) - p.records as records_before,
        sum(bytes) over (order by id) - bytes as bytes_before
      from pushed_records p where org_id = ${orgId} and refusal is null
    )
    select p.id, p.content from places join pushed_records p on p.id = places.id
    where records_before < ${limit.records} and bytes_before < ${limit.bytes} order by p.id`;
}

/** How long a push that cannot be stored is kept, for an operator to look at. */
const refusedDays = 30;

/** Deletes pushes whose records are stored, sets those aside that are refused, and asks for the rest once more. */
export async function completePushes(
  sql: DatabaseSql,
  orgId: string,
  { stored, refused }: { readonly stored: readonly string[]; readonly refused: readonly RefusedPush[] },
  now: Date,
): Promise<void> {
  const long = after(now, -refusedDays * 86_400);
  await sql.begin(async (transaction) => {
    if (stored.length > 0)
      await transaction`
        delete from pushed_records where org_id = ${orgId} and id in ${transaction([...stored])}`;
    await transaction`
      delete from pushed_records where org_id = ${orgId} and refusal is not null and pushed_at < ${long}`;
    for (const { id, reason } of refused)
      await transaction`update pushed_records set refusal = ${reason} where org_id = ${orgId} and id = ${id}`;
    const { records } = await countWaiting(transaction, orgId);
    // Not inserted: without the task, the organization is being removed.
    if (records > 0)
      await transaction`
        update store_tasks set revision = revision + 1 where org_id = ${orgId} and kind = 'store_pushed_records'`;
  });
}
