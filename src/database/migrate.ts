import { readdir, readFile } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import postgres from 'postgres';
import Postgrator from 'postgrator';

import { parseDatabaseAddress, type DatabaseAddress } from './address.js';
import { recordCompatibility, requireCompatible } from './compatibility.js';
import { readOnlyServer } from './failures.js';
import type { Log } from './log.js';
import { openSingleConnection } from './single-connection.js';
import { databaseSocket } from './socket.js';

export interface MigrateOptions {
  readonly logger: Log;
  /** Directory of the migrations. Default: the ones beside this module. */
  readonly directory?: URL;
}

export interface MigrationReport {
  /** Versions that this call applied, in order. */
  readonly applied: readonly number[];
}

/** `now()` rounded to milliseconds, generated columns, NULLS NOT DISTINCT: all available since version 15. */
const OLDEST_SERVER = 15;

/**
 * The key of the advisory lock that lets one server migrate while the others wait. An arbitrary number that other
 * programs are unlikely to use. The lock belongs to the transaction: a session-level lock would stay on a pooler's
 * connection.
 */
const LOCK = 7_358_624_731;

/**
 * How long a migration waits for a lock. Shorter than `deadlock_timeout` (1 s by default), so that the migration gives
 * way to requests of running servers, and is tried again. Otherwise a request would be cancelled as part of a deadlock,
 * or all requests would queue behind a migration that waits for a long transaction.
 */
const LOCK_TIMEOUT_MS = 200;
/** Between two tries, in ms. */
const FIRST_PAUSE = 250;
const LONGEST_PAUSE = 1000;
/** SQLSTATEs lock_not_available and deadlock_detected. */
const LOCKED = new Set(['55P03', '40P01']);

/** A timeout that no role has by default. */
const PROBE_MS = 86_399_999;
const POOLED =
  'The database address is that of a connection pooler in transaction mode: append ?pooler=transaction to it.';

/**
 * Migrates the schema of the database at `uri`. Any number of servers may do so at the same time.
 *
 * All pending migrations run in one transaction: afterwards the schema is up to date, or unchanged. While servers use
 * the database, the transaction starts again until it gets its locks at once. An applied migration must not be edited;
 * every call compares its checksum. A schema of a newer release is not changed if this release can work with it
 * (`compatibility.ts`).
 *
 * @throws Error when the server is older than PostgreSQL 15 or read-only, when an applied migration was changed, when a
 * newer release has changed the schema in a way that this one cannot work with, when the server is behind a pooler that
 * the address does not declare, or when a migration fails.
 */
export async function migrate(uri: string, options: MigrateOptions): Promise<MigrationReport> {
  const address = parseDatabaseAddress(uri);
  const sql = openSingleConnection(address, 'plumbline migrate', options.logger);
  try {
    await checkServer(sql);
    if (!address.isPooled) await checkLimits(address);
    const applied = await withRetries(sql, options);
    for (const { version, name } of applied) options.logger.info({ version, name }, 'Applied a database migration');
    return { applied: applied.map(({ version }) => version) };
  } finally {
    await sql.end({ timeout: 5 });
  }
}

/** Migrates, and starts again whenever a running server has a lock that a migration needs. */
async function withRetries(sql: postgres.Sql, options: MigrateOptions): Promise<Postgrator.Migration[]> {
  for (let pause = FIRST_PAUSE; ; pause = Math.min(pause * 2, LONGEST_PAUSE)) {
    try {
      return await inTransaction(sql, () => migrateInTransaction(sql, { ...options, lockTimeoutMs: LOCK_TIMEOUT_MS }));
    } catch (error) {
      if (!isLocked(error)) {
        throw new Error(`The database schema could not be migrated: ${describe(error)}`, { cause: error });
      }
      options.logger.info({}, 'Waiting for transactions of running servers to end before the migration');
      await setTimeout(pause);
    }
  }
}

function isLocked(error: unknown): boolean {
  return error instanceof postgres.PostgresError && LOCKED.has(error.code);
}

async function inTransaction<T>(sql: postgres.Sql, work: () => Promise<T>): Promise<T> {
  try {
    // Sent in one message, so that a pooler keeps the connection. A migration, or waiting for the migration of another
    // server, may take long, so the role's timeouts are turned off.
    await sql.unsafe('begin; set local statement_timeout = 0; set local lock_timeout = 0');
    const result = await work();
    await sql`commit`;
    return result;
  } catch (error) {
    await sql`rollback`.catch(() => undefined); // A lost connection has rolled back already. The first error has the cause.
    throw error;
  }
}

/**
 * Applies the pending migrations up to the version `to` (default: all) in the current transaction of `sql`.
 *
 * @param sql a driver instance with one connection
 * @throws PostgresError lock_not_available when a lock is not free within `lockTimeoutMs` (default: waits)
 */
export async function migrateInTransaction(
  sql: postgres.Sql,
  {
    directory,
    logger,
    to,
    lockTimeoutMs = 0,
  }: MigrateOptions & { readonly to?: number; readonly lockTimeoutMs?: number },
): Promise<Postgrator.Migration[]> {
  const migrations = fileURLToPath(directory ?? new URL('./migrations/', import.meta.url));
  const postgrator = new Postgrator({
    driver: 'pg',
    schemaTable: 'schema_version',
    currentSchema: await currentSchema(sql),
    // Forward slashes, because the pattern treats a backslash as an escape, even on Windows.
    migrationPattern: `${migrations.replaceAll('\\', '/').replace(/\/?$/, '/')}*.sql`,
    newline: 'LF',
    execQuery: async (query) => ({ rows: await sql.unsafe(query) }),
    execSqlScript: async (script) => {
      await sql.unsafe(script);
    },
  });
  await lock(sql, logger);
  await sql.unsafe(`set local lock_timeout = ${lockTimeoutMs}`);
  const known = await postgrator.getMaxVersion();
  const present = await postgrator.getDatabaseVersion();
  if (present > known) {
    await requireCompatible(sql, known, present);
    await postgrator.validateMigrations(known);
    logger.info({ present, known }, 'A newer release has migrated the database; this release is compatible with it');
    return [];
  }
  const pending = (await postgrator.getMigrations()).filter(
    ({ action, version }) => action === 'do' && version > present && version <= (to ?? known),
  );
  if (lockTimeoutMs > 0) await lockTables(sql, pending);
  const applied = await postgrator.migrate(to?.toString());
  await recordCompatibility(sql, applied);
  return applied;
}

/**
 * Locks the tables that migrations name before the first one runs. Each migration would lock its own, and a request that
 * uses one table and waits for another would stop them: under load, one of many migrations always met such a request.
 * Most requests use `users` before other tables, so that is locked first, and they wait without a lock of theirs.
 *
 * @throws PostgresError lock_not_available when a table stays in use
 */
async function lockTables(sql: postgres.Sql, migrations: readonly Postgrator.Migration[]): Promise<void> {
  const scripts = (await Promise.all(migrations.map(({ filename }) => readFile(filename, 'utf8')))).join('\n');
  const tables = await sql<{ name: string }[]>`
    select relname as name from pg_class where relkind in ('r', 'p') and relnamespace = current_schema()::regnamespace
    order by relname <> 'users', relname`;
  const named = tables.map(({ name }) => name).filter((name) => new RegExp(`\\b${name}\\b`, 'i').test(scripts));
  if (named.length > 0) await sql`lock table ${sql(named)} in access exclusive mode`;
}

/** Waits until no other server migrates, and holds the lock until the end of the transaction. */
async function lock(sql: postgres.Sql, logger: Log): Promise<void> {
  const [row] = await sql<{ taken: boolean }[]>`select pg_try_advisory_xact_lock(${LOCK}) as taken`;
  if (row?.taken === true) return;
  logger.info({}, 'Waiting for another migration of this database');
  await sql`select pg_advisory_xact_lock(${LOCK})`;
}

/**
 * Checks that the server accepts session timeouts in the startup message.
 *
 * @throws Error when a pooler rejects or drops them; otherwise named prepared statements would fail later, sporadically
 */
export async function checkLimits(address: DatabaseAddress): Promise<void> {
  const probe = postgres(address.uri, {
    max: 1,
    ...databaseSocket(address),
    connect_timeout: 5,
    fetch_types: false,
    prepare: false,
    connection: { application_name: 'plumbline migrate', statement_timeout: PROBE_MS },
  });
  try {
    const [row] = await probe<{ ms: string }[]>`
      select setting as ms from pg_settings where name = 'statement_timeout'`;
    if (row?.ms !== String(PROBE_MS)) throw new Error(POOLED);
  } catch (error) {
    const isRefused = error instanceof Error && error.message.includes('unsupported startup parameter');
    throw isRefused ? new Error(POOLED, { cause: error }) : error;
  } finally {
    await probe.end({ timeout: 1 });
  }
}

/** The schema version of this release: that of its newest migration. */
export async function newestSchemaVersion(): Promise<number> {
  const files = await readdir(new URL('./migrations/', import.meta.url));
  return Math.max(...files.map((file) => Number.parseInt(file, 10)).filter((version) => !Number.isNaN(version)));
}

/** @throws Error when the server is too old, or read-only */
export async function checkServer(sql: postgres.Sql): Promise<void> {
  const [row] = await sql<{ number: string; name: string; mode: string }[]>`
    select current_setting('server_version_num') as number, current_setting('server_version') as name,
           current_setting('transaction_read_only') as mode`;
  requireSupportedVersion(Number(row?.number), row?.name ?? 'unknown');
  if (row?.mode === 'on') throw new Error(readOnlyServer);
}

/**
 * @param number `server_version_num`, for example 150004 for 15.4.
 * @param name the version as the server names it
 * @throws Error when the server is too old.
 */
export function requireSupportedVersion(number: number, name: string): void {
  if (Math.floor(number / 10_000) >= OLDEST_SERVER) return;
  throw new Error(
    `The database server is PostgreSQL ${name}; version ${OLDEST_SERVER} or later is needed. ` +
      'Upgrade it, or unset DATABASE_URI to use the embedded PostgreSQL.',
  );
}

async function currentSchema(sql: postgres.Sql): Promise<string> {
  const [row] = await sql<{ schema: string | null }[]>`select current_schema() as schema`;
  if (!row?.schema) throw new Error('The database has no schema that this user can access; check its search_path');
  return row.schema;
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
