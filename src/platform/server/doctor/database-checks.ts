import postgres from 'postgres';
import { parseDatabaseAddress, type DatabaseAddress } from '../../../database/address.js';
import { requireCompatible } from '../../../database/compatibility.js';
import { readOnlyServer } from '../../../database/failures.js';
import { checkLimits, newestSchemaVersion, requireSupportedVersion } from '../../../database/migrate.js';
import { createSecretBox } from '../secrets/secret-box.js';
import type { PlatformSettings } from '../settings.js';
import { findingsOf, reasonOf, type Finding } from './finding.js';
import { databaseSocket } from '../../../database/socket.js';

/** Tokens and rate limits compare the server's clock with the database's. */
const warnedSkewMs = 2_000;
const failedSkewMs = 30_000;

/**
 * Checks the database of DATABASE_URI without changing it.
 *
 * @param secretsKey the key that the server would use; null: it would generate one
 */
export async function checkDatabase(
  settings: PlatformSettings & { readonly databaseUri: string },
  secretsKey: Buffer | null,
): Promise<Finding[]> {
  const { ok, failed } = findingsOf('database');
  let address: DatabaseAddress;
  try {
    address = parseDatabaseAddress(settings.databaseUri);
  } catch (error) {
    return [failed(reasonOf(error), 'Correct DATABASE_URI.')];
  }
  const sql = postgres(address.uri, {
    max: 1,
    ...databaseSocket(address),
    connect_timeout: 5,
    prepare: !address.isPooled,
    fetch_types: false,
    onnotice: () => undefined,
  });
  try {
    const [row] = await sql<{ version: string }[]>`select current_setting('server_version') as version`;
    return [
      ok(`PostgreSQL ${row?.version ?? ''} answers.`),
      ...(await Promise.all([
        checkVersion(sql),
        checkEncoding(sql),
        checkPermissions(sql),
        checkSchema(sql),
        checkConnections(sql, settings.databaseConnections),
        checkClock(sql),
        checkPooler(address),
        checkSameKey(sql, secretsKey, settings.secretsKeyPrevious),
      ])),
    ];
  } catch (error) {
    return [
      failed(
        `The database does not answer: ${reasonOf(error)}.`,
        'Start it, or correct host, port, name, user and password in DATABASE_URI.',
      ),
    ];
  } finally {
    await sql.end({ timeout: 1 });
  }
}

async function checkVersion(sql: postgres.Sql): Promise<Finding> {
  const { ok, failed } = findingsOf('database version');
  const [row] = await sql<{ number: string; name: string }[]>`
    select current_setting('server_version_num') as number, current_setting('server_version') as name`;
  try {
    requireSupportedVersion(Number(row?.number), row?.name ?? 'unknown');
    return ok('The version is supported.');
  } catch (error) {
    return failed(reasonOf(error), 'Upgrade PostgreSQL to version 15 or later.');
  }
}

async function checkEncoding(sql: postgres.Sql): Promise<Finding> {
  const { ok, failed } = findingsOf('database encoding');
  const [row] = await sql<{ encoding: string }[]>`select current_setting('server_encoding') as encoding`;
  if (row?.encoding === 'UTF8') return ok('The database stores UTF-8.');
  return failed(
    `The database stores ${row?.encoding ?? 'text in an unknown encoding'}: names in other scripts cannot be stored.`,
    "Create it anew: create database plumbline encoding 'UTF8' template template0.",
  );
}

async function checkPermissions(sql: postgres.Sql): Promise<Finding> {
  const { ok, failed } = findingsOf('database permissions');
  const [row] = await sql<{ user: string; schema: string | null; may: boolean | null; mode: string }[]>`
    select current_user as user, current_schema() as schema,
           has_schema_privilege(current_schema(), 'create') as may, current_setting('transaction_read_only') as mode`;
  if (row?.mode === 'on') return failed('The database takes no writes.', readOnlyServer);
  if (row?.schema == null) {
    return failed(`${row?.user ?? 'The user'} has no schema in the search path.`, 'Create one, or set search_path.');
  }
  if (row.may === true) return ok(`${row.user} may create tables in the schema ${row.schema}.`);
  return failed(
    `${row.user} may not create tables in the schema ${row.schema}: migrations will fail.`,
    `Run as its owner: grant create, usage on schema ${row.schema} to ${row.user}.`,
  );
}

async function checkSchema(sql: postgres.Sql): Promise<Finding> {
  const { ok, warning, failed } = findingsOf('migrations');
  const newest = await newestSchemaVersion();
  const [table] = await sql<{ exists: boolean }[]>`select to_regclass('schema_version') is not null as exists`;
  const [row] =
    table?.exists === true
      ? await sql<{ version: number }[]>`select max(version)::int as version from schema_version`
      : [];
  const present = row?.version ?? 0;
  if (present === newest) return ok(`The schema is at version ${newest}.`);
  if (present < newest) {
    return warning(
      `The schema is at version ${present}, this release needs ${newest}.`,
      'Run plumbline migrate, or start the server, which does the same.',
    );
  }
  try {
    await requireCompatible(sql, newest, present);
    return warning(`The schema is at version ${present}, this release knows ${newest}.`, 'Finish the update.');
  } catch (error) {
    return failed(reasonOf(error), 'Run the newer release.');
  }
}

async function checkConnections(sql: postgres.Sql, wanted: number): Promise<Finding> {
  const { ok, warning } = findingsOf('database connections');
  // A limit of -1 is none. The kind of other roles' connections is hidden from a role without rights. The database and the role count their connections alone, the server those of all.
  const limits = await sql<{ holder: string; most: number; used: number }[]>`
    with client as (
      select datname, usename from pg_stat_activity
      where datname is not null and coalesce(backend_type, 'client backend') = 'client backend')
    select 'the server' as holder, (select count(*)::int from client) as used,
      current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int as most
    union all
    select 'the database', (select count(*)::int from client where datname = current_database()), datconnlimit
    from pg_database where datname = current_database() and datconnlimit >= 0
    union all
    select 'the role ' || rolname, (select count(*)::int from client where usename = rolname), rolconnlimit
    from pg_roles where rolname = current_user and rolconnlimit >= 0`;
  const [tightest] = limits
    .map(({ holder, most, used }) => ({ holder, most, free: Math.max(most - used, 0) }))
    .sort((one, other) => one.free - other.free);
  if (tightest === undefined) throw new Error('the query of limits returned no row');
  const { holder, most, free } = tightest;
  if (free >= wanted)
    return ok(`${free} of ${most} connections of ${holder} are free; this server opens at most ${wanted}.`);
  return warning(
    `${free} of ${most} connections of ${holder} are free, and this server opens up to ${wanted}.`,
    'Lower DATABASE_CONNECTIONS, raise the limit, or use a pooler.',
  );
}

async function checkClock(sql: postgres.Sql): Promise<Finding> {
  const { ok, warning, failed } = findingsOf('clock');
  const sent = Date.now();
  const [row] = await sql<{ ms: number }[]>`select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms`;
  const received = Date.now();
  const answered = row?.ms ?? Number.NaN;
  // The database read its clock between the two times, so only the difference outside that interval is certain.
  const skew = Math.round(Math.max(sent - answered, answered - received, 0));
  const remedy = 'Synchronize the clocks of both machines with NTP.';
  if (skew >= failedSkewMs) return failed(`The clock differs from the database by ${skew} ms.`, remedy);
  if (skew >= warnedSkewMs) return warning(`The clock differs from the database by ${skew} ms.`, remedy);
  return ok(`The clock agrees with that of the database (within ${Math.max(skew, received - sent)} ms).`);
}

async function checkPooler(address: DatabaseAddress): Promise<Finding> {
  const { ok, failed } = findingsOf('pooler');
  if (address.isPooled) return ok('The address is marked as one of a pooler in transaction mode.');
  try {
    await checkLimits(address);
    return ok('The database keeps the settings of a session.');
  } catch (error) {
    return failed(reasonOf(error), 'Append ?pooler=transaction to DATABASE_URI.');
  }
}

async function checkSameKey(sql: postgres.Sql, key: Buffer | null, previous: string | null): Promise<Finding> {
  const { ok, warning, failed } = findingsOf('secrets key');
  const [table] = await sql<{ exists: boolean }[]>`select to_regclass('server_settings') is not null as exists`;
  const [row] =
    table?.exists === true
      ? await sql<{ value: string }[]>`select value from server_settings where name = 'secrets_key_fingerprint'`
      : [];
  if (row === undefined) return ok('Nothing in the database is sealed yet.');
  if (key !== null && createSecretBox(key).fingerprint === row.value) return ok('It is the key of this database.');
  if (previous !== null && createSecretBox(Buffer.from(previous, 'base64')).fingerprint === row.value) {
    return warning('SECRETS_KEY_PREVIOUS is the key of this database.', 'Run plumbline keys reseal.');
  }
  return failed(
    key === null
      ? 'The key that sealed the secrets in the database is missing.'
      : 'The database was sealed with another key.',
    'Set SECRETS_KEY to the key of the other servers, or restore secrets.key from the backup into PLUMBLINE_HOME.',
  );
}
