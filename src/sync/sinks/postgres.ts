/** The PostgreSQL sink. A page is one transaction; rows travel as one JSON parameter per table. */
import postgres from 'postgres';
import type { AnyRow, JsonValue, Table } from '../records.js';
import { TABLES } from '../records.js';
import { SyncError } from '../failures.js';
import type { Lock, Sink, SinkOptions, SinkPage, StateKey, SyncState } from './sink.js';
import { repositoryColumn } from './sink.js';
import { columnList, createIndex, createStateTable, createTable, onConflict, timestampText } from './sql.js';
import { parseState } from './state.js';

const TYPES = { uuid: 'uuid', text: 'text', integer: 'integer', timestamp: 'timestamptz', json: 'jsonb' } as const;

/** Rows fetched at once by a scan: small enough to stay in memory, large enough to be few round trips. */
const SCAN_ROWS = 1000;

/** Opens the sink; the connection is made with the first statement. */
export function openPostgres(uri: string, options: SinkOptions): Sink {
  // Each repository in work holds one connection for its lock and one for its pages.
  const sql = postgres(uri, {
    max: options.concurrency * 2 + 1,
    onnotice: () => {},
    // A page and its state are one transaction: a server that crashes loses both or neither, so that no page has to
    // wait for the disk. The last one does.
    connection: { application_name: 'plumbline sync', TimeZone: 'UTC', synchronous_commit: 'off' },
    ...(options.echo === undefined ? {} : { debug: (_connection, query) => options.echo?.(query) }),
  });

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
    tryLock: (key) => failing(() => tryLock(sql, key)),
    close: () => sql.end({ timeout: 5 }),
  };
}

async function ensureSchema(sql: postgres.Sql): Promise<void> {
  await sql.begin(async (transaction) => {
    // `create table if not exists` is not safe against itself: two first syncs at once would collide.
    await transaction`select pg_advisory_xact_lock(hashtextextended('plumbline sync schema', 0))`;
    for (const table of TABLES) {
      await transaction.unsafe(createTable(table, TYPES));
      await transaction.unsafe(createIndex(table));
    }
    await transaction.unsafe(createStateTable(TYPES));
  });
}

async function readState(sql: postgres.Sql, key: StateKey): Promise<SyncState | undefined> {
  const [row] = await sql<{ state: unknown }[]>`
    select state from sync_state where repo_id = ${key.repoId} and target = ${key.target} and source = ${key.source}`;
  return row === undefined ? undefined : parseState(row.state);
}

async function apply(sql: postgres.Sql, page: SinkPage): Promise<void> {
  const { key } = page;
  // The statements of a page are sent in one go: `postgres` pipelines what is not awaited in between.
  await sql.begin((transaction) => [
    ...(page.state.done ? [transaction`set local synchronous_commit = on`] : []),
    ...page.tables
      .filter(({ rows }) => rows.length > 0)
      .map(({ table, rows }) => transaction.unsafe(upsert(table), [asJson(table, rows)], { prepare: true })),
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

function upsert(table: Table): string {
  const columns = table.columns.map((column) => `${column.name} ${TYPES[column.type]}`);
  return (
    `insert into ${table.name} (${columnList(table)}) ` +
    `select ${columnList(table)} from json_to_recordset($1::text::json) as arriving (${columns.join(', ')}) ` +
    onConflict(table, 'is distinct from')
  );
}

function asJson(table: Table, rows: readonly AnyRow[]): string {
  const timestamps = table.columns.filter((column) => column.type === 'timestamp').map((column) => column.name);
  return JSON.stringify(
    rows.map((row) => {
      const encoded: Record<string, JsonValue> = { ...row };
      for (const name of timestamps) encoded[name] = timestampText(row[name] ?? null);
      return encoded;
    }),
    // PostgreSQL's text cannot hold U+0000; hosts let it through in titles and bodies.
  ).replaceAll('\\u0000', '\\ufffd');
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

/** A session lock: the server frees it when the connection ends, however the process ends. */
async function tryLock(sql: postgres.Sql, key: StateKey): Promise<Lock | undefined> {
  const connection = await sql.reserve();
  const name = `plumbline sync ${key.repoId} ${key.target}`;
  const [row] = await connection<
    { taken: boolean }[]
  >`select pg_try_advisory_lock(hashtextextended(${name}, 0)) as taken`;
  if (row?.taken !== true) {
    connection.release();
    return undefined;
  }
  return {
    renew: async () => {},
    release: async () => {
      await connection`select pg_advisory_unlock(hashtextextended(${name}, 0))`;
      connection.release();
    },
  };
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
