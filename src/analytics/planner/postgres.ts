/**
 * Runs statements on PostgreSQL: a batch is one snapshot, read over up to two connections. The first one exports the
 * snapshot, the other imports it. If none is free, or it reaches another server, the first does all the work.
 */
import { openDatabase, type Database, type Sql, type Transaction } from '../../database/connection.js';
import { isConflict, isConnectionFailure, isStatementTimeout } from '../../database/failures.js';
import type { Log } from '../../database/log.js';
import { writeTexts } from '../../database/text-arrays.js';
import type { Row } from './result-rows.js';
import { postgresDialect } from './dialects.js';
import { limited, type Answers, type Failure, type Limits, type QueryEngine } from './engine.js';
import type { Parameter } from './slices.js';
import { lacksMeasures } from './missing-measures.js';
import type { Statement } from './statements.js';

const READ = 'isolation level repeatable read read only';
/** Maximum number of concurrent batches; others wait. Half of a pool's connections are for transactions. */
const BATCHES = 5;

export function openPostgresEngine(uri: string, timeoutSeconds: number, log: Log): QueryEngine {
  // Statements have their timeouts; a connection may be idle until the other one's statement has timed out.
  const statementTimeoutMs = (timeoutSeconds + 10) * 1000;
  const limits = { maxConnections: BATCHES * 2, statementTimeoutMs, connectTimeoutMs: 10_000 };
  const options = { logger: log, readsOnly: true, ...limits };
  // Separate pools, so that a batch that has a first connection never waits for another first connection.
  const first = openDatabase(uri, options);
  const second = openDatabase(uri, options);
  return {
    dialect: postgresDialect,
    async run(statements, signal, follow = () => []) {
      const rows = await limited({ signal, timeoutSeconds, kind }, (limits) =>
        first.sql.begin(READ, async (transaction) => {
          const run = (these: readonly Statement[]): Promise<Answers> =>
            runStatements(transaction, { first, second }, these, limits);
          const answers = await run(statements);
          const following = follow(answers);
          return following.length === 0 ? answers : [...answers, ...(await run(following))];
        }),
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
  if (isConnectionFailure(error) || isConflict(error)) return 'unavailable';
  if (!(error instanceof Error) || !('code' in error)) return 'failed';
  if (error.code === '42703' && lacksMeasures(error)) return 'unavailable';
  return error.code === '42P01' ? 'no-tables' : 'failed';
}

interface Connections {
  readonly first: Database;
  readonly second: Database;
}

/** Statements that have not started; each connection takes the next one. */
interface Work {
  readonly waiting: { readonly statement: Statement; readonly at: number }[];
  readonly rows: (readonly Row[])[];
}

/** @param transaction of the first connection */
async function runStatements(
  transaction: Transaction,
  { first, second }: Connections,
  statements: readonly Statement[],
  limits: Limits,
): Promise<Answers> {
  const work: Work = { waiting: statements.map((statement, at) => ({ statement, at })), rows: [] };
  if (statements.length < 2) {
    await takeTurns(transaction, first, work, limits);
    return work.rows;
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
    // The first repeats the helper's statements: a lost helper does not fail the batch, a timeout does.
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
  work.waiting.push(...statements.flatMap((statement, at) => (work.rows[at] === undefined ? [{ statement, at }] : [])));
  await takeTurns(transaction, first, work, limits);
  return work.rows;
}

/** The second connection cannot be used: a load balancer connected it to another server. */
class OtherServerError extends Error {
  override readonly name = 'OtherServerError';
}

function isLostHelper(error: unknown): boolean {
  return error instanceof OtherServerError || isConnectionFailure(error);
}

/** Any error means that the snapshot is not of this server, or is gone: 22023, since version 16 also 42704. */
async function importSnapshot(transaction: Transaction, id: string | undefined): Promise<void> {
  try {
    await transaction.unsafe(`set transaction snapshot '${snapshotId(id)}'`);
  } catch (error) {
    if (isConnectionFailure(error) || isStatementTimeout(error)) throw error;
    throw new OtherServerError('The snapshot cannot be joined', { cause: error });
  }
}

/**
 * Distinguishes servers that are replicas of each other and have everything else in common. Snapshots and processes of
 * two servers may have the same numbers.
 */
function serverIdentity(sql: Sql): ReturnType<Sql> {
  return sql`extract(epoch from pg_postmaster_start_time())::text`;
}

/** @param expected the required server of the connection; undefined: any */
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
    throw new OtherServerError('The helper reached another server');
  }
  let cancelled: Promise<unknown> | undefined;
  const cancel = (): void => {
    // On another server, that process id belongs to another process.
    cancelled = database.sql`
      select pg_cancel_backend(${settings?.pid ?? 0})
      where ${serverIdentity(database.sql)} = ${settings?.server ?? ''}`.catch(() => undefined);
  };
  limits.signal.addEventListener('abort', cancel, { once: true });
  try {
    for (let next = work.waiting.shift(); next !== undefined; next = work.waiting.shift()) {
      limits.signal.throwIfAborted();
      const { text, parameters } = next.statement;
      // Pipelined: the driver does not wait for the first result before it sends the second statement.
      const [, rows] = await Promise.all([
        transaction`select set_config('statement_timeout', ${String(limits.remaining())}, true)`,
        transaction.unsafe(text, parameters.map(encode)).values(),
      ]);
      work.rows[next.at] = rows;
    }
  } finally {
    limits.signal.removeEventListener('abort', cancel);
    // The cancellation must not affect the next statement of this connection.
    await cancelled;
  }
}

/** `text[]` has a serializer in the driver settings; the driver sends other types unchanged as text. */
function encode({ type, value }: Parameter): string | readonly string[] {
  if (!Array.isArray(value)) return String(value);
  return type === 'texts' ? value : writeTexts(value);
}

/** SET TRANSACTION accepts no parameters. The text comes from the server, but its format is checked. */
function snapshotId(id: string | undefined): string {
  if (id === undefined || !/^[0-9A-F]+-[0-9A-F]+-\d+$/.test(id)) throw new Error('PostgreSQL exported no snapshot.');
  return id;
}
