/** The SQLite sink. A page is one transaction. Timestamps are stored as RFC 3339 text in UTC, JSON as text. */
import { randomUUID } from 'node:crypto';
import type Database from 'libsql';
import type { AnyRow, Column, JsonValue, Table } from '../records.js';
import { TABLES } from '../records.js';
import { asPromise, inSqliteTransaction } from '../../database/sqlite-driver.js';
import { SyncError } from '../failures.js';
import { toAsyncIterable } from '@plumbline/contract/system/async-iterable';
import { loadNative } from '../../database/native-package.js';
import { isFree, LEASE_MILLISECONDS, lockLost, thisHolder } from './lease.js';
import { sqliteDerivation } from '../work-units/derivation/database/sqlite.js';
import type { Lock, LockKey, Sink, SinkOptions, SinkPage, StoredKey, SyncState } from './sink.js';
import { repositoryColumn } from './sink.js';
import {
  addColumns,
  columnList,
  createIndex,
  createStateTable,
  createTable,
  onConflict,
  timestampText,
} from './sql.js';
import { parseState } from './state.js';

const Sqlite = loadNative('libsql');

const TYPES = { uuid: 'text', text: 'text', integer: 'integer', timestamp: 'text', json: 'text' } as const;

/** Rows per insert statement. Measured: 50 is 1.4 times as fast as one, and more is not faster. */
const INSERT_ROWS = 50;
const SCAN_ROWS = 1000;

type Statement = Database.Statement;

/** Opens the database file; creates it if it does not exist. */
export function openSqlite(path: string, options: SinkOptions): Sink {
  const database = failing(() => new Sqlite(path, { timeout: 30_000 }));
  const prepared = new Map<string, Statement>();
  const prepare = (text: string): Statement => {
    const existing = prepared.get(text);
    if (existing !== undefined) return existing;
    const statement = database.prepare(text);
    prepared.set(text, statement);
    return statement;
  };
  const run = (text: string, values: readonly (string | number | null)[]): void => {
    options.echo?.(text);
    prepare(text).run([...values]);
  };
  const inTransaction = <Result>(action: () => Result): Result =>
    inSqliteTransaction((statement) => {
      run(statement, []);
    }, action);

  const derivation = sqliteDerivation({
    all: (text, values) => {
      options.echo?.(text);
      return failing(() => prepare(text).all([...values]));
    },
    run,
    transaction: (action) => {
      failing(() => {
        inTransaction(action);
      });
    },
    decode,
  });

  return {
    kind: 'sqlite',
    ensureSchema: () =>
      settled(() => {
        // 8 MB of pages. The sync and its work units write alternately and invalidate each other's cache, so a larger
        // cache only costs memory. WAL lets readers work during a sync. NORMAL syncs at checkpoints; a killed process
        // loses no committed page.
        database.exec(
          'pragma journal_mode = wal; pragma synchronous = normal; pragma cache_size = -8192; pragma busy_timeout = 30000; ' +
            // Checkpoints after 64 MB instead of 4. Hashes are spread over the whole index, so frequent checkpoints
            // would write each page repeatedly. Measured: 28 % less is written.
            'pragma wal_autocheckpoint = 16384',
        );
        for (const table of TABLES) {
          database.exec(createTable(table, TYPES));
          database.exec(createIndex(table));
        }
        inTransaction(() => {
          for (const table of TABLES) {
            // The driver's rows are untyped; each row of this query has one text.
            const columns = database.prepare(`select name from pragma_table_info('${table.name}')`).all() as {
              readonly name: string;
            }[];
            const present = new Set(columns.map(({ name }) => name));
            for (const statement of addColumns(table, TYPES, present)) database.exec(statement);
          }
        });
        database.exec(createStateTable(TYPES));
        database.exec('create table if not exists sync_locks (name text primary key, holder text not null)');
      }),
    readState: (key) => settled(() => readState(prepare, key)),
    apply: (page) =>
      settled(() => {
        inTransaction(() => {
          apply(run, page);
        });
      }),
    scan: (table, repoId) => toAsyncIterable(scan(prepare, table, repoId)),
    clear: (table, repoId) =>
      settled(() => {
        run(`delete from ${table.name} where ${repositoryColumn(table)} = ?`, [repoId]);
      }),
    remove: (table, repoId, where) =>
      settled(() => {
        const conditions = Object.keys(where).map((name) => `${name} in (select value from json_each(?))`);
        run(`delete from ${table.name} where ${repositoryColumn(table)} = ? and ${conditions.join(' and ')}`, [
          repoId,
          ...Object.values(where).map((values) => JSON.stringify(values)),
        ]);
      }),
    clearStates: (repoId) =>
      settled(() => {
        run('delete from sync_state where repo_id = ?', [repoId]);
      }),
    tryLock: (key) => settled(() => tryLock(prepare, run, inTransaction, key, options.now)),
    repositories: (orgId) => derivation.repositories(orgId),
    derivation,
    close: () =>
      settled(() => {
        database.close();
      }),
  };
}

type Prepare = (text: string) => Statement;
type Run = (text: string, values: readonly (string | number | null)[]) => void;

function readState(prepare: Prepare, key: StoredKey): SyncState | undefined {
  const row: unknown = prepare('select state from sync_state where repo_id = ? and target = ? and source = ?').get([
    key.repoId,
    key.target,
    key.source,
  ]);
  return typeof row === 'object' && row !== null && 'state' in row ? parseState(row.state) : undefined;
}

function apply(run: Run, page: SinkPage): void {
  for (const { table, rows } of page.tables) {
    for (let start = 0; start < rows.length; start += INSERT_ROWS) {
      const batch = rows.slice(start, start + INSERT_ROWS);
      // A statement per number of remaining rows would fill the statement cache, so the rest is inserted row by row.
      if (batch.length === INSERT_ROWS)
        run(
          upsert(table, INSERT_ROWS),
          batch.flatMap((row) => values(table, row)),
        );
      else for (const row of batch) run(upsert(table, 1), values(table, row));
    }
  }
  const { key } = page;
  for (const { path, lines } of page.blameLengths) {
    run('delete from git_blame where repo_id = ? and path = ? and line_no > ?', [key.repoId, path, lines]);
  }
  run(
    'insert into sync_state (repo_id, target, source, state) values (?, ?, ?, ?) ' +
      'on conflict (repo_id, target, source) do update set state = excluded.state',
    [key.repoId, key.target, key.source, JSON.stringify(page.state)],
  );
}

const upserts = new Map<string, string>();

function upsert(table: Table, rows: number): string {
  const name = `${table.name} ${rows}`;
  const existing = upserts.get(name);
  if (existing !== undefined) return existing;
  const row = `(${table.columns.map(() => '?').join(', ')})`;
  const text =
    `insert into ${table.name} (${columnList(table)}) values ${Array<string>(rows).fill(row).join(', ')} ` +
    onConflict(table, 'is not');
  upserts.set(name, text);
  return text;
}

function values(table: Table, row: AnyRow): (string | number | null)[] {
  return table.columns.map((column) => {
    const value = row[column.name] ?? null;
    if (column.type === 'timestamp') return timestampText(value);
    if (column.type === 'json') return JSON.stringify(value);
    return typeof value === 'string' || typeof value === 'number' ? value : null;
  });
}

function* scan(prepare: Prepare, table: Table, repoId: string): Generator<readonly AnyRow[]> {
  const key = table.key.join(', ');
  const select = `select ${columnList(table)} from ${table.name} where ${repositoryColumn(table)} = ?`;
  let after: AnyRow | undefined;
  for (;;) {
    const found = failing(() =>
      after === undefined
        ? prepare(`${select} order by ${key} limit ${SCAN_ROWS}`).all([repoId])
        : prepare(
            `${select} and (${key}) > (${table.key.map(() => '?').join(', ')}) order by ${key} limit ${SCAN_ROWS}`,
          ).all([repoId, ...table.key.map((name) => after?.[name] ?? null)]),
    );
    const rows = found.map((row) => decode(table.columns, row));
    if (rows.length > 0) yield rows;
    if (rows.length < SCAN_ROWS) return;
    after = rows.at(-1);
  }
}

function decode(columns: readonly Column[], row: unknown): AnyRow {
  // A driver's row is an object with one property per selected column.
  const stored = row as Record<string, string | number | null>;
  const decoded: Record<string, JsonValue> = {};
  for (const column of columns) {
    const value = stored[column.name] ?? null;
    if (value !== null && column.type === 'timestamp') decoded[column.name] = Date.parse(String(value));
    else if (value !== null && column.type === 'json') decoded[column.name] = JSON.parse(String(value)) as JsonValue;
    else decoded[column.name] = value;
  }
  return decoded;
}

/** A lease in the database file, because SQLite's locks end with the transaction. */
function tryLock(
  prepare: Prepare,
  run: Run,
  inTransaction: (action: () => boolean) => boolean,
  key: LockKey,
  now: () => number,
): Lock | undefined {
  const name = `${key.repoId} ${key.target}`;
  // The id distinguishes two leases that one process takes within one millisecond.
  const id = randomUUID();
  const stored = (): string | undefined => {
    const row: unknown = prepare('select holder from sync_locks where name = ?').get([name]);
    return typeof row === 'object' && row !== null && 'holder' in row ? String(row.holder) : undefined;
  };
  let mine = '';
  const write = (): void => {
    const holder = thisHolder(now() + LEASE_MILLISECONDS);
    mine = JSON.stringify({ ...holder, id });
    run(
      'insert into sync_locks (name, holder) values (?, ?) on conflict (name) do update set holder = excluded.holder',
      [name, mine],
    );
  };
  const isTaken = inTransaction(() => {
    const held = stored();
    const free = held === undefined || isFree(held, now());
    if (free) write();
    return free;
  });
  if (!isTaken) return undefined;
  return {
    renew: () =>
      settled(() => {
        const isMine = inTransaction(() => {
          const held = stored() === mine;
          if (held) write();
          return held;
        });
        if (!isMine) throw lockLost();
      }),
    release: () =>
      settled(() => {
        run('delete from sync_locks where name = ? and holder = ?', [name, mine]);
      }),
  };
}

/** What `asPromise` does, with failures as errors of a sync. */
function settled<Result>(action: () => Result): Promise<Result> {
  return asPromise(() => failing(action));
}

function failing<Result>(action: () => Result): Result {
  try {
    return action();
  } catch (error) {
    if (error instanceof SyncError) throw error;
    throw new SyncError('database_failed', `SQLite: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}
