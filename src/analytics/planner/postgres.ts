/**
 * Runs statements on PostgreSQL: a batch is one snapshot, read over up to two connections. The first one exports the
 * snapshot, the other joins it. Where none is free, or leads to another server, the first does all of the work.
 */
import { openDatabase, type Database, type Sql, type Transaction } from '../../database/connection.js';
import { isConnectionFailure, isStatementTimeout } from '../../database/failures.js';
import type { Log } from '../../database/log.js';
import { writeTexts } from '../../database/text-arrays.js';
import type { Row } from './answer.js';
import { postgresDialect } from './dialects.js';
import { limited, type Failure, type Limits, type QueryEngine } from './engine.js';
import type { Parameter, Statement } from './statements.js';

const READ = 'isolation level repeatable read read only';
/** Batches at once; more of them wait for their turn. Half of a pool's connections are for transactions. */
const BATCHES = 5;

export function openPostgresEngine(uri: string, timeoutSeconds: number, log: Log): QueryEngine {
  // Statements have limits of their own; a connection may be idle until the other one has come to its limit.
  const statementTimeoutMs = (timeoutSeconds + 10) * 1000;
  const options = { logger: log, maxConnections: BATCHES * 2, statementTimeoutMs, connectTimeoutMs: 10_000 };
  // Pools of their own: whoever has a first connection never waits for another first one.
  const first = openDatabase(uri, options);
  const second = openDatabase(uri, options);
  return {
    dialect: postgresDialect,
    async run(statements, signal) {
      const rows = await limited({ signal, timeoutSeconds, kind }, (limits) =>
        runBatch({ first, second }, statements, limits),
      );
      return rows ?? statements.map(() => []);
    },
    async close() {
      await Promise.all([first.close(), second.close()]);
    },
  };
}

function kind(error: unknown): Failure {
  if (isStatementTimeout(error)) return 'timeout';
  if (isConnectionFailure(error)) return 'unavailable';
  return error instanceof Error && 'code' in error && error.code === '42P01' ? 'no-tables' : 'failed';
}

interface Connections {
  readonly first: Database;
  readonly second: Database;
}

/** Statements that have not begun; each connection takes the next. */
interface Work {
  readonly waiting: { readonly statement: Statement; readonly at: number }[];
  readonly rows: (readonly Row[])[];
}

async function runBatch(
  { first, second }: Connections,
  statements: readonly Statement[],
  limits: Limits,
): Promise<readonly (readonly Row[])[]> {
  const work: Work = { waiting: statements.map((statement, at) => ({ statement, at })), rows: [] };
  await first.sql.begin(READ, async (transaction) => {
    if (statements.length < 2) {
      await takeTurns(transaction, first, work, limits);
      return;
    }
    const [exported] = await transaction<{ id: string; server: string }[]>`
      select pg_export_snapshot() as id, ${serverIdentity(transaction)} as server`;
    const helper = new AbortController();
    const helped = second.sql
      .begin(READ, async (other) => {
        if (work.waiting.length === 0) return;
        await importSnapshot(other, exported?.id);
        const signal = AbortSignal.any([limits.signal, helper.signal]);
        await takeTurns(other, second, work, { ...limits, signal }, exported?.server);
      })
      // The first repeats what the helper had begun: a lost helper does not fail the batch, a timeout does.
      .then(
        () => undefined,
        (error: unknown) => ({ error }),
      );
    try {
      await takeTurns(transaction, first, work, limits);
    } catch (error) {
      helper.abort();
      work.waiting.length = 0;
      await helped;
      throw error;
    }
    const failure = await helped;
    if (failure !== undefined && !isLostHelper(failure.error)) throw failure.error;
    work.waiting.push(
      ...statements.flatMap((statement, at) => (work.rows[at] === undefined ? [{ statement, at }] : [])),
    );
    await takeTurns(transaction, first, work, limits);
  });
  return work.rows;
}

/** The second connection cannot help: a balancer has led it to another server than the first. */
class OtherServerError extends Error {
  override readonly name = 'OtherServerError';
}

function isLostHelper(error: unknown): boolean {
  return error instanceof OtherServerError || isConnectionFailure(error);
}

/** Any refusal means that the snapshot is not of this server, or is gone: 22023, since version 16 also 42704. */
async function importSnapshot(transaction: Transaction, id: string | undefined): Promise<void> {
  try {
    await transaction.unsafe(`set transaction snapshot '${snapshotId(id)}'`);
  } catch (error) {
    if (isConnectionFailure(error) || isStatementTimeout(error)) throw error;
    throw new OtherServerError('The snapshot cannot be joined', { cause: error });
  }
}

/**
 * Tells servers apart that are replicas of each other and so have everything else in common. Snapshots and processes of
 * two servers may well have the same numbers.
 */
function serverIdentity(sql: Sql): ReturnType<Sql> {
  return sql`extract(epoch from pg_postmaster_start_time())::text`;
}

/** @param expected the server that the connection must lead to; undefined: any */
async function takeTurns(
  transaction: Transaction,
  database: Database,
  work: Work,
  limits: Limits,
  expected?: string,
): Promise<void> {
  const [settings] = await transaction<{ pid: number; server: string }[]>`
    select pg_backend_pid() as pid, ${serverIdentity(transaction)} as server,
           -- Compiling takes longer than most of these statements do.
           set_config('jit', 'off', true),
           -- So that the sums of many authors by many days are not written to disk.
           set_config('work_mem', '64MB', true)`;
  if (expected !== undefined && settings?.server !== expected) {
    throw new OtherServerError('The helper was led to another server');
  }
  let cancelled: Promise<unknown> | undefined;
  const cancel = (): void => {
    // On another server, the process of that number is not ours.
    cancelled = database.sql`
      select pg_cancel_backend(${settings?.pid ?? 0})
      where ${serverIdentity(database.sql)} = ${settings?.server ?? ''}`.catch(() => undefined);
  };
  limits.signal.addEventListener('abort', cancel, { once: true });
  try {
    for (let next = work.waiting.shift(); next !== undefined; next = work.waiting.shift()) {
      limits.signal.throwIfAborted();
      const { text, parameters } = next.statement;
      // Sent together: the driver does not wait for the first answer before it sends the second.
      const [, rows] = await Promise.all([
        transaction`select set_config('statement_timeout', ${String(limits.remaining())}, true)`,
        transaction.unsafe(text, parameters.map(encode)).values(),
      ]);
      work.rows[next.at] = rows;
    }
  } finally {
    limits.signal.removeEventListener('abort', cancel);
    // It must not hit what this connection does next.
    await cancelled;
  }
}

/** `text[]` has a serializer in our driver settings; of other types it sends the text as it is. */
function encode({ type, value }: Parameter): string | readonly string[] {
  if (!Array.isArray(value)) return String(value);
  return type === 'texts' ? value : writeTexts(value);
}

/** SET TRANSACTION takes no parameters. The text is the server's own, and is not believed to have the expected form. */
function snapshotId(id: string | undefined): string {
  if (id === undefined || !/^[0-9A-F]+-[0-9A-F]+-\d+$/.test(id)) throw new Error('PostgreSQL exported no snapshot.');
  return id;
}
