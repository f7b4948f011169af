import type { Schemas } from '../../../../generated/platform/operations.js';
import type { Sql } from '../../../database/connection.js';
import { after } from '../../clock.js';
import type { Position } from '../../server/paging.js';
import { withAllFilters } from '../stored-definition.js';

type Definition = Schemas['ThresholdDefinition'];

export interface ThresholdRow {
  readonly id: string;
  readonly name: string;
  /** JSON. */
  readonly definition: string;
  readonly is_crossed: boolean;
  readonly last_value: number | null;
  readonly evaluated_at: Date | null;
  readonly created_by: string | null;
  readonly created_at: Date;
}

/** The thresholds of an organization, newest first. */
export async function selectThresholds(
  sql: Sql,
  orgId: string,
  position: Position | null,
  limit: number,
): Promise<ThresholdRow[]> {
  return sql<ThresholdRow[]>`
    select ${columns(sql)} from analytics_thresholds
    where org_id = ${orgId} ${position === null ? sql`` : sql`and (created_at, id) < (${position.at}, ${position.id})`}
    order by created_at desc, id desc limit ${limit}`;
}

export async function countThresholds(sql: Sql, orgId: string): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int from analytics_thresholds where org_id = ${orgId}`;
  return row?.count ?? 0;
}

export async function insertThreshold(
  sql: Sql,
  orgId: string,
  threshold: {
    readonly id: string;
    readonly name: string;
    readonly definition: Definition;
    readonly createdBy: string | null;
  },
  now: Date,
): Promise<ThresholdRow> {
  const { id, name, definition, createdBy } = threshold;
  const [row] = await sql<[ThresholdRow]>`
    insert into analytics_thresholds (id, org_id, name, definition, created_by, created_at)
    values (${id}, ${orgId}, ${name}, ${JSON.stringify(definition)}, ${createdBy}, ${now})
    returning ${columns(sql)}`;
  return row;
}

/** @returns its name; null when the organization has no such threshold */
export async function removeThreshold(sql: Sql, orgId: string, id: string): Promise<string | null> {
  const [row] = await sql<{ name: string }[]>`
    delete from analytics_thresholds where org_id = ${orgId} and id = ${id} returning name`;
  return row?.name ?? null;
}

/** Asks for an evaluation of all thresholds of an organization, in the transaction that ends a sync run. */
export async function requestEvaluation(sql: Sql, orgId: string, now: Date): Promise<void> {
  await sql`
    update analytics_thresholds set evaluate_at = ${now}, attempts = 0
    where id in (select id from analytics_thresholds where org_id = ${orgId} order by id for update)`; // in one order
}

/** A threshold that this server evaluates. */
export interface DueThreshold {
  readonly id: string;
  readonly org_id: string;
  readonly name: string;
  /** JSON. */
  readonly definition: string;
  /** When this evaluation began. */
  readonly taken_at: Date;
  /** Identifies this evaluation: a request that arrives meanwhile sets another time. */
  readonly lease_end: Date;
  /** Includes this one. */
  readonly attempts: number;
}

/** How many thresholds a server may take, for how long and how often. */
export interface EvaluationLimits {
  readonly leaseSeconds: number;
  readonly count: number;
  readonly maxAttempts: number;
}

/**
 * Takes thresholds that are due, one of each organization. The organization whose latest evaluation began first comes
 * first, so those with many or slow thresholds do not delay the others. They become due again after `leaseSeconds`, in
 * case this server dies, and are given up after `maxAttempts` until the next sync run.
 *
 * @param inFlight what this server is evaluating; their organizations wait
 */
export async function takeDueThresholds(
  sql: Sql,
  now: Date,
  inFlight: readonly Pick<DueThreshold, 'org_id'>[],
  { leaseSeconds, count, maxAttempts }: EvaluationLimits,
): Promise<DueThreshold[]> {
  const busy = sql.typed.texts(inFlight.map((each) => each.org_id));
  // Rows are locked before the limit, so that those which another transaction holds do not use it up.
  return sql<DueThreshold[]>`
    with given_up as (
      update analytics_thresholds set evaluate_at = null
      where id in (
        select id from analytics_thresholds where evaluate_at <= ${now} and attempts >= ${maxAttempts}
        for update skip locked
      )
    ), organizations as (
      select org_id, (select max(taken_at) from analytics_thresholds where org_id = due.org_id) as latest
      from analytics_thresholds as due
      where evaluate_at <= ${now} and attempts < ${maxAttempts} and org_id <> all(${busy}::text[]::uuid[])
      group by org_id
    ), taken as (
      select first.id
      from organizations as of cross join lateral (
        select id, evaluate_at from analytics_thresholds
        where org_id = of.org_id and evaluate_at <= ${now} and attempts < ${maxAttempts}
        order by evaluate_at, id limit 1 for update skip locked
      ) as first
      order by of.latest nulls first, first.evaluate_at, first.id limit ${count}
    )
    update analytics_thresholds
    set evaluate_at = ${after(now, leaseSeconds)}, attempts = attempts + 1, taken_at = ${now}
    where id in (select id from taken)
    returning id, org_id, name, definition, taken_at, evaluate_at as lease_end, attempts`;
}

/**
 * Stores an evaluation. If another one was requested meanwhile, that one follows. The value is stored all the same:
 * otherwise an organization whose runs end faster than its figures are measured would never get one. Nothing is stored if
 * the definition has changed, or if a later evaluation was stored first.
 *
 * @param value null: there is nothing to measure, so `is_crossed` stays
 * @returns whether the threshold was not crossed before, and is now
 */
export async function storeEvaluation(
  sql: Sql,
  { id, definition, taken_at: takenAt, lease_end: leaseEnd }: DueThreshold,
  { value, isCrossed }: { readonly value: number | null; readonly isCrossed: boolean },
  now: Date,
): Promise<boolean> {
  const [before] = await sql<{ is_crossed: boolean }[]>`
    select is_crossed from analytics_thresholds
    where id = ${id} and definition = ${definition}
      and (evaluate_at = ${leaseEnd} or evaluated_at is null or evaluated_at <= ${takenAt}) for update`;
  if (before === undefined) return false;
  const crossed = value === null ? before.is_crossed : isCrossed;
  await sql`
    update analytics_thresholds
    set is_crossed = ${crossed}, last_value = ${value}, evaluated_at = ${now},
      evaluate_at = nullif(evaluate_at, ${leaseEnd})
    where id = ${id}`;
  return crossed && !before.is_crossed;
}

/** Ends the attempts until the next sync run. */
export async function giveUpEvaluation(sql: Sql, { id, lease_end: leaseEnd }: DueThreshold): Promise<void> {
  await sql`update analytics_thresholds set evaluate_at = null where id = ${id} and evaluate_at = ${leaseEnd}`;
}

function columns(sql: Sql): ReturnType<Sql> {
  return sql`id, name, definition, is_crossed, last_value, evaluated_at, created_by, created_at`;
}

/** The stored definition. */
export function definitionOf({ definition }: Pick<ThresholdRow, 'definition'>): Definition {
  return withAllFilters(JSON.parse(definition) as Definition); // as it was validated when it was stored
}

/** The contract's `Threshold`. */
export function thresholdOf(row: ThresholdRow): Schemas['Threshold'] {
  const { id, name, is_crossed, last_value, created_by } = row;
  return {
    ...{ id, name, definition: definitionOf(row), is_crossed, last_value, created_by },
    evaluated_at: row.evaluated_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
  };
}
