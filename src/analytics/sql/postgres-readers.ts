/** The readers of an organization in PostgreSQL: roles that may read the views of SQL.md, and nothing else. */
import postgres from 'postgres';
import { parseDatabaseAddress } from '../../database/address.js';
import type { Log } from '../../database/log.js';
import { openSingleConnection } from '../../database/single-connection.js';
import { ReaderRefused, type NewReader, type ReaderRow, type Readers } from './readers.js';
import { scramVerifier } from './scram.js';
import { ensureViews, grantsOf, identifier, literal } from './postgres-views.js';
import { SQL_SCHEMA } from './views.js';

/** Opens the readers of a database. */
export function openPostgresReaders(uri: string, log: Log): Readers {
  const sql = openSingleConnection(parseDatabaseAddress(uri), 'plumbline sql', log);
  return {
    grant: (orgId, role, reader) => grantReader(sql, orgId, role, reader),
    revoke: (role) => revokeReader(sql, role),
    list: () => listReaders(sql),
    replaceViews: async () => {
      await sql.begin(createViews);
    },
    close: () => sql.end({ timeout: 5 }),
  };
}

/** The statements that create a role. They contain no password. */
export function createRole(role: string, { password, connections, timeoutSeconds }: NewReader): readonly string[] {
  const name = identifier(role);
  return [
    `create role ${name} login nosuperuser nocreatedb nocreaterole noinherit noreplication nobypassrls ` +
      `connection limit ${connections} password ${literal(scramVerifier(password))}`,
    ...settingsOf(role, timeoutSeconds),
  ];
}

function settingsOf(role: string, timeoutSeconds: number): readonly string[] {
  const alter = `alter role ${identifier(role)} set`;
  return [
    `${alter} default_transaction_read_only = on`,
    `${alter} statement_timeout = '${timeoutSeconds}s'`,
    `${alter} idle_in_transaction_session_timeout = '60s'`,
    `${alter} search_path = ${SQL_SCHEMA}`,
  ];
}

/** `grant` of `Readers`. */
export async function grantReader(
  sql: postgres.Sql,
  orgId: string,
  role: string,
  reader: NewReader | undefined,
): Promise<void> {
  await sql.begin(async (transaction) => {
    await createViews(transaction);
    await requireOrganization(transaction, orgId);
    const [listed] = await transaction<{ org_id: string }[]>`
      select org_id from ${transaction(SQL_SCHEMA)}.readers where role = ${role}`;
    if (listed !== undefined && listed.org_id !== orgId)
      throw new ReaderRefused(`The role ${role} reads another organization (${listed.org_id}): name another role`);
    const existing = await findRole(transaction, role);
    if (reader === undefined) requireHarmless(role, existing);
    else if (existing === undefined) await run(transaction, createRole(role, reader));
    else if (listed === undefined)
      throw new ReaderRefused(
        `The role ${role} exists, and is not a reader: name another role, or use --existing, which leaves its password as it is`,
      );
    else {
      requireHarmless(role, existing);
      const { password, connections, timeoutSeconds } = reader;
      const altered = `connection limit ${connections} password ${literal(scramVerifier(password))}`;
      await run(transaction, [`alter role ${identifier(role)} ${altered}`, ...settingsOf(role, timeoutSeconds)]);
    }
    await transaction`
      insert into ${transaction(SQL_SCHEMA)}.readers (role, org_id) values (${role}, ${orgId}) on conflict (role) do nothing`;
    for (const statement of grantsOf(role)) await transaction.unsafe(statement);
  });
}

/** `revoke` of `Readers`. */
export async function revokeReader(
  sql: postgres.Sql,
  role: string,
): Promise<{ readonly isDropped: boolean } | undefined> {
  return sql.begin(async (transaction) => {
    if (!(await hasReaders(transaction))) return undefined;
    const { count } = await transaction`delete from ${transaction(SQL_SCHEMA)}.readers where role = ${role}`;
    return count === 0 ? undefined : { isDropped: await dropReader(transaction, role) };
  });
}

/** Removes all readers of an organization. A role that cannot be dropped stays, without any right. */
export async function removeReaders(sql: postgres.Sql, orgId: string): Promise<void> {
  await sql.begin(async (transaction) => {
    if (!(await hasReaders(transaction))) return;
    const removed = await transaction<{ role: string }[]>`
      delete from ${transaction(SQL_SCHEMA)}.readers where org_id = ${orgId} returning role`;
    for (const { role } of removed) await dropReader(transaction, role);
  });
}

/** `list` of `Readers`. */
export async function listReaders(sql: postgres.Sql): Promise<readonly ReaderRow[]> {
  if (!(await hasReaders(sql))) return [];
  const rows = await sql<{ role: string; org_id: string; granted_at: Date; exists: boolean }[]>`
    select role, org_id, granted_at, exists (select 1 from pg_roles where rolname = role) as exists
    from ${sql(SQL_SCHEMA)}.readers order by org_id, role`;
  return rows.map(({ role, org_id: orgId, granted_at: grantedAt, exists }) => ({ role, orgId, grantedAt, exists }));
}

async function hasReaders(sql: postgres.ISql): Promise<boolean> {
  const [row] = await sql<{ exists: boolean }[]>`select to_regclass(${`${SQL_SCHEMA}.readers`}) is not null as exists`;
  return row?.exists === true;
}

/** Takes all rights that Plumbline gave. @returns whether the role is gone */
async function dropReader(transaction: postgres.TransactionSql, role: string): Promise<boolean> {
  if ((await findRole(transaction, role)) === undefined) return true;
  const name = identifier(role);
  await transaction.unsafe(`revoke all on all tables in schema ${SQL_SCHEMA} from ${name}`);
  await transaction.unsafe(`revoke all on schema ${SQL_SCHEMA} from ${name}`);
  try {
    await transaction.savepoint((attempt) => attempt.unsafe(`drop role ${name}`));
    return true;
  } catch (error) {
    // Insufficient_privilege: an administrator created it. Dependent_objects_still_exist: it has other rights.
    if (error instanceof postgres.PostgresError && ['42501', '2BP01'].includes(error.code)) return false;
    throw error;
  }
}

interface Role {
  readonly isPowerful: boolean;
  readonly isMember: boolean;
}

async function findRole(sql: postgres.ISql, role: string): Promise<Role | undefined> {
  const [row] = await sql<Role[]>`
    select rolsuper or rolbypassrls or rolcreaterole or rolcreatedb or rolreplication as "isPowerful",
           exists (select 1 from pg_auth_members where member = r.oid) as "isMember"
    from pg_roles r where rolname = ${role}`;
  return row;
}

/** A role that can read more would see other organizations, in spite of the views. */
function requireHarmless(role: string, found: Role | undefined): void {
  if (found === undefined) throw new ReaderRefused(`There is no role ${role}: create it, or omit --existing`);
  if (found.isPowerful)
    throw new ReaderRefused(`The role ${role} is a superuser, or may create roles or databases: name another role`);
  if (found.isMember) throw new ReaderRefused(`The role ${role} is a member of other roles: name another role`);
}

/** An organization of this installation, or one with records, where the accounts are in another database. */
async function requireOrganization(sql: postgres.TransactionSql, orgId: string): Promise<void> {
  const [row] = await sql<{ hasRecords: boolean; hasAccounts: boolean }[]>`
    select exists (select 1 from repos where org_id = ${orgId}) as "hasRecords",
           to_regclass('organizations') is not null as "hasAccounts"`;
  if (row?.hasRecords === true) return;
  if (row?.hasAccounts === true && (await sql`select 1 from organizations where id::text = ${orgId}`).length > 0)
    return;
  throw new ReaderRefused(
    `There is no organization ${orgId} in this database: plumbline organizations list shows them`,
  );
}

async function run(sql: postgres.TransactionSql, statements: readonly string[]): Promise<void> {
  try {
    for (const statement of statements) await sql.unsafe(statement);
  } catch (error) {
    if (!(error instanceof postgres.PostgresError) || error.code !== '42501') throw error;
    throw new ReaderRefused(
      `The database role of Plumbline may not create or change roles (${error.message}). Let an administrator run ` +
        '"alter role ... createrole" for it, or print the statements with --print',
    );
  }
}

/** Creates the views, or explains which right is missing. */
async function createViews(sql: postgres.TransactionSql): Promise<void> {
  const [row] = await sql<{ role: string; database: string; owner: string | null; may: boolean }[]>`
    select current_user as role, current_database() as database,
           (select nspowner::regrole::text from pg_namespace where nspname = ${SQL_SCHEMA}) as owner,
           has_database_privilege(current_database(), 'create') as may`;
  if (row !== undefined && row.owner === null && !row.may)
    throw new ReaderRefused(
      `The role ${row.role} may not create the schema ${SQL_SCHEMA}. Let an administrator run: ` +
        `create schema ${SQL_SCHEMA} authorization ${identifier(row.role)}`,
    );
  await ensureViews(sql);
}
