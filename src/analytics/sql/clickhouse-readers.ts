/** The readers of an organization on a ClickHouse server: users with row policies. */
import { clickHouseCode, type ClickHouseEngine } from '../clickhouse/engine.js';
import {
  alterUser,
  createUser,
  createViews,
  dropStatements,
  grantsOf,
  POLICY,
  policiesOf,
  policiesOfOthers,
} from './clickhouse-views.js';
import { ReaderRefused, type NewReader, type ReaderRow, type Readers } from './readers.js';
import { SQL_SCHEMA } from './views.js';

const ACCESS_DENIED = 497;

/** Opens the readers on an engine, and closes the engine with them. */
export function openClickHouseReaders(engine: ClickHouseEngine): Readers {
  return {
    grant: (orgId, role, reader) => explained(() => grant(engine, orgId, role, reader)),
    revoke: (role) =>
      explained(async () => {
        if (!(await list(engine)).some((row) => row.role === role)) return undefined;
        await drop(engine, role);
        return { isDropped: true };
      }),
    list: () => explained(() => list(engine)),
    replaceViews: () => explained(() => replaceViews(engine)),
    close: () => engine.close(),
  };
}

/** Removes all readers of an organization, unless this user may not see readers: then it has made none. */
export async function removeClickHouseReaders(engine: ClickHouseEngine, orgId: string): Promise<void> {
  let rows: readonly ReaderRow[];
  try {
    rows = await list(engine);
  } catch (error) {
    if (clickHouseCode(error) === ACCESS_DENIED) return;
    throw error;
  }
  for (const { role } of rows.filter((row) => row.orgId === orgId)) await drop(engine, role);
}

async function grant(
  engine: ClickHouseEngine,
  orgId: string,
  role: string,
  reader: NewReader | undefined,
): Promise<void> {
  if (reader === undefined) throw new ReaderRefused('--existing is for PostgreSQL: a user of ClickHouse is created');
  await replaceViews(engine);
  const [found] = await engine.query('select count() from repos where org_id = {org:String}', { org: orgId });
  if (Number(found?.[0] ?? 0) === 0)
    throw new ReaderRefused(
      `There is no organization ${orgId} in this database: plumbline organizations list shows them`,
    );
  const readers = await list(engine);
  const listed = readers.find((row) => row.role === role);
  if (listed !== undefined && listed.orgId !== orgId)
    throw new ReaderRefused(`The user ${role} reads another organization (${listed.orgId}): name another user`);
  const [existing] = await engine.query('select count() from system.users where name = {role:String}', { role });
  const exists = Number(existing?.[0] ?? 0) > 0;
  if (exists && listed === undefined)
    throw new ReaderRefused(`The user ${role} exists, and is not a reader: name another user`);
  const database = await databaseOf(engine);
  await engine.command(exists ? alterUser(role, reader) : createUser(role, reader));
  const roles = [...new Set([...namesOf(readers), role])];
  for (const statement of [
    ...policiesOfOthers(roles, database),
    ...policiesOf(role, orgId, database),
    ...grantsOf(role, database),
  ])
    await engine.command(statement);
}

async function replaceViews(engine: ClickHouseEngine): Promise<void> {
  if (engine.cluster !== undefined)
    throw new ReaderRefused('Readers with SQL are not available on a ClickHouse cluster');
  const database = await databaseOf(engine);
  const [stored] = await engine.query(
    "select create_table_query from system.tables where database = {views:String} and name = 'repositories'",
    { views: SQL_SCHEMA },
  );
  const query = textIn(stored);
  if (query !== '' && !query.replaceAll('`', '').includes(`${database}.repos`))
    throw new ReaderRefused(`The database ${SQL_SCHEMA} has views of another installation on this server`);
  for (const statement of createViews(database)) await engine.command(statement);
}

/** The policies are the list: each reader has one on each table. */
async function list(engine: ClickHouseEngine): Promise<readonly ReaderRow[]> {
  const rows = await engine.query(
    'select short_name, select_filter, (select groupArray(name) from system.users) from system.row_policies ' +
      "where database = currentDatabase() and table = 'repos' and startsWith(short_name, {policy:String}) " +
      'order by select_filter, short_name',
    { policy: POLICY },
  );
  return rows.map(([name, filter, users]) => {
    const role = String(name).slice(POLICY.length);
    return {
      role,
      orgId: organizationOf(String(filter)),
      grantedAt: null,
      exists: Array.isArray(users) && users.includes(role),
    };
  });
}

function organizationOf(filter: string): string {
  return (/'((?:[^'\\]|\\.)*)'/s.exec(filter)?.[1] ?? '').replaceAll(/\\(.)/gs, '$1');
}

async function drop(engine: ClickHouseEngine, role: string): Promise<void> {
  const database = await databaseOf(engine);
  for (const statement of dropStatements(role, database)) await engine.command(statement);
  for (const statement of policiesOfOthers(namesOf(await list(engine)), database)) await engine.command(statement);
}

/** A policy can name only users that exist. */
function namesOf(readers: readonly ReaderRow[]): readonly string[] {
  return readers.filter(({ exists }) => exists).map(({ role }) => role);
}

async function databaseOf(engine: ClickHouseEngine): Promise<string> {
  const [row] = await engine.query('select currentDatabase()', {});
  return textIn(row);
}

/** The first value of a row; empty if there is no row. */
function textIn(row: readonly unknown[] | undefined): string {
  const value = row?.[0];
  return typeof value === 'string' ? value : '';
}

/** Explains which right is missing. */
async function explained<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (clickHouseCode(error) !== ACCESS_DENIED || !(error instanceof Error)) throw error;
    throw new ReaderRefused(
      `The user of the address may not manage readers (${error.message.split('\n')[0] ?? ''}). Use one with ` +
        'access_management in --db, such as --db clickhouse://admin:password@host:8123/name',
    );
  }
}
