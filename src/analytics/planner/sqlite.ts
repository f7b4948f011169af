/**
 * Runs statements on SQLite: a batch is one read transaction on one connection. The driver's asynchronous interface
 * computes a statement up to its first row in a separate thread, and these statements return no row before all work is
 * done. So the event loop stays free, and an interrupt ends the work.
 */
import { existsSync } from 'node:fs';
import Database from 'libsql/promise';
import { limited, type Answers, type Failure, type Follow, type Limits, type QueryEngine } from './engine.js';
import type { Row } from './result-rows.js';
import { sqliteDialect } from './dialects.js';
import type { Parameter } from './slices.js';
import { lacksMeasures } from './missing-measures.js';
import type { Statement } from './statements.js';

/** Connections that are kept for later batches. */
const IDLE = 4;

export function openSqliteEngine(path: string, timeoutSeconds: number): QueryEngine {
  const idle: Connection[] = [];
  let closed = false;
  return {
    dialect: sqliteDialect,
    async run(statements, signal, follow = () => []) {
      const rows = await limited({ signal, timeoutSeconds, kind }, async (limits) => {
        // Opening it would create it.
        if (!existsSync(path)) return undefined;
        const database = idle.pop() ?? (await open(path));
        try {
          return await runBatch(database, { statements, follow }, limits);
        } finally {
          if (closed || idle.length >= IDLE) database.close();
          else idle.push(database);
        }
      });
      return rows ?? statements.map(() => []);
    },
    close() {
      closed = true;
      for (const database of idle.splice(0)) database.close();
      return Promise.resolve();
    },
  };
}

/** The used part of the driver, whose own types are incomplete. */
interface Connection {
  prepare(text: string): Promise<{ raw(): { all(parameters: readonly (string | number)[]): Promise<Row[]> } }>;
  exec(text: string): Promise<void>;
  interrupt(): void;
  close(): void;
  defaultSafeIntegers(toggle: boolean): unknown;
}

async function open(path: string): Promise<Connection> {
  const database: Connection = new Database(path, { timeout: 5000 });
  await database.exec('pragma query_only = on; pragma cache_size = -65536; pragma temp_store = memory');
  database.defaultSafeIntegers(true);
  return database;
}

function kind(error: unknown): Failure {
  if (!(error instanceof Error) || !('code' in error)) return 'failed';
  if (error.code === 'SQLITE_INTERRUPT') return 'timeout';
  if (error.code === 'SQLITE_CANTOPEN' || error.code === 'SQLITE_BUSY') return 'unavailable';
  // SQLite has no code for these.
  if (/no such column/.test(error.message) && lacksMeasures(error)) return 'unavailable';
  return /no such table/.test(error.message) ? 'no-tables' : 'failed';
}

async function runBatch(
  database: Connection,
  { statements, follow }: { readonly statements: readonly Statement[]; readonly follow: Follow },
  { signal, remaining }: Limits,
): Promise<Answers> {
  const interrupt = (): void => {
    database.interrupt();
  };
  signal.addEventListener('abort', interrupt, { once: true });
  const timer = setTimeout(interrupt, remaining());
  try {
    await database.exec('begin');
    const all: (readonly Row[])[] = [];
    const run = async ({ text, parameters }: Statement): Promise<void> => {
      signal.throwIfAborted();
      remaining();
      const statement = await database.prepare(text);
      all.push(await statement.raw().all(parameters.map(encode)));
    };
    for (const statement of statements) await run(statement);
    for (const statement of follow(all)) await run(statement);
    return all;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', interrupt);
    // Fails if the transaction has not begun, or an interrupt has ended it; it only read.
    await database.exec('rollback').catch(() => undefined);
  }
}

function encode({ value }: Parameter): string | number {
  return typeof value === 'string' || typeof value === 'number' ? value : JSON.stringify(value);
}
