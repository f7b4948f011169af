/**
 * Work units in PostgreSQL: a row per unit, and a row per unit and subcategory with the dimensions repeated.
 *
 * Analytics read two indexes and never the tables: the indexes are ordered by organization and day and contain all
 * columns that queries use. The README of the parent folder has the figures.
 */
import { openDatabase, type Sql, type Transaction } from '../../database/connection.js';
import { analyzeUnknown } from '../../database/statistics.js';
import { storableText } from '../../database/storable-text.js';
import { writeTexts } from '../../database/text-arrays.js';
import type { RecentUnits, WorkUnit, WorkUnitChange, WorkUnitStore } from '../work-unit.js';
import { asCorrected, correctedOf } from './corrections.js';
import type { StoreOptions } from './options.js';
import { postgresCorrections, selectCorrected } from './postgres-corrections.js';
import { ensureDayIndexes, ensureTables, TABLES } from './postgres-schema.js';
import {
  CO_AUTHORS_COLUMN,
  hasMeasures,
  idsOf,
  MEASURE_COLUMNS,
  partRow,
  REVIEWERS_COLUMN,
  unitOf,
  unitRow,
  type UnitRow,
} from './rows.js';
import { partsOf } from './shares.js';

/** Units per batch of a scan. */
const BATCH = 1000;
/** Units per statement. */
const WRITTEN = 5000;

/** Opens the store; the first statement connects. */
export function openPostgresStore(uri: string, options: StoreOptions): WorkUnitStore {
  const database = openDatabase(uri, { logger: options.log, maxConnections: 4, statementTimeoutMs: 300_000 });
  const { sql } = database;
  return {
    ensureSchema: async () => {
      await sql.begin(ensureTables);
      await sql.begin(ensureDayIndexes);
      await analyzeUnknown(sql, TABLES);
    },
    apply: (change) =>
      sql.begin(async (transaction) => {
        // A server that crashes loses the most recent changes together with their progress notes, so they are derived
        // again. So no commit has to wait for the disk.
        await Promise.all([transaction`set local synchronous_commit = off`, apply(transaction, change)]);
      }),
    scan: (orgId, repoId) => scan(sql, orgId, repoId),
    find: (orgId, id) => find(sql, orgId, id),
    recentUnits: (orgId, since, limit) => recentUnits(sql, orgId, since, limit),
    ...postgresCorrections(sql, { find, apply, lock: lockRepository }),
    settle: () => analyzeUnknown(sql, TABLES),
    close: () => database.close(),
  };
}

async function apply(sql: Transaction, change: WorkUnitChange): Promise<void> {
  const { orgId, repoId } = change;
  const areNew = change.areNew === true;
  const isRemoving = change.removed.length > 0;
  // Syncs of one repository are serialized; those of different repositories share no rows. Statements that are not
  // awaited are pipelined.
  const [, rows] = await Promise.all([lockRepository(sql, orgId, repoId), selectCorrected(sql, orgId, repoId)]);
  const corrected = correctedOf(rows.map(({ id, subcategory }) => [id, subcategory]));
  const statements = isRemoving
    ? [removeShares(sql, orgId, change.removed), removeUnits(sql, orgId, change.removed)]
    : [];
  for (let start = 0; start < change.units.length; start += WRITTEN) {
    const some = change.units.slice(start, start + WRITTEN).map((unit) => asCorrected(unit, corrected));
    const arriving = (areNew ? some : latestOf(some)).map((unit) => ({ unit, row: unitRow(unit) }));
    if (!areNew) {
      const ids = arriving.map(({ row }) => row.id);
      statements.push(removeShares(sql, orgId, ids));
    }
    // Most units have none of these values: they are written without the columns.
    for (const chosen of [
      arriving.filter(({ row }) => !hasMeasures(row)),
      arriving.filter(({ row }) => hasMeasures(row)),
    ])
      if (chosen.length > 0) statements.push(write(sql, orgId, repoId, chosen, areNew));
  }
  await Promise.all(statements);
}

/** Changes of one repository take turns. */
function lockRepository(sql: Transaction, orgId: string, repoId: string): Statement {
  return sql`select pg_advisory_xact_lock(hashtextextended(${`plumbline work units ${orgId} ${repoId}`}, 0))`;
}

function removeShares(sql: Transaction, orgId: string, ids: readonly string[]): Statement {
  return sql`delete from work_unit_shares where org_id = ${orgId} and ${isAmong(sql, ids)}`;
}

function removeUnits(sql: Transaction, orgId: string, ids: readonly string[]): Statement {
  return sql`delete from work_units where org_id = ${orgId} and ${isAmong(sql, ids)}`;
}

/**
 * A subquery, which runs once. In `id = any($1::text::text[])` the cast is part of the condition: without statistics the
 * planner filters the table by organization only, and parses the list again for each row.
 */
function isAmong(sql: Transaction, ids: readonly string[]): Statement {
  return sql`id in (select unnest(${writeTexts(ids.map(storableText))}::text::text[]))`;
}

type Statement = ReturnType<Transaction>;

interface Arriving {
  readonly unit: WorkUnit;
  readonly row: UnitRow;
}

/**
 * Writes units and their shares in one statement, from one array per column, without repeating columns of a unit for its
 * shares. Timestamps are sent as epoch milliseconds, because parsing a number is cheaper than parsing a date.
 */
function write(
  sql: Transaction,
  orgId: string,
  repoId: string,
  arriving: readonly Arriving[],
  areNew: boolean,
): Statement {
  const texts = (of: (row: UnitRow) => string): string => writeTexts(arriving.map(({ row }) => of(row)));
  const numbers = (of: (row: UnitRow) => number | null): string =>
    `{${arriving.map(({ row }) => of(row) ?? 'null').join(',')}}`;
  const parts = arriving.flatMap(({ unit, row }, at) =>
    partsOf(unit.shares, row.subcategory).map((part) => ({ ...part, at: at + 1 })),
  );
  const isMeasured = arriving.some(({ row }) => hasMeasures(row));
  const phases = isMeasured ? sql`, ${sql(MEASURE_COLUMNS)}, reviewers, co_authors` : sql``;
  // A list has no nulls; no list of people is an empty text.
  const arrived = isMeasured
    ? sql`, ${sql(MEASURE_COLUMNS)}, nullif(reviewers, '') as reviewers, nullif(co_authors, '') as co_authors`
    : sql``;
  const coAuthors = isMeasured ? sql`, co_authors` : sql``;
  // An empty list would be a parameter.
  const phaseValues = isMeasured
    ? [
        ...MEASURE_COLUMNS.map((column) => sql`, ${numbers((row) => row[column] ?? null)}::text::bigint[]`),
        sql`, ${texts((row) => row[REVIEWERS_COLUMN] ?? '')}::text::text[]`,
        sql`, ${texts((row) => row[CO_AUTHORS_COLUMN] ?? '')}::text::text[]`,
      ]
    : sql``;
  return sql`
    with arriving as materialized (
      select id, work_type, repo, team, author, theme, subcategory, assistant, epic, initiative, day, churn, at,
             to_timestamp(started_at / 1000) as started_at, to_timestamp(completed_at / 1000) as completed_at, cycle_ms ${arrived}
      from unnest(
        ${texts(({ id }) => id)}::text::text[], ${texts(({ work_type }) => work_type)}::text::text[],
        ${texts(({ repo }) => repo)}::text::text[], ${texts(({ team }) => team)}::text::text[],
        ${texts(({ author }) => author)}::text::text[], ${texts(({ theme }) => theme)}::text::text[],
        ${texts(({ subcategory }) => subcategory)}::text::text[],
        ${texts(({ assistant }) => assistant)}::text::text[], ${texts(({ epic }) => epic)}::text::text[],
        ${texts(({ initiative }) => initiative)}::text::text[], ${texts(({ day }) => day)}::text::date[],
        ${numbers(({ churn }) => churn)}::text::bigint[], ${numbers(({ started_at }) => started_at)}::text::float8[],
        ${numbers(({ completed_at }) => completed_at)}::text::float8[],
        ${numbers(({ cycle_ms }) => cycle_ms)}::text::bigint[] ${phaseValues}
      ) with ordinality as arriving (
        id, work_type, repo, team, author, theme, subcategory, assistant, epic, initiative, day, churn, started_at,
        completed_at, cycle_ms ${phases}, at)
    ), units as (
      insert into work_units (org_id, repo_id, id, work_type, repo, team, author, theme, subcategory, assistant,
                              epic, initiative, started_at, completed_at, day, churn, cycle_ms ${phases})
      select ${orgId}, ${repoId}, id, work_type, repo, team, author, theme, subcategory, assistant, epic, initiative,
             started_at, completed_at, day, churn, cycle_ms ${phases}
      from arriving
      ${areNew ? sql`` : replacing(sql)}
    )
    insert into work_unit_shares (org_id, id, work_type, repo, team, author, theme, subcategory, assistant, epic, initiative,
                                  day, weight, churn, cycle_ms ${coAuthors})
    select ${orgId}, id, work_type, repo, team, author, split_part(part.name, '.', 1), part.name, assistant,
           epic, initiative, day, part.weight, churn * part.weight,
           -- As partOf in rows.ts, in two steps that do not overflow.
           cycle_ms / 1000000 * part.weight + (cycle_ms % 1000000 * part.weight + 500000) / 1000000 ${coAuthors}
    from unnest(${`{${parts.map(({ at }) => at).join(',')}}`}::text::bigint[],
                ${writeTexts(parts.map(({ subcategory }) => subcategory))}::text::text[],
                ${`{${parts.map(({ weight }) => weight).join(',')}}`}::text::integer[]) as part (at, name, weight)
      join arriving using (at)`;
}

function replacing(sql: Transaction): ReturnType<Transaction> {
  return sql`
    on conflict (org_id, id) do update set
      repo_id = excluded.repo_id, work_type = excluded.work_type, repo = excluded.repo, team = excluded.team,
      author = excluded.author, theme = excluded.theme, subcategory = excluded.subcategory,
      assistant = excluded.assistant, epic = excluded.epic, initiative = excluded.initiative,
      started_at = excluded.started_at, completed_at = excluded.completed_at, day = excluded.day,
      churn = excluded.churn, cycle_ms = excluded.cycle_ms, coding_ms = excluded.coding_ms,
      pickup_ms = excluded.pickup_ms, review_ms = excluded.review_ms, merge_ms = excluded.merge_ms,
      deploy_ms = excluded.deploy_ms, lead_ms = excluded.lead_ms,
      change_failed = excluded.change_failed, opened_ms = excluded.opened_ms, closed_ms = excluded.closed_ms,
      reviewers = excluded.reviewers, co_authors = excluded.co_authors`;
}

/** A statement cannot write a row twice: of units with the same id, the last one counts. */
function latestOf(units: readonly WorkUnit[]): readonly WorkUnit[] {
  return [...new Map(units.map((unit) => [unit.id, unit])).values()];
}

interface UnitColumns {
  readonly id: string;
  readonly parts: readonly { readonly subcategory: string; readonly weight: number }[];
  readonly [column: string]: unknown;
}

/** The start of a query for whole units; a `where` clause on `unit` follows. */
function units(sql: Sql): ReturnType<Sql> {
  return sql`
    select unit.id, unit.work_type, unit.repo, unit.team, unit.author, unit.theme, unit.subcategory,
           unit.assistant, unit.epic, unit.initiative, unit.started_at, unit.completed_at, unit.day::text as day,
           unit.churn, unit.coding_ms, unit.pickup_ms,
           unit.review_ms, unit.merge_ms, unit.deploy_ms, unit.lead_ms, unit.change_failed, unit.opened_ms,
           unit.closed_ms, unit.reviewers, unit.co_authors,
           (select coalesce(json_agg(json_build_object('subcategory', part.subcategory, 'weight', part.weight)
                                     order by part.weight desc, part.subcategory), '[]')
            from work_unit_shares part where part.org_id = unit.org_id and part.id = unit.id) as parts
    from work_units unit`;
}

async function find(sql: Sql, orgId: string, id: string): Promise<WorkUnit | undefined> {
  const [row] = await sql<UnitColumns[]>`${units(sql)} where unit.org_id = ${orgId} and unit.id = ${id}`;
  return row === undefined ? undefined : decoded(row);
}

async function recentUnits(sql: Sql, orgId: string, since: string, limit: number): Promise<RecentUnits> {
  const [rows, [count]] = await Promise.all([
    sql<{ id: string }[]>`
      select id from work_units where org_id = ${orgId} and day >= ${since}::text::date
      order by day desc, id limit ${limit}`,
    sql<{ total: number }[]>`
      select count(*)::integer as total from work_units where org_id = ${orgId} and day >= ${since}::text::date`,
  ]);
  return { ids: rows.map(({ id }) => id), total: count?.total ?? 0 };
}

async function* scan(sql: Sql, orgId: string, repoId: string): AsyncGenerator<readonly WorkUnit[]> {
  const [before, end] = idsOf(repoId);
  let after = before;
  for (;;) {
    const rows = await sql<UnitColumns[]>`
      ${units(sql)}
      where unit.org_id = ${orgId} and unit.id > ${after} and unit.id < ${end}
      order by unit.id limit ${BATCH}`;
    if (rows.length > 0) yield rows.map(decoded);
    const last = rows.at(-1);
    if (last === undefined || rows.length < BATCH) return;
    after = last.id;
  }
}

function decoded(row: UnitColumns): WorkUnit {
  const { started_at, completed_at } = row;
  return unitOf(
    { ...row, started_at: text(started_at), completed_at: completed_at === null ? null : text(completed_at) },
    row.parts.map(({ subcategory, weight }) => partRow(subcategory, weight)),
  );
}

function text(moment: unknown): string {
  return moment instanceof Date ? moment.toISOString() : String(moment);
}
