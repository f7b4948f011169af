/** The tables of work units in PostgreSQL, and their migration from the format of release 0.1.0. */
import type { Transaction } from '../../database/connection.js';
import { createCorrections } from './postgres-corrections.js';
import { ADDED_DIMENSIONS, CO_AUTHORS_COLUMN, MEASURE_COLUMNS, PHASE_COLUMNS, REVIEWERS_COLUMN } from './rows.js';

export const TABLES = ['work_units', 'work_unit_shares'];

/** Creates the tables, and gives those of an earlier release what they lack. */
export async function ensureTables(sql: Transaction): Promise<void> {
  // `create table if not exists` is not concurrency-safe: two first syncs at the same time would collide.
  await sql`select pg_advisory_xact_lock(hashtextextended('plumbline work units schema', 0))`;
  // Byte order, like the other engines. Early vacuuming allows index-only scans.
  await sql`
    create table if not exists work_units (
      org_id text collate "C" not null,
      id text collate "C" not null,
      repo_id text collate "C" not null,
      work_type text collate "C" not null,
      repo text collate "C" not null,
      team text collate "C" not null,
      author text collate "C" not null,
      theme text collate "C" not null,
      subcategory text collate "C" not null,
      started_at timestamptz not null,
      completed_at timestamptz,
      day date not null,
      churn bigint,
      cycle_ms bigint,
      primary key (org_id, id)
    ) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.02)`;
  await sql`
    create table if not exists work_unit_shares (
      org_id text collate "C" not null,
      id text collate "C" not null,
      work_type text collate "C" not null,
      repo text collate "C" not null,
      team text collate "C" not null,
      author text collate "C" not null,
      theme text collate "C" not null,
      subcategory text collate "C" not null,
      day date not null,
      weight integer not null,
      churn bigint,
      cycle_ms bigint,
      primary key (org_id, id, subcategory)
    ) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.02)`;
  // Release 0.1.0 had no unknown churn. Check first, because the change would wait for all readers.
  const strict = await sql<{ name: string }[]>`
    select attrelid::regclass::text as name from pg_attribute
    where attrelid in ('work_units'::regclass, 'work_unit_shares'::regclass) and attname = 'churn' and attnotnull`;
  for (const { name } of strict) await sql`alter table ${sql(name)} alter column churn drop not null`;
  await addMeasures(sql);
  await createCorrections(sql);
}

/**
 * The indexes that queries read instead of the tables. Those of releases before 0.2.0 had no assistants,
 * epics or co-authors. It is a separate transaction: the one that adds columns lets nobody read the tables until its end.
 */
export async function ensureDayIndexes(sql: Transaction): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('plumbline work units schema', 0))`;
  await sql`
    create index if not exists work_units_of_days on work_units (org_id, day)
      include (work_type, repo, team, author, theme, subcategory, assistant, epic, initiative, co_authors, churn,
               cycle_ms)`;
  await sql`
    create index if not exists work_unit_shares_of_days on work_unit_shares (org_id, day)
      include (work_type, repo, team, author, theme, subcategory, assistant, epic, initiative, co_authors,
               weight, churn, cycle_ms)`;
  await sql`drop index if exists work_units_by_day, work_unit_shares_by_day`;
}

/** Releases before 0.2.0 had none of these columns. Check first, as above. */
async function addMeasures(sql: Transaction): Promise<void> {
  const stored = await sql<{ name: string }[]>`
    select attname as name from pg_attribute where attrelid = 'work_units'::regclass and attnum > 0`;
  const names = new Set(stored.map(({ name }) => name));
  for (const column of MEASURE_COLUMNS)
    if (!names.has(column)) await sql`alter table work_units add column ${sql(column)} bigint`;
  if (!names.has(REVIEWERS_COLUMN)) await sql`alter table work_units add column ${sql(REVIEWERS_COLUMN)} text`;
  for (const column of ADDED_DIMENSIONS)
    if (!names.has(column))
      for (const table of TABLES)
        await sql`alter table ${sql(table)} add column ${sql(column)} text collate "C" not null default ''`;
  if (!names.has(CO_AUTHORS_COLUMN))
    for (const table of TABLES) await sql`alter table ${sql(table)} add column ${sql(CO_AUTHORS_COLUMN)} text`;
  // The conditions of `applicable` in the planner: few units are read without all others.
  await sql`
    create index if not exists work_units_merged on work_units (org_id, day)
      include (work_type, repo, team, author, theme, subcategory, ${sql(PHASE_COLUMNS)})
      where work_type = 'pull_request' and cycle_ms is not null`;
  await sql`
    create index if not exists work_units_deployed on work_units (org_id, day)
      include (work_type, repo, team, author, theme, subcategory, change_failed) where change_failed is not null`;
  await sql`
    create index if not exists work_units_opened on work_units (org_id)
      include (work_type, repo, team, author, theme, subcategory, opened_ms, closed_ms) where opened_ms is not null`;
  await sql`
    create index if not exists work_units_reviewed on work_units (org_id, day)
      include (work_type, repo, team, author, theme, subcategory) where reviewers is not null`;
}
