/**
 * The table of work units in ClickHouse, and its migration from the format of release 0.1.0.
 *
 * It is partitioned by year. A query of some months skips the other years, a year without changes is one part, and no
 * history has more years than one insert may have partitions. (Partitioned by month, a history of more than 100 months
 * could not be stored.) All versions of a row are in one partition, because the day is part of the key.
 */
import type { ClickHouseEngine } from '../clickhouse/engine.js';
import { alterTable, createTable, requireLayout, type TableDefinition } from '../clickhouse/tables.js';
import type { Exclusively } from './options.js';
import { ADDED_DIMENSIONS, CO_AUTHORS_COLUMN, MEASURE_COLUMNS, REVIEWERS_COLUMN } from './rows.js';

const PARTITION = 'toYear(day)';

/** Columns that release 0.1.0 did not have. Most rows have no values in most of them. */
const ADDED = [
  ...MEASURE_COLUMNS.map((column) => [column, 'Nullable(Int64)'] as const),
  [REVIEWERS_COLUMN, 'Nullable(String)'],
  [CO_AUTHORS_COLUMN, 'Nullable(String)'],
  ...ADDED_DIMENSIONS.map((column) => [column, 'LowCardinality(String)'] as const),
] as const;

const COLUMNS = [
  ['org_id', 'LowCardinality(String)'],
  ['day', 'Date32'],
  ['id', 'String'],
  ['repo_id', 'LowCardinality(String)'],
  ['work_type', 'LowCardinality(String)'],
  ['repo', 'LowCardinality(String)'],
  ['team', 'LowCardinality(String)'],
  ['author', 'LowCardinality(String)'],
  ['theme', 'LowCardinality(String)'],
  ['subcategory', 'LowCardinality(String)'],
  ['churn', 'Nullable(Int64)'],
  ['cycle_ms', 'Nullable(Int64)'],
  ['share_theme', 'Array(LowCardinality(String))'],
  ['share_subcategory', 'Array(LowCardinality(String))'],
  ['share_weight', 'Array(UInt32)'],
  ['share_cycle_ms', 'Array(Int64)'],
  ['started_at', "DateTime64(3, 'UTC')"],
  ['completed_at', "Nullable(DateTime64(3, 'UTC'))"],
  ...ADDED,
  ['version', 'UInt64'],
  ['is_deleted', 'UInt8'],
] as const;

const TABLE: TableDefinition = {
  name: 'work_units',
  columns: COLUMNS.map(([column, type]) => `${column} ${type}`),
  indexes: [
    'index by_id id type bloom_filter(0.01) granularity 1',
    'index by_repository repo_id type set(100) granularity 1',
  ],
  replacing: 'version, is_deleted',
  partitionBy: PARTITION,
  orderBy: 'org_id, day, id',
  clauses: 'settings min_age_to_force_merge_seconds = 60, min_age_to_force_merge_on_partition_only = 1',
  shardBy: 'org_id, repo_id',
};

/**
 * Creates the table, or migrates one of an earlier release.
 *
 * @param exclusively excludes other processes while a table is rebuilt: each would drop the copy of the other
 */
export async function ensureClickHouseSchema(engine: ClickHouseEngine, exclusively: Exclusively): Promise<void> {
  await requireLayout(engine, TABLE.name);
  if (engine.cluster !== undefined) {
    for (const statement of createTable(TABLE, engine.cluster)) await engine.command(statement);
    await addMeasures(engine, TABLE.name);
    return;
  }
  const stored = await partitionOf(engine);
  if (stored === undefined) await createAlone(engine, TABLE.name);
  else {
    await addMeasures(engine, 'work_units');
    if (stored === PARTITION) await allowUnknownChurn(engine);
  }
  const isRebuilt = stored === undefined || stored === PARTITION;
  // A rebuild that was killed before its last step leaves the former table behind.
  if (isRebuilt && !(await exists(engine, FORMER))) return;
  await exclusively(async (assertHeld) => {
    // Another process may have done this in the meantime.
    if ((await partitionOf(engine)) !== PARTITION) await rebuild(engine, assertHeld);
    if (await exists(engine, FORMER)) await takeOver(engine, assertHeld);
  });
}

/** The partition key of the table; undefined: there is no table. */
async function partitionOf(engine: ClickHouseEngine): Promise<unknown> {
  const [stored] = await engine.query(
    "select partition_key from system.tables where database = currentDatabase() and name = 'work_units'",
    {},
  );
  return stored?.[0];
}

/** For a table that already has the right partitions. */
async function allowUnknownChurn(engine: ClickHouseEngine): Promise<void> {
  const [column] = await engine.query(
    "select type from system.columns where database = currentDatabase() and table = 'work_units' and name = 'churn'",
    {},
  );
  if (column?.[0] === 'Int64') await engine.command('alter table work_units modify column churn Nullable(Int64)');
}

/** Releases before 0.2.0 had none of these columns. */
async function addMeasures(engine: ClickHouseEngine, table: string): Promise<void> {
  const rows = await engine.query(
    'select name from system.columns where database = currentDatabase() and table = {table:String}',
    { table },
  );
  const names = new Set(rows.map(([name]) => name));
  const missing = ADDED.filter(([column]) => !names.has(column));
  const added = missing.map(([column, type]) => `add column if not exists ${column} ${type} after completed_at`);
  if (added.length === 0) return;
  for (const statement of alterTable(table, added.join(', '), engine.cluster)) await engine.command(statement);
}

/** On one server. */
async function createAlone(engine: ClickHouseEngine, name: string): Promise<void> {
  for (const statement of createTable({ ...TABLE, name }, undefined)) await engine.command(statement);
}

const NEXT = 'work_units_next';
const FORMER = 'work_units_former';

/**
 * Copies the table to one of the new format and exchanges them. Queries continue meanwhile. Rows that another sync writes
 * during the copy are missing from it, so the former table is copied again afterwards. Copying a row twice is harmless,
 * because it has the same version.
 */
async function rebuild(engine: ClickHouseEngine, assertHeld: () => Promise<void>): Promise<void> {
  await engine.command(`drop table if exists ${NEXT}`);
  await createAlone(engine, NEXT);
  await copy(engine, 'work_units', NEXT);
  await assertHeld();
  // One statement, so that the table always exists.
  await engine.command(`rename table work_units to ${FORMER}, ${NEXT} to work_units`);
}

async function takeOver(engine: ClickHouseEngine, assertHeld: () => Promise<void>): Promise<void> {
  await addMeasures(engine, FORMER); // the rebuild may be one of an earlier version
  await copy(engine, FORMER, 'work_units');
  await assertHeld();
  await engine.command(`drop table if exists ${FORMER}`);
}

async function copy(engine: ClickHouseEngine, from: string, to: string): Promise<void> {
  const columns = COLUMNS.map(([column]) => column).join(', ');
  await engine.command(
    `insert into ${to} (${columns}) select ${columns} from ${from} ` + 'settings max_partitions_per_insert_block = 0',
  );
}

async function exists(engine: ClickHouseEngine, table: string): Promise<boolean> {
  const found = await engine.query(
    'select 1 from system.tables where database = currentDatabase() and name = {table:String}',
    { table },
  );
  return found.length > 0;
}
