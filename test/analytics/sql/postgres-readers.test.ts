import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { backup } from '../../../src/database/backup/backup.js';
import { restore } from '../../../src/database/backup/restore.js';
import { runStoreTask } from '../../../src/platform/sources/store-tasks/run-task.js';
import { createEmptyDatabase } from '../../support/postgres.js';
import { openOptions } from '../engines.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { grantReader, listReaders, revokeReader } from '../../../src/analytics/sql/postgres-readers.js';
import { scramVerifier } from '../../../src/analytics/sql/scram.js';
import { VIEWS } from '../../../src/analytics/sql/views.js';
import { addressOf, createTwoOrganizations, MINE, newRole, OTHER, type TwoOrganizations } from './sql-organizations.js';

const PASSWORD = 'a password of 22 chars';
const limits = { password: PASSWORD, connections: 3, timeoutSeconds: 20 };
const mine = newRole();
const other = newRole();
let database: TwoOrganizations;
let reader: postgres.Sql;
let rival: postgres.Sql;

beforeAll(async () => {
  database = await createTwoOrganizations();
  await grantReader(database.admin, MINE, mine, limits);
  await grantReader(database.admin, OTHER, other, limits);
  reader = database.session(mine, PASSWORD);
  rival = database.session(other, PASSWORD);
}, 180_000);
afterAll(async () => {
  for (const role of [mine, other]) await revokeReader(database.admin, role);
  await database.drop();
});

test.each(VIEWS.map(({ name }) => name))('The view %s has rows of one organization', async (name) => {
  const [mineRow] = await reader.unsafe<{ rows: string; text: string }[]>(
    `select count(*) as rows, string_agg(v::text, ' ') as text from ${name} v`,
  );
  const [otherRow] = await rival.unsafe<{ rows: string; text: string }[]>(
    `select count(*) as rows, string_agg(v::text, ' ') as text from ${name} v`,
  );
  expect([Number(mineRow?.rows), Number(otherRow?.rows)]).toEqual([
    expect.toSatisfy(isPositive),
    expect.toSatisfy(isPositive),
  ]);
  expect(mineRow?.text).not.toContain('rival');
  expect(otherRow?.text).not.toContain('acme');
  // The owner of the views is not a reader.
  expect(await database.admin.unsafe(`select 1 from plumbline_sql.${name} limit 1`)).toEqual([]);
});

function isPositive(value: unknown): boolean {
  return Number(value) > 0;
}

test('The views have the documented columns', async () => {
  const columns = await reader<{ table: string; column: string; type: string }[]>`
    select table_name as table, column_name as column, data_type as type from information_schema.columns
    where table_schema = 'plumbline_sql' order by table_name, ordinal_position`;
  expect(columns).toEqual(
    VIEWS.toSorted((one, two) => (one.name < two.name ? -1 : 1)).flatMap((view) =>
      view.columns.map(({ name, type }) => ({ table: view.name, column: name, type })),
    ),
  );
});

test('Figures of the views agree with the tables', async () => {
  const [units] = await reader`
    select count(*)::int as units, sum(churn_loc)::bigint as churn, round(sum(cycle_time_hours)) as hours from units`;
  const [stored] = await database.admin`
    select count(*)::int as units, sum(churn)::bigint as churn, round(sum(cycle_ms) / 3600000.0::float8) as hours
    from work_units where org_id = ${MINE}`;
  expect(units).toEqual(stored);
  const [shares] = await reader<{ whole: number }[]>`
    select max(abs(total - 1)) as whole from (select sum(share) as total from unit_shares group by unit_id) as t`;
  expect(shares?.whole).toBeLessThan(1e-9);
  for (const view of ['requests', 'issues', 'deployments', 'incidents']) {
    const [joined] = await reader.unsafe<{ joined: number }[]>(
      `select count(*)::int as joined from ${view} v join units u on u.id = v.unit_id`,
    );
    expect([view, (joined?.joined ?? 0) > 0]).toEqual([view, true]);
  }
});

test('A function with side effects in a condition sees no row of another organization', async () => {
  // A function of the reader would need a schema: temporary objects are the only ones that it can create.
  const notices: string[] = [];
  const address = {
    ...reader.options,
    onnotice: (notice: postgres.Notice) => void notices.push(notice['message'] ?? ''),
  };
  const leaking = postgres({
    host: address.host[0] ?? '',
    port: address.port[0] ?? 0,
    database: address.database,
    username: mine,
    password: PASSWORD,
    max: 1,
    onnotice: address.onnotice,
  });
  try {
    await leaking.unsafe(`set default_transaction_read_only = off`);
    await leaking.unsafe(`
      create function pg_temp.leak(seen text) returns boolean language plpgsql cost 0.0000001 as $$
      begin raise notice '%', seen; return true; end $$`);
    const rows = await leaking.unsafe('select repo from units where pg_temp.leak(repo)');
    expect(rows.length).toBeGreaterThan(0);
    expect(new Set(notices)).toEqual(new Set(['acme/shop']));
    // An error of an operator would show a value, too.
    await expect(leaking.unsafe(`select * from repositories where repo::int > 0`)).rejects.toThrow('acme/shop');
    await expect(
      leaking.unsafe(`select * from repositories where repo <> 'acme/shop' and repo::int > 0`),
    ).resolves.toEqual([]);
  } finally {
    await leaking.end();
  }
});

test('Neither a setting, nor another role, nor the search path shows another organization', async () => {
  const refused = async (statement: string): Promise<unknown> =>
    reader.unsafe(statement).then(
      (rows) => rows,
      (error: unknown) => (error instanceof postgres.PostgresError ? error.code : error),
    );
  await reader.unsafe('set default_transaction_read_only = off');
  for (const statement of [
    `set role ${other}`,
    `set session authorization ${other}`,
    `set role ${database.admin.options.user}`,
    'set row_security = off; select * from public.work_units',
    'select * from public.work_units',
    'select * from public.repos',
    'select * from public.git_commits',
    'select * from plumbline_sql.readers',
    `update plumbline_sql.readers set org_id = '${OTHER}'`,
    `insert into plumbline_sql.readers values ('${mine}2', '${OTHER}')`,
    `create or replace view plumbline_sql.units as select 1`,
    `alter view plumbline_sql.units set (security_barrier = false)`,
    'drop view plumbline_sql.units',
    'create table public.mine (id int)',
    'create table plumbline_sql.mine (id int)',
    'create schema mine',
    `grant select on plumbline_sql.readers to ${other}`,
    `alter role ${mine} createrole`,
    `copy (select 1) to program 'true'`,
    `select pg_read_file('PG_VERSION')`,
  ])
    expect([statement, await refused(statement)]).toEqual([statement, '42501']);
  await reader.unsafe('begin; set local search_path = public; set local role none');
  expect(await reader.unsafe('select distinct repo from plumbline_sql.units')).toEqual([{ repo: 'acme/shop' }]);
  await reader.unsafe('rollback');
});

test('A reader writes through no view', async () => {
  await reader.unsafe('set default_transaction_read_only = off');
  for (const { name, columns } of VIEWS) {
    const column = columns[0]?.name ?? '';
    for (const statement of [
      `update ${name} set ${column} = ${column}`,
      `delete from ${name}`,
      `insert into ${name} default values`,
    ])
      await expect(reader.unsafe(statement), statement).rejects.toThrow(
        /permission denied|cannot (?:update|delete from|insert into) view/,
      );
  }
});

test('The catalog shows a reader no table of Plumbline, and no row in statistics', async () => {
  expect(
    await reader`
      select table_schema, table_name from information_schema.tables
      where table_schema not in ('pg_catalog', 'information_schema', 'plumbline_sql')`,
  ).toEqual([]);
  expect(await reader`select * from pg_stats where schemaname = 'public'`).toEqual([]);
});

test('A reader has its limits', async () => {
  const [settings] = await database.session(mine, PASSWORD)`
    select current_setting('statement_timeout') as timeout, current_setting('default_transaction_read_only') as read_only,
           (select rolconnlimit from pg_roles where rolname = current_user) as connections`;
  expect(settings).toEqual({ timeout: '20s', read_only: 'on', connections: 3 });
});

test('A role reads one organization, and a reader is granted again with a new password', async () => {
  await expect(grantReader(database.admin, OTHER, mine, limits)).rejects.toThrow('reads another organization');
  const role = newRole();
  await expect(grantReader(database.admin, 'nobody', role, limits)).rejects.toThrow('no organization nobody');
  await grantReader(database.admin, MINE, role, limits);
  await grantReader(database.admin, MINE, role, { ...limits, password: 'another password' });
  await expect(database.session(role, PASSWORD)`select 1`).rejects.toThrow('password authentication failed');
  expect(await database.session(role, 'another password')`select distinct repo from units`).toEqual([
    { repo: 'acme/shop' },
  ]);
  expect(await listReaders(database.admin)).toContainEqual({
    role,
    orgId: MINE,
    grantedAt: expect.any(Date) as unknown,
    exists: true,
  });
  expect(await revokeReader(database.admin, role)).toEqual({ isDropped: true });
  expect(await revokeReader(database.admin, role)).toBeUndefined();
});

test('A role that exists is a reader only if it can read nothing else', async () => {
  const { admin } = database;
  const [role, powerful, member] = [newRole(), newRole(), newRole()];
  await admin.unsafe(`create role ${role} login password '${scramVerifier(PASSWORD)}'`);
  await admin.unsafe(`create role ${powerful} createdb; create role ${member} in role ${powerful}`);
  try {
    await expect(grantReader(admin, MINE, role, limits)).rejects.toThrow('exists, and is not a reader');
    await expect(grantReader(admin, MINE, powerful, undefined)).rejects.toThrow('is a superuser, or may create');
    await expect(grantReader(admin, MINE, member, undefined)).rejects.toThrow('is a member of other roles');
    await expect(grantReader(admin, MINE, newRole(), undefined)).rejects.toThrow('There is no role');
    await grantReader(admin, MINE, role, undefined);
    expect(await database.session(role, PASSWORD)`select distinct repo from plumbline_sql.units`).toHaveLength(1);
  } finally {
    await revokeReader(admin, role);
    await admin.unsafe(`drop role ${member}; drop role ${powerful}`);
  }
});

test('A backup is restored without the readers, which are granted again', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'plumbline-readers-'));
  const restored = await createEmptyDatabase();
  const target = postgres(restored.uri, { max: 1, onnotice: () => undefined });
  try {
    const file = join(folder, 'backup');
    await backup(database.uri, file, { logger: openOptions.log, now: new Date(), extra: {} });
    await restore(restored.uri, file, { logger: openOptions.log, accept: () => Promise.resolve() });
    expect(await listReaders(target)).toEqual([]);
    await grantReader(target, MINE, mine, undefined);
    const again = postgres(addressOf(restored.uri, mine, PASSWORD), { max: 1 });
    expect(await again`select distinct repo from units`).toEqual([{ repo: 'acme/shop' }]);
    await again.end();
    // The role has rights in the other database, too, and stays.
    expect(await revokeReader(target, mine)).toEqual({ isDropped: false });
  } finally {
    await target.end();
    await restored.drop();
    await rm(folder, { recursive: true });
  }
});

async function removeOrganization(store: string, orgId: string): Promise<void> {
  const task = { kind: 'remove_organization', orgId, store, rulesFile: null, locks: null } as const;
  await runStoreTask(task, new AbortController().signal);
}

test('Open sessions of a reader see nothing after its organization is removed', async () => {
  const [one, two] = [newRole(), newRole()];
  for (const role of [one, two]) await grantReader(database.admin, OTHER, role, limits);
  const open = database.session(one, PASSWORD);
  expect(await open`select distinct repo from units`).toEqual([{ repo: 'rival/secret' }]);
  await removeOrganization(database.uri, OTHER);
  await expect(open`select distinct repo from plumbline_sql.units`).rejects.toThrow();
  await expect(database.session(two, PASSWORD)`select 1`).rejects.toThrow('password authentication failed');
  expect(
    await database.admin`select rolname from pg_roles where rolname in ${database.admin([one, two, other])}`,
  ).toEqual([]);
  expect(await reader`select distinct repo from plumbline_sql.units`).toEqual([{ repo: 'acme/shop' }]);
});
