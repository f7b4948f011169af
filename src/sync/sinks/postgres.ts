/** The PostgreSQL sink. A page is one transaction; rows are sent as one array per column. */
import postgres from 'postgres';
import { removeReaders } from '../../analytics/sql/postgres-readers.js';
import { analyzeUnknown } from '../../database/statistics.js';
import { parseDatabaseAddress } from '../../database/address.js';
import type { AnyRow, JsonValue, Table } from '../records.js';
import { TABLES } from '../records.js';
import { SyncError } from '../failures.js';
import { postgresDerivation } from '../work-units/derivation/database/postgres.js';
import { POSTGRES_TYPES, upsertOf } from './postgres-rows.js';
import { tryLock } from './postgres-locks.js';
import type { Sink, SinkOptions, SinkPage, StoredKey, SyncState } from './sink.js';
import { repositoryColumn, typeOfColumn } from './sink.js';
import { addColumns, columnList, createIndex, createStateTable, createTable } from './sql.js';
import { parseState } from './state.js';
import { databaseSocket } from '../../database/socket.js';

/** Rows per fetch of a scan: few enough for memory, and enough to limit the number of round trips. */
const SCAN_ROWS = 1000;

/**
 * The time that a statement waits for a lock. It is longer than what locks a table in normal operation, so that a
 * forgotten session does not stop the syncs of a database without a message. The connection string can set another one.
 */
const LOCK_WAIT_MS = 300_000;

/** Broken commits may have dates such as `0001-01-01 00:00:00+00`, which the driver parses as a day of 2001. */
const INSTANTS = {
  to: 1184,
  from: [1082, 1114, 1184],
  serialize: (value: Date | string) => (value instanceof Date ? value : new Date(value)).toISOString(),
  parse: (text: string) => new Date(text.replace(' ', 'T').replace(/\+00$/, 'Z')),
};

/** Opens the sink; the first statement opens the connection. */
export function openPostgres(uri: string, options: SinkOptions): Sink {
  // Each active repository uses one connection for its lock and one for its pages. The derivation of its work units
  // then uses one for another lock and two for cursors.
  const address = parseDatabaseAddress(uri);
  const sql = postgres(address.uri, {
    max: options.concurrency * 4 + 1,
    ...databaseSocket(address),
    onnotice: () => {},
    types: { date: INSTANTS },
    // Named statements belong to a session, which a pooler in transaction mode does not keep.
    prepare: !address.isPooled,
    // Only the last write of a target waits for the disk (see `apply`). A pooler rejects such a startup parameter.
    connection: {
      application_name: 'plumbline sync',
      TimeZone: 'UTC',
      ...(address.isPooled ? {} : { synchronous_commit: 'off', lock_timeout: LOCK_WAIT_MS }),
    },
    ...(options.echo === undefined ? {} : { debug: (_connection, query) => options.echo?.(query) }),
  });

  const derivation = postgresDerivation(sql, failing);

  return {
    kind: 'postgres',
    ensureSchema: () => failing(() => ensureSchema(sql)),
    readState: (key) => failing(() => readState(sql, key)),
    apply: (page) => failing(() => apply(sql, page)),
    scan: (table, repoId) => scan(sql, table, repoId),
    clear: (table, repoId) =>
      failing(async () => {
        await sql.unsafe(`delete from ${table.name} where ${repositoryColumn(table)} = $1`, [repoId]);
      }),
    remove: (table, repoId, where) =>
      failing(async () => {
        const conditions = Object.keys(where).map(
          (name, index) => `${name} = any($${index + 2}::${POSTGRES_TYPES[typeOfColumn(table, name)]}[])`,
        );
        const statement = `delete from ${table.name} where ${repositoryColumn(table)} = $1 and ${conditions.join(' and ')}`;
        await sql.unsafe(statement, [repoId, ...Object.values(where).map((values) => [...values])]);
      }),
    clearStates: (repoId) =>
      failing(async () => {
        await sql`delete from sync_state where repo_id = ${repoId}`;
      }),
    removeReaders: (orgId) => failing(() => removeReaders(sql, orgId)),
    tryLock: ({ repoId, target }) => failing(() => tryLock(sql, `plumbline sync ${repoId} ${target}`)),
    repositories: (orgId) => derivation.repositories(orgId),
    derivation,
    close: () => sql.end({ timeout: 5 }),
  };
}

async function ensureSchema(sql: postgres.Sql): Promise<void> {
  await sql.begin(async (transaction) => {
    // Concurrent `create table if not exists` statements of two first syncs could fail.
    await transaction`select pg_advisory_xact_lock(hashtextextended('plumbline sync schema', 0))`;
    for (const table of TABLES) {
      await transaction.unsafe(createTable(table, POSTGRES_TYPES));
      await transaction.unsafe(createIndex(table));
    }
    // `add column if not exists` would wait for every reader of the table even if the column exists.
    const columns = await transaction<{ table: string; column: string }[]>`
      select table_name as table, column_name as column from information_schema.columns
      where table_schema = current_schema() and table_name in ${transaction(TABLE_NAMES)}`;
    for (const table of TABLES) {
      const present = new Set(columns.filter((each) => each.table === table.name).map(({ column }) => column));
      for (const statement of addColumns(table, POSTGRES_TYPES, present)) await transaction.unsafe(statement);
    }
    await transaction.unsafe(createStateTable(POSTGRES_TYPES));
  });
  await analyzeUnknown(sql, TABLE_NAMES);
}

const TABLE_NAMES = TABLES.map(({ name }) => name);

async function readState(sql: postgres.Sql, key: StoredKey): Promise<SyncState | undefined> {
  const [row] = await sql<{ state: unknown }[]>`
    select state from sync_state where repo_id = ${key.repoId} and target = ${key.target} and source = ${key.source}`;
  return row === undefined ? undefined : parseState(row.state);
}

async function apply(sql: postgres.Sql, page: SinkPage): Promise<void> {
  await store(sql, page);
  // The data of a first sync will be derived and queried next.
  if (page.state.done) await analyzeUnknown(sql, TABLE_NAMES);
}

async function store(sql: postgres.Sql, page: SinkPage): Promise<void> {
  const { key } = page;
  // The statements of a page are pipelined: `postgres` sends a statement without waiting for the previous ones.
  await sql.begin((transaction) => [
    // A page and its state are one transaction. A server that crashes loses both or neither, so only the last page has
    // to wait for the disk.
    transaction.unsafe(`set local synchronous_commit = ${page.state.done ? 'on' : 'off'}`),
    ...page.tables
      .filter(({ rows }) => rows.length > 0)
      .map(({ table, rows }) => {
        const { text, values } = upsertOf(table, rows);
        return transaction.unsafe(text, values, { prepare: true });
      }),
    ...page.blameLengths.map(
      ({ path, lines }) =>
        transaction`delete from git_blame where repo_id = ${key.repoId} and path = ${path} and line_no > ${lines}`,
    ),
    transaction`
      insert into sync_state (repo_id, target, source, state)
      values (${key.repoId}, ${key.target}, ${key.source}, ${JSON.stringify(page.state)}::text::jsonb)
      on conflict (repo_id, target, source) do update set state = excluded.state`,
  ]);
}

async function* scan(sql: postgres.Sql, table: Table, repoId: string): AsyncGenerator<readonly AnyRow[]> {
  const statement = `select ${columnList(table)} from ${table.name} where ${repositoryColumn(table)} = $1 order by ${table.key.join(', ')}`;
  try {
    for await (const rows of sql.unsafe<Record<string, JsonValue | Date>[]>(statement, [repoId]).cursor(SCAN_ROWS)) {
      yield rows.map((row) =>
        Object.fromEntries(
          Object.entries(row).map(([name, value]) => [name, value instanceof Date ? value.getTime() : value]),
        ),
      );
    }
  } catch (error) {
    throw asSyncError(error);
  }
}

async function failing<Result>(action: () => Promise<Result>): Promise<Result> {
  try {
    return await action();
  } catch (error) {
    throw asSyncError(error);
  }
}

function asSyncError(error: unknown): unknown {
  return error instanceof Error
    ? new SyncError('database_failed', `PostgreSQL: ${error.message}`, { cause: error })
    : error;
}
