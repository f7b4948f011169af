/**
 * Work units in SQLite: the same two tables as in PostgreSQL. Each is clustered by organization and day, so that a query
 * reads a contiguous part of the file. An index finds a unit by its id, and with its day the shares, which need no
 * separate index: it would be the largest tree, with writes all over it.
 */
import type Database from 'libsql';
import { asPromise, inSqliteTransaction } from '../../database/sqlite-driver.js';
import { loadNative } from '../../database/native-package.js';
import type { RecentUnits, WorkUnit, WorkUnitChange, WorkUnitStore } from '../work-unit.js';
import { asCorrected } from './corrections.js';
import { CORRECTIONS_SCHEMA, readCorrected, sqliteCorrections } from './sqlite-corrections.js';
import {
  ADDED_DIMENSIONS,
  CO_AUTHORS_COLUMN,
  hasMeasures,
  idsOf,
  partRow,
  MEASURE_COLUMNS,
  REVIEWERS_COLUMN,
  unitOf,
  unitRow,
  type UnitRow,
} from './rows.js';
import { partsOf } from './shares.js';

const Sqlite = loadNative('libsql');

const BATCH = 1000;

const DIMENSION_DEFINITIONS = ADDED_DIMENSIONS.map((column) => `${column} text not null default ''`).join(', ');

const SCHEMA = `
  create table if not exists work_units (
    org_id text not null, day text not null, id text not null, repo_id text not null, work_type text not null,
    repo text not null, team text not null, author text not null, theme text not null, subcategory text not null,
    churn integer, cycle_ms integer, started_at text not null, completed_at text,
    ${MEASURE_COLUMNS.map((column) => `${column} integer`).join(', ')}, ${REVIEWERS_COLUMN} text,
    ${DIMENSION_DEFINITIONS}, ${CO_AUTHORS_COLUMN} text,
    primary key (org_id, day, id)
  ) without rowid;
  create unique index if not exists work_units_by_id on work_units (org_id, id);
  create table if not exists work_unit_shares (
    org_id text not null, day text not null, id text not null, subcategory text not null, work_type text not null,
    repo text not null, team text not null, author text not null, theme text not null,
    weight integer not null, churn integer, cycle_ms integer,
    ${DIMENSION_DEFINITIONS}, ${CO_AUTHORS_COLUMN} text,
    primary key (org_id, day, id, subcategory)
  ) without rowid;
`;

/** The columns of release 0.1.0. */
const FIRST_UNIT_COLUMNS = [
  ...(['id', 'work_type', 'repo', 'team', 'author', 'theme', 'subcategory'] as const),
  ...(['started_at', 'completed_at', 'day', 'churn', 'cycle_ms'] as const),
] satisfies readonly (keyof UnitRow)[];

const UNIT_COLUMNS = [...FIRST_UNIT_COLUMNS, ...ADDED_DIMENSIONS] as const;

const FIRST_SHARE_COLUMNS = [
  ...(['org_id', 'day', 'id', 'subcategory', 'work_type', 'repo', 'team', 'author', 'theme', 'weight'] as const),
  ...(['churn', 'cycle_ms'] as const),
];

const SHARE_COLUMNS = [...FIRST_SHARE_COLUMNS, ...ADDED_DIMENSIONS, CO_AUTHORS_COLUMN];

/** Rows per insert statement: more are not faster. */
const INSERT_ROWS = 50;

const insertUnits = insertInto(UNIT_COLUMNS);
/** Few units have these values; binding them for all would slow down the rest. */
const MEASURED_COLUMNS = [...UNIT_COLUMNS, ...MEASURE_COLUMNS, REVIEWERS_COLUMN, CO_AUTHORS_COLUMN] as const;
const insertMeasuredUnits = insertInto(MEASURED_COLUMNS);
/** Columns that a share shares with its unit are selected from it: binding a value costs more than a look-up. */
const insertShares = remembered(
  (rows) => `
    insert into work_unit_shares (${SHARE_COLUMNS.join(', ')})
    select unit.org_id, unit.day, unit.id, part.name, unit.work_type, unit.repo, unit.team, unit.author,
           substr(part.name, 1, instr(part.name, '.') - 1), part.weight, unit.churn * part.weight,
           -- As partOf in rows.ts, in two steps that do not overflow; the driver binds every number as a float.
           unit.cycle_ms / 1000000 * part.weight + (unit.cycle_ms % 1000000 * part.weight + 500000) / 1000000,
           ${ADDED_DIMENSIONS.map((column) => `unit.${column}`).join(', ')}, unit.co_authors
    from (select column1 as org_id, column2 as id, column3 as name, cast(column4 as integer) as weight from (values ${tuples(rows, 4)}))
         as part
      cross join work_units as unit on unit.org_id = part.org_id and unit.id = part.id`,
);

function insertInto(columns: readonly string[]): (rows: number) => string {
  return remembered(
    (rows) =>
      `insert into work_units (org_id, repo_id, ${columns.join(', ')}) values ${tuples(rows, columns.length + 2)}`,
  );
}

function tuples(rows: number, columns: number): string {
  const row = `(${Array<string>(columns).fill('?').join(', ')})`;
  return Array<string>(rows).fill(row).join(', ');
}

/** The text of a statement by its number of rows: only two numbers are used. */
function remembered(text: (rows: number) => string): (rows: number) => string {
  const [one, many] = [text(1), text(INSERT_ROWS)];
  return (rows) => (rows === 1 ? one : many);
}

type Value = string | number | null;

/** Opens the database file, and creates it if necessary. */
export function openSqliteStore(path: string): WorkUnitStore {
  const database = new Sqlite(path, { timeout: 30_000 });
  const prepared = new Map<string, Database.Statement>();
  const prepare: Prepare = (text) => {
    const existing = prepared.get(text);
    if (existing !== undefined) return existing;
    const statement = database.prepare(text);
    prepared.set(text, statement);
    return statement;
  };
  const inTransaction = <Result>(action: () => Result): Promise<Result> =>
    asPromise(() => inSqliteTransaction((statement) => database.exec(statement), action));
  return {
    ensureSchema: () =>
      asPromise(() => {
        // WAL lets the analytics read during a sync.
        database.exec(
          'pragma journal_mode = wal; pragma synchronous = normal; pragma busy_timeout = 30000; ' +
            // 64 MB before the log is written back: a change writes all over five trees. The cache is as small as the
            // sync's, for the same reason.
            'pragma cache_size = -8192; pragma wal_autocheckpoint = 16384',
        );
        inSqliteTransaction(
          (statement) => database.exec(statement),
          () => {
            ensureTables(database);
          },
        );
      }),
    apply: (change) =>
      inTransaction(() => {
        apply(prepare, change);
      }),
    scan: (orgId, repoId) => scan(prepare, orgId, repoId),
    find: (orgId, id) => asPromise(() => find(prepare, orgId, id)),
    recentUnits: (orgId, since, limit) => asPromise(() => recentUnits(prepare, orgId, since, limit)),
    ...sqliteCorrections({
      prepare,
      inTransaction,
      find: (orgId, id) => find(prepare, orgId, id),
      apply: (change) => {
        apply(prepare, change);
      },
    }),
    close: () =>
      asPromise(() => {
        database.close();
      }),
  };
}

const ADDED_TO_BOTH = [
  ...ADDED_DIMENSIONS.map((column) => [column, "text not null default ''"] as const),
  [CO_AUTHORS_COLUMN, 'text'],
] as const;

/** Columns that release 0.1.0 did not have, by table. */
const ADDED: readonly (readonly [table: string, columns: readonly (readonly [column: string, type: string])[]])[] = [
  [
    'work_units',
    [...MEASURE_COLUMNS.map((column) => [column, 'integer'] as const), [REVIEWERS_COLUMN, 'text'], ...ADDED_TO_BOTH],
  ],
  ['work_unit_shares', ADDED_TO_BOTH],
];

/** Release 0.1.0 had no unknown churn, and SQLite cannot drop `not null`, so such tables are rebuilt. */
function ensureTables(database: Database.Database): void {
  const strict = ['work_units', 'work_unit_shares'].filter(
    (table) =>
      database.prepare('select 1 from pragma_table_info(?) where name = \'churn\' and "notnull" = 1').get([table]) !==
      undefined,
  );
  for (const table of strict) database.exec(`alter table ${table} rename to former_${table}`);
  if (strict.includes('work_units')) database.exec('drop index if exists work_units_by_id');
  database.exec(SCHEMA);
  database.exec(CORRECTIONS_SCHEMA);
  for (const [table, added] of ADDED) {
    for (const [column, type] of added) {
      const found = database.prepare('select 1 from pragma_table_info(?) where name = ?').get([table, column]);
      if (found === undefined) database.exec(`alter table ${table} add column ${column} ${type}`);
    }
  }
  for (const table of strict) {
    const columns = table === 'work_units' ? ['org_id', 'repo_id', ...FIRST_UNIT_COLUMNS] : FIRST_SHARE_COLUMNS;
    const list = columns.join(', ');
    database.exec(`insert into ${table} (${list}) select ${list} from former_${table}; drop table former_${table}`);
  }
}

type Prepare = (text: string) => Database.Statement;

function apply(prepare: Prepare, { orgId, repoId, units, removed, areNew }: WorkUnitChange): void {
  if (removed.length > 0) remove(prepare, orgId, removed);
  const corrected = readCorrected(prepare, orgId, repoId);
  const rows = units.map((each) => {
    const unit = asCorrected(each, corrected);
    return { unit, row: unitRow(unit) };
  });
  // The day is part of the key: a unit that moved to another day would stay on the old one.
  if (areNew !== true)
    remove(
      prepare,
      orgId,
      rows.map(({ row }) => row.id),
    );
  const latest = areNew === true ? rows : [...new Map(rows.map((each) => [each.row.id, each])).values()];
  // In tree order: rows of the same page are written together.
  const ordered = latest.sort(({ row: a }, { row: b }) => compare(a.day, b.day) || compare(a.id, b.id));
  for (const [text, columns, isMeasured] of [
    [insertUnits, UNIT_COLUMNS, false],
    [insertMeasuredUnits, MEASURED_COLUMNS, true],
  ] as const) {
    const chosen = ordered.filter(({ row }) => hasMeasures(row) === isMeasured);
    insert(
      prepare,
      text,
      chosen.map(({ row }) => [orgId, repoId, ...columns.map((name) => valueOf(row, name))]),
    );
  }
  insert(
    prepare,
    insertShares,
    ordered.flatMap(({ unit, row }) =>
      partsOf(unit.shares, row.subcategory).map(({ subcategory, weight }) => [orgId, row.id, subcategory, weight]),
    ),
  );
}

function valueOf(row: UnitRow, name: keyof UnitRow): Value {
  const value = row[name] ?? null;
  const isMoment = name === 'started_at' || name === 'completed_at';
  return isMoment && value !== null ? new Date(value).toISOString() : value;
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

function remove(prepare: Prepare, orgId: string, ids: readonly string[]): void {
  const list = JSON.stringify(ids);
  const found = 'where org_id = ? and id in (select value from json_each(?))';
  prepare(
    `delete from work_unit_shares where (org_id, day, id) in (select org_id, day, id from work_units ${found})`,
  ).run([orgId, list]);
  prepare(`delete from work_units ${found}`).run([orgId, list]);
}

function insert(prepare: Prepare, text: (rows: number) => string, rows: readonly (readonly Value[])[]): void {
  const inBatches = rows.length - (rows.length % INSERT_ROWS);
  for (let start = 0; start < inBatches; start += INSERT_ROWS)
    prepare(text(INSERT_ROWS)).run(rows.slice(start, start + INSERT_ROWS).flat());
  for (const row of rows.slice(inBatches)) prepare(text(1)).run([...row]);
}

// eslint-disable-next-line @typescript-eslint/require-await -- the driver is synchronous, the interface of the stores is not
async function* scan(prepare: Prepare, orgId: string, repoId: string): AsyncGenerator<readonly WorkUnit[]> {
  const page = prepare(
    'select * from work_units where org_id = ? and id > ? and id < ? order by id limit ' + String(BATCH),
  );
  const [before, end] = idsOf(repoId);
  let after = before;
  for (;;) {
    const rows = page.all([orgId, after, end]).filter(isRow);
    if (rows.length > 0) yield rows.map((row) => decoded(prepare, orgId, row));
    const last = rows.at(-1);
    if (last === undefined || rows.length < BATCH) return;
    after = String(last['id']);
  }
}

type Row = Readonly<Record<string, unknown>>;

function isRow(row: unknown): row is Row {
  return typeof row === 'object' && row !== null;
}

function find(prepare: Prepare, orgId: string, id: string): WorkUnit | undefined {
  const row = prepare('select * from work_units where org_id = ? and id = ?').get([orgId, id]);
  return isRow(row) ? decoded(prepare, orgId, row) : undefined;
}

function recentUnits(prepare: Prepare, orgId: string, since: string, limit: number): RecentUnits {
  const rows = prepare('select id from work_units where org_id = ? and day >= ? order by day desc, id limit ?').all([
    orgId,
    since,
    limit,
  ]);
  const count = prepare('select count(*) as total from work_units where org_id = ? and day >= ?').get([orgId, since]);
  return { ids: rows.filter(isRow).map(({ id }) => String(id)), total: isRow(count) ? Number(count['total']) : 0 };
}

function decoded(prepare: Prepare, orgId: string, row: Row): WorkUnit {
  const parts = prepare(
    'select subcategory, weight from work_unit_shares where org_id = ? and day = ? and id = ? ' +
      'order by weight desc, subcategory',
  ).all([orgId, row['day'], row['id']]);
  return unitOf(
    row,
    parts.filter(isRow).map(({ subcategory, weight }) => partRow(subcategory, weight)),
  );
}
