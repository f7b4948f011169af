/**
 * The ClickHouse sink, for a server and for the engine in this process. Each table is a ReplacingMergeTree by key with
 * `last_synced` as its version: read it with FINAL. ClickHouse has no transactions over several tables: rows are
 * written before the state, so that a page that is repeated after a crash replaces its rows.
 */
import { setImmediate } from 'node:timers/promises';
import type { ClickHouseEngine, ClickHouseParameters } from '../../analytics/clickhouse/engine.js';
import {
  alterTable,
  createTable,
  deleteRows,
  mergeTable,
  requireLayout,
  type TableDefinition,
} from '../../analytics/clickhouse/tables.js';
import { isoText, momentText } from '../../analytics/clickhouse/moments.js';
import { valueChunks } from '../../analytics/clickhouse/value-chunks.js';
import { removeClickHouseReaders } from '../../analytics/sql/clickhouse-readers.js';
import type { AnyRow, Column, JsonValue, Table } from '../records.js';
import { TABLES } from '../records.js';
import { SyncError } from '../failures.js';
import { mergeRow, rowKey } from '../merge.js';
import { clickHouseDerivation } from '../work-units/derivation/database/clickhouse.js';
import { ensureLeaseSchema, tryLease } from './clickhouse-lease.js';
import type { DerivationRecords } from '../work-units/derivation/database/records.js';
import type { RemovedRows, Sink, SinkOptions, SinkPage, StoredKey, SyncState, TableRows } from './sink.js';
import { repositoryColumn, typeOfColumn } from './sink.js';
import { timestampText } from './sql.js';
import { parseState } from './state.js';

const TYPES = {
  uuid: 'UUID',
  text: 'String',
  integer: 'Int64',
  timestamp: "DateTime64(3, 'UTC')",
  json: 'String',
} as const;

/** A page of blame has up to a hundred thousand rows. Smaller inserts let a server handle requests in between. */
const ROWS_AT_ONCE = 1000;

/** Opens the sink on an engine, and closes the engine with it. */
export function openClickHouse(engine: ClickHouseEngine, options: SinkOptions): Sink {
  const session: Session = { engine, echo: options.echo, fresh: new Map(), version: 0, now: options.now };
  const derivation = clickHouseDerivation({
    select: (query, parameters) => failing(() => select(session, query, parameters)),
    command: (query, parameters) => failing(() => command(session, query, parameters)),
    insert: (table, rows) => failing(() => insert(session, table, rows)),
    nextVersion: () => nextVersion(session),
    cluster: engine.cluster,
    decode,
  });

  return {
    kind: 'clickhouse',
    ensureSchema: () => failing(() => ensureSchema(session)),
    readState: (key) => failing(() => readState(session, key)),
    apply: (page) => failing(() => apply(session, page)),
    scan: (table, repoId) => scan(session, derivation, table, repoId),
    clear: (table, repoId) =>
      failing(() =>
        command(session, deleteRows(table.name, `${repositoryColumn(table)} = {repo:UUID}`, engine.cluster), {
          repo: repoId,
        }),
      ),
    remove: (table, repoId, where) => failing(() => remove(session, table, repoId, where)),
    clearStates: (repoId) =>
      failing(() =>
        command(session, deleteRows('sync_state', 'repo_id = {repo:UUID}', engine.cluster), { repo: repoId }),
      ),
    repositories: (orgId) => derivation.repositories(orgId),
    dropFormerVersions: () => failing(() => dropFormerVersions(session)),
    removeReaders: (orgId) => failing(() => removeClickHouseReaders(engine, orgId)),
    tryLock: ({ repoId, target }) => failing(() => tryLease(engine, `${repoId} ${target}`, options.now)),
    derivation,
    close: () => engine.close(),
  };
}

/** Queries with `final` never see former versions, but others do until the parts of a table are merged. */
async function dropFormerVersions(session: Session): Promise<void> {
  const { cluster } = session.engine;
  const found = await select(session, 'select name from system.tables where database = currentDatabase()', {});
  const names = new Set(found.map((row) => row['name']));
  for (const name of WITH_PEOPLE) if (names.has(name)) await command(session, mergeTable(name, cluster));
}

interface Session {
  readonly engine: ClickHouseEngine;
  readonly echo: ((statement: string) => void) | undefined;
  readonly now: () => number;
  /** By table and repository: whether it had no rows when this run began, so that no rows need to be compared. */
  readonly fresh: Map<string, boolean>;
  /** The version of the last state written. It always increases, even within one millisecond. */
  version: number;
}

async function ensureSchema(session: Session): Promise<void> {
  const { cluster } = session.engine;
  await requireLayout(session.engine, STATES.name);
  for (const statement of DEFINITIONS.flatMap((table) => createTable(table, cluster)))
    await command(session, statement);
  await addColumns(session);
  await ensureLeaseSchema(session.engine);
}

/** Adds the columns that the tables of an earlier release lack. */
async function addColumns(session: Session): Promise<void> {
  const found = await select(session, 'select table, name from system.columns where database = currentDatabase()', {});
  const present = new Set(found.map((row) => `${textOf(row['table'] ?? null)}.${textOf(row['name'] ?? null)}`));
  for (const table of TABLES) {
    for (const column of table.columns) {
      if (!column.nullable || present.has(`${table.name}.${column.name}`)) continue;
      const change = `add column if not exists ${column.name} ${columnType(column)}`;
      for (const statement of alterTable(table.name, change, session.engine.cluster)) await command(session, statement);
    }
  }
}

/** The tables of records, and those of the work units, that may name people. */
const WITH_PEOPLE: readonly string[] = [
  ...TABLES.map(({ name }) => name),
  ...['work_units', 'work_unit_corrections', 'work_unit_progress', 'team_files', 'author_files'],
];

const STATES: TableDefinition = {
  name: 'sync_state',
  columns: ['repo_id UUID', 'target String', 'source String', 'state String', 'version UInt64'],
  replacing: 'version',
  orderBy: 'repo_id, target, source',
  shardBy: 'repo_id',
};

const DEFINITIONS: readonly TableDefinition[] = [
  ...TABLES.map((table) => ({
    name: table.name,
    columns: table.columns.map((column) => `${column.name} ${columnType(column)}`),
    replacing: 'last_synced',
    orderBy: table.key.join(', '),
    shardBy: repositoryColumn(table),
  })),
  STATES,
];

function columnType(column: Column): string {
  return column.nullable ? `Nullable(${TYPES[column.type]})` : TYPES[column.type];
}

async function readState(session: Session, key: StoredKey): Promise<SyncState | undefined> {
  const [row] = await select(
    session,
    'select state, version from sync_state final where repo_id = {repo:UUID} and target = {target:String} and source = {source:String}',
    { repo: key.repoId, target: key.target, source: key.source },
  );
  session.version = Math.max(session.version, Number(row?.['version'] ?? 0));
  return parseState(row?.['state']);
}

async function apply(session: Session, page: SinkPage): Promise<void> {
  const { key } = page;
  for (const rows of page.tables) await upsert(session, rows, key.repoId);
  for (const { path, lines } of page.blameLengths) {
    const condition = 'repo_id = {repo:UUID} and path = {path:String} and line_no > {lines:Int64}';
    const values = { repo: key.repoId, path, lines };
    // A deletion is a mutation, which is far more expensive than checking for rows to delete.
    const [found] = await select(session, `select 1 as found from git_blame where ${condition} limit 1`, values);
    if (found !== undefined) await command(session, deleteRows('git_blame', condition, session.engine.cluster), values);
  }
  await insert(session, 'sync_state', [
    {
      repo_id: key.repoId,
      target: key.target,
      source: key.source,
      state: JSON.stringify(page.state),
      version: nextVersion(session),
    },
  ]);
}

/** Increases with each call, even within one millisecond. */
function nextVersion(session: Session): number {
  session.version = Math.max(session.version + 1, session.now() * 1000);
  return session.version;
}

async function upsert(session: Session, { table, rows }: TableRows, repoId: string): Promise<void> {
  if (rows.length === 0) return;
  const stored = (await isFresh(session, table, repoId))
    ? new Map<string, AnyRow>()
    : await storedRows(session, table, rows, repoId);
  const written: AnyRow[] = [];
  for (let start = 0; start < rows.length; start += ROWS_AT_ONCE) {
    for (const row of rows.slice(start, start + ROWS_AT_ONCE)) {
      const merged = mergeRow(table, stored.get(rowKey(table, row)), row);
      if (merged !== undefined) written.push(encode(table, merged));
    }
    await setImmediate();
  }
  if (written.length > 0) await insert(session, table.name, written);
}

async function isFresh(session: Session, table: Table, repoId: string): Promise<boolean> {
  const name = `${table.name} ${repoId}`;
  const known = session.fresh.get(name);
  if (known !== undefined) return known;
  const statement = `select 1 as found from ${table.name} where ${repositoryColumn(table)} = {repo:UUID} limit 1`;
  const fresh = (await select(session, statement, { repo: repoId })).length === 0;
  session.fresh.set(name, fresh);
  return fresh;
}

/** The first column has the most values, which are sent in chunks. */
async function remove(session: Session, table: Table, repoId: string, where: RemovedRows): Promise<void> {
  const [[first, many] = ['', []], ...others] = Object.entries(where);
  const listOf = (name: string): string => `Array(${TYPES[typeOfColumn(table, name)]})`;
  const conditions = [
    `${repositoryColumn(table)} = {repo:UUID}`,
    `${first} in {many:${listOf(first)}}`,
    ...others.map(([name], index) => `${name} in {p${index}:${listOf(name)}}`),
  ].join(' and ');
  const values = Object.fromEntries(others.map(([, some], index) => [`p${index}`, [...some]]));
  for (const chunk of valueChunks<string | number>(many)) {
    const parameters = { repo: repoId, many: chunk, ...values };
    // A deletion is a mutation, which is far more expensive than checking for rows to delete.
    const [found] = await select(
      session,
      `select 1 as found from ${table.name} where ${conditions} limit 1`,
      parameters,
    );
    if (found !== undefined)
      await command(session, deleteRows(table.name, conditions, session.engine.cluster), parameters);
  }
}

/** The stored rows whose key column after the repository equals that of an arriving row. */
async function storedRows(
  session: Session,
  table: Table,
  rows: readonly AnyRow[],
  repoId: string,
): Promise<ReadonlyMap<string, AnyRow>> {
  const found = new Map<string, AnyRow>();
  const column = table.columns.find((candidate) => candidate.name === (table.key[1] ?? table.key[0]));
  if (column === undefined) return found;
  const wanted = [...new Set(rows.map((row) => row[column.name]))].filter(isKeyValue);
  for (const values of valueChunks(wanted)) {
    const statement =
      `select ${table.columns.map(({ name }) => name).join(', ')} from ${table.name} final ` +
      `where ${repositoryColumn(table)} = {repo:UUID} and ${column.name} in {keys:Array(${TYPES[column.type]})}`;
    for (const row of await select(session, statement, { repo: repoId, keys: values })) {
      const decoded = decode(table.columns, row);
      found.set(rowKey(table, decoded), decoded);
    }
  }
  return found;
}

function isKeyValue(value: JsonValue | undefined): value is string | number {
  return typeof value === 'string' || typeof value === 'number';
}

/** Reads page by page, so that no result set stays open. The row of a repository is a single page. */
async function* scan(
  session: Session,
  derivation: DerivationRecords,
  table: Table,
  repoId: string,
): AsyncGenerator<readonly AnyRow[]> {
  const columns = table.columns.map(({ name }) => name);
  if (repositoryColumn(table) === 'repo_id') {
    yield* derivation.rows({ table, repoId, columns, where: { kind: 'all' } });
    return;
  }
  const statement = `select ${columns.join(', ')} from ${table.name} final where id = {repo:UUID}`;
  const rows = await failing(() => select(session, statement, { repo: repoId }));
  if (rows.length > 0) yield rows.map((row) => decode(table.columns, row));
}

function encode(table: Table, row: AnyRow): AnyRow {
  const encoded: Record<string, JsonValue> = { ...row };
  for (const { name, type } of table.columns) {
    if (type === 'timestamp') {
      const iso = timestampText(row[name] ?? null);
      encoded[name] = iso === null ? null : momentText(iso);
    }
    if (type === 'json') encoded[name] = JSON.stringify(row[name] ?? null);
  }
  return encoded;
}

function decode(columns: readonly Column[], row: AnyRow): AnyRow {
  const decoded: Record<string, JsonValue> = {};
  for (const { name, type } of columns) {
    const value = row[name] ?? null;
    if (value !== null && type === 'timestamp') decoded[name] = Date.parse(isoText(textOf(value)));
    else if (value !== null && type === 'integer') decoded[name] = Number(value);
    else if (value !== null && type === 'json') decoded[name] = JSON.parse(textOf(value)) as JsonValue;
    else decoded[name] = value;
  }
  return decoded;
}

async function select(
  session: Session,
  query: string,
  parameters: ClickHouseParameters,
): Promise<Record<string, JsonValue>[]> {
  session.echo?.(query);
  // The values are parsed from JSON.
  return (await session.engine.records(query, parameters)) as Record<string, JsonValue>[];
}

async function command(session: Session, query: string, parameters?: ClickHouseParameters): Promise<void> {
  session.echo?.(query);
  await session.engine.command(query, parameters);
}

async function insert(session: Session, table: string, rows: readonly AnyRow[]): Promise<void> {
  session.echo?.(`insert into ${table}`);
  await session.engine.insert(table, rows);
}

async function failing<Result>(action: () => Promise<Result>): Promise<Result> {
  try {
    return await action();
  } catch (error) {
    if (error instanceof SyncError) throw error;
    throw new SyncError('database_failed', `ClickHouse: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}

function textOf(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
