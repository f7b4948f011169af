import type { Schemas } from '../../../../generated/platform/operations.js';
import type { Sql } from '../../../database/connection.js';
import type { Position } from '../../server/paging.js';
import { withAllFilters } from '../stored-definition.js';

export interface ViewRow {
  readonly id: string;
  readonly name: string;
  /** JSON. */
  readonly definition: string;
  readonly created_by: string | null;
  readonly created_by_name: string | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** The views of an organization, the oldest first. */
export async function selectViews(
  sql: Sql,
  orgId: string,
  position: Position | null,
  limit: number,
): Promise<ViewRow[]> {
  return sql<ViewRow[]>`
    ${withCreator(sql)} where v.org_id = ${orgId}
      ${position === null ? sql`` : sql`and (v.created_at, v.id) > (${position.at}, ${position.id})`}
    order by v.created_at, v.id limit ${limit}`;
}

export async function findView(sql: Sql, orgId: string, id: string): Promise<ViewRow | null> {
  const [row] = await sql<ViewRow[]>`${withCreator(sql)} where v.org_id = ${orgId} and v.id = ${id}`;
  return row ?? null;
}

function withCreator(sql: Sql): ReturnType<Sql> {
  return sql`
    select v.id, v.name, v.definition, v.created_by, coalesce(u.full_name, u.email) as created_by_name, v.created_at,
      v.updated_at
    from saved_views v left join users u on u.id = v.created_by`;
}

/** Locks a view until the transaction ends. @returns null when the organization has none with this id */
export async function lockView(
  sql: Sql,
  orgId: string,
  id: string,
): Promise<{ readonly created_by: string | null } | null> {
  const [row] = await sql<{ created_by: string | null }[]>`
    select created_by from saved_views where org_id = ${orgId} and id = ${id} for update`;
  return row ?? null;
}

export async function countViews(sql: Sql, orgId: string): Promise<number> {
  const [row] = await sql<{ count: number }[]>`select count(*)::int from saved_views where org_id = ${orgId}`;
  return row?.count ?? 0;
}

/** @returns the id, or null when the organization has a view of this name */
export async function insertView(
  sql: Sql,
  view: {
    readonly orgId: string;
    readonly name: string;
    readonly definition: Schemas['ViewDefinition'];
    /** null: a service token. */
    readonly createdBy: string | null;
  },
  now: Date,
): Promise<string | null> {
  const [row] = await sql<{ id: string }[]>`
    insert into saved_views (org_id, name, definition, created_by, created_at, updated_at)
    values (${view.orgId}, ${view.name}, ${JSON.stringify(view.definition)}, ${view.createdBy}, ${now}, ${now})
    on conflict do nothing
    returning id`;
  return row?.id ?? null;
}

/** Changes the given fields. @throws PostgresError of `saved_views_name_key` when the name is taken */
export async function changeView(
  sql: Sql,
  orgId: string,
  id: string,
  { name, definition }: Schemas['UpdateViewRequest'],
  now: Date,
): Promise<void> {
  await sql`
    update saved_views set updated_at = ${now}
      ${name === undefined ? sql`` : sql`, name = ${name.trim()}`}
      ${definition === undefined ? sql`` : sql`, definition = ${JSON.stringify(definition)}`}
    where org_id = ${orgId} and id = ${id}`;
}

export async function removeView(sql: Sql, orgId: string, id: string): Promise<void> {
  await sql`delete from saved_views where org_id = ${orgId} and id = ${id}`;
}

/** The contract's `View`. */
export function viewOf(row: ViewRow): Schemas['View'] {
  return {
    ...row,
    // The contract validated it when it was stored.
    definition: withAllFilters(JSON.parse(row.definition) as Schemas['ViewDefinition']),
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}
