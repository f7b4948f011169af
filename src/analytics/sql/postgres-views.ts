/**
 * The views of SQL.md in PostgreSQL, and the roles that may read them.
 *
 * A view reads the tables with the rights of its owner, which is the database role of Plumbline. It shows the rows of one
 * organization only: `readers` says which organization the role that logged in may read. That role is `session_user`, which
 * `set role` does not change. A reader has no right on `readers`, nor on any table. `security_barrier` evaluates the condition on the organization before the conditions of
 * a query, so that a function with side effects sees no other rows.
 */
import type postgres from 'postgres';
import type { View } from './view-columns.js';
import { SQL_SCHEMA, VIEWS } from './views.js';

/** Views that exist; they are created in a transaction with this lock, because two commands at once would collide. */
const LOCK = 'plumbline sql views';

/**
 * Creates the schema, the list of readers and the views, or replaces the views by those of this release.
 *
 * @throws PostgresError insufficient_privilege when the role may not create schemas; Error when another installation in
 *   the same database has the schema
 */
export async function ensureViews(sql: postgres.TransactionSql): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${LOCK}, 0))`;
  const tables = await sourceSchema(sql);
  const [stored] = await sql<{ tables: string | null }[]>`
    select obj_description(oid, 'pg_namespace') as tables from pg_namespace where nspname = ${SQL_SCHEMA}`;
  if (stored === undefined) await sql.unsafe(`create schema ${SQL_SCHEMA}`);
  const comment = `Views of Plumbline over the schema ${tables}`;
  const isNew = stored === undefined || stored.tables === null;
  if (!isNew && stored.tables !== comment)
    throw new Error(
      `The schema ${SQL_SCHEMA} has views of another installation in this database (${stored.tables}): ` +
        'use a database for each installation',
    );
  if (isNew) await sql.unsafe(`comment on schema ${SQL_SCHEMA} is ${literal(comment)}`);
  await sql.unsafe(`
    create table if not exists ${SQL_SCHEMA}.readers (
      role name primary key,
      org_id text not null,
      granted_at timestamptz(3) not null default now()
    )`);
  for (const view of VIEWS) await sql.unsafe(createView(view));
  for (const { name, columns } of VIEWS)
    for (const column of columns)
      await sql.unsafe(`comment on column ${SQL_SCHEMA}.${name}.${column.name} is ${literal(column.about)}`);
}

/** The statement that creates a view, or replaces it by one with the same columns and others at its end. */
export function createView({ name, columns, from, organization }: View): string {
  const expressions = columns.map((column) => `(${column.postgres})::${column.type} as ${column.name}`);
  return (
    `create or replace view ${SQL_SCHEMA}.${name} with (security_barrier = true) as select ${expressions.join(', ')} ` +
    `from ${from.postgres} ` +
    `where ${organization} = (select reader.org_id from ${SQL_SCHEMA}.readers reader where reader.role = session_user)`
  );
}

/** The statements that let a role read the views, and nothing else. */
export function grantsOf(role: string): readonly string[] {
  const views = VIEWS.map(({ name }) => `${SQL_SCHEMA}.${name}`).join(', ');
  return [
    `grant usage on schema ${SQL_SCHEMA} to ${identifier(role)}`,
    `grant select on ${views} to ${identifier(role)}`,
  ];
}

async function sourceSchema(sql: postgres.TransactionSql): Promise<string> {
  const [row] = await sql<{ schema: string | null }[]>`
    select relnamespace::regnamespace::text as schema from pg_class where oid = to_regclass('work_units')`;
  if (row?.schema == null) throw new Error('The database has no work units yet: run a sync first');
  return row.schema;
}

/** An identifier as PostgreSQL quotes it. */
export function identifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** A text as PostgreSQL quotes it with `standard_conforming_strings`, which is on unless somebody turns it off. */
export function literal(text: string): string {
  return text.includes('\\')
    ? ` E'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`
    : `'${text.replaceAll("'", "''")}'`;
}
