import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import pino from 'pino';
import postgres from 'postgres';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { declaredCompatibility } from '../../src/database/compatibility.js';
import { migrate, requireSupportedVersion } from '../../src/database/migrate.js';
import { createEmptyDatabase, createTestDatabase, type TestDatabase } from '../support/postgres.js';

const logger = pino({ level: 'silent' });
const ours = new URL('../../src/database/migrations/', import.meta.url);

let database: TestDatabase;
let sql: postgres.Sql;
let copies: string;

beforeEach(async () => {
  copies = await mkdtemp(path.join(tmpdir(), 'plumbline-migrations-'));
});

afterEach(async () => {
  await sql.end();
  await database.drop();
  await rm(copies, { recursive: true, force: true });
});

async function use(made: Promise<TestDatabase>): Promise<void> {
  database = await made;
  sql = postgres(database.uri, { max: 4, onnotice: () => undefined });
}

const tables = async () =>
  (await sql`select tablename from pg_tables where schemaname = 'public'`).map((row) => String(row['tablename']));

describe('migrating', () => {
  beforeEach(() => use(createEmptyDatabase()));

  it('applies every migration once', async () => {
    const versions = (await readdir(ours)).map((name) => Number.parseInt(name, 10)).sort((a, b) => a - b);
    expect((await migrate(database.uri, { logger })).applied).toEqual(versions);
    expect((await migrate(database.uri, { logger })).applied).toEqual([]);
  });

  it('runs in one of several servers that start at once, while the others wait', async () => {
    const reports = await Promise.all(Array.from({ length: 5 }, () => migrate(database.uri, { logger })));
    expect(reports.filter(({ applied }) => applied.length > 0)).toHaveLength(1);
  });

  it('gives way to transactions of running servers, and is applied after them', async () => {
    const directory = pathToFileURL(`${copies}/`);
    await writeFile(path.join(copies, '1.do.two-tables.sql'), 'CREATE TABLE one (id int); CREATE TABLE two (id int);');
    await migrate(database.uri, { logger, directory });
    await writeFile(path.join(copies, '2.do.change.sql'), 'ALTER TABLE one ADD x int; ALTER TABLE two ADD x int;');

    const migrating = await sql.begin(async (transaction) => {
      await transaction`insert into two (id) values (1)`;
      const migration = migrate(database.uri, { logger, directory });
      await vi.waitUntil(async () => (await sql`select from pg_locks where not granted`).length > 0, { interval: 5 });
      // The migration has changed this table and waits for the other one.
      await transaction`insert into one (id) values (1)`;
      return { migration };
    });
    expect(await migrating.migration).toEqual({ applied: [2] });
    expect(await sql`select one.id, one.x, two.id, two.x from one, two`).toHaveLength(1);
  });

  it('refuses an applied migration that was changed', async () => {
    await migrate(database.uri, { logger });
    await cp(ours, copies, { recursive: true });
    const [first] = (await readdir(copies)).sort();
    if (first === undefined) throw new Error('there are no migrations');
    const file = path.join(copies, first);
    await writeFile(file, `${await readFile(file, 'utf8')}\nSELECT 1;\n`);
    await expect(migrate(database.uri, { logger, directory: pathToFileURL(`${copies}/`) })).rejects.toThrow(
      /checksum/i,
    );
  });

  it('refuses a database that a newer release has migrated', async () => {
    await migrate(database.uri, { logger });
    await sql`insert into schema_version (version, name, md5) values (9999, 'from-the-future', '')`;
    await expect(migrate(database.uri, { logger })).rejects.toThrow('run the newer release');
  });

  describe('of a newer release', () => {
    const plant = async (declaration: string): Promise<URL> => {
      await cp(ours, copies, { recursive: true });
      await writeFile(path.join(copies, '9000.do.newer.sql'), `${declaration}\nCREATE TABLE newer (id int);`);
      return pathToFileURL(`${copies}/`);
    };

    it('that expands the schema lets an older release start, whose migrations are still checked', async () => {
      await migrate(database.uri, { logger, directory: await plant('-- compatibility: expand') });
      expect((await migrate(database.uri, { logger })).applied).toEqual([]);
      expect(await tables()).toContain('newer');
      await sql`update schema_version set md5 = 'changed' where version = 1`;
      await expect(migrate(database.uri, { logger })).rejects.toThrow(/checksum/i);
    });

    it.each(['-- compatibility: contract', '-- says nothing'])('with "%s" refuses an older release', async (line) => {
      await migrate(database.uri, { logger, directory: await plant(line) });
      await expect(migrate(database.uri, { logger })).rejects.toThrow('cannot work with it: run the newer release');
    });

    it('is refused when one of several contracts the schema', async () => {
      const directory = await plant('-- compatibility: contract');
      await writeFile(path.join(copies, '9001.do.newest.sql'), '-- compatibility: expand\nSELECT 1;');
      await migrate(database.uri, { logger, directory });
      await expect(migrate(database.uri, { logger })).rejects.toThrow('cannot work with it');
    });
  });

  it('has migrations from number 12 on that declare whether older releases work with them', async () => {
    const silent: string[] = [];
    for (const name of await readdir(ours)) {
      const text = await readFile(new URL(name, ours), 'utf8');
      if (Number.parseInt(name, 10) >= 12 && declaredCompatibility(text) === null) silent.push(name);
    }
    expect(silent).toEqual([]);
  });

  it('links the users of SCIM to the members with their addresses', async () => {
    await cp(ours, copies, { recursive: true });
    const linking = path.join(copies, '047.do.scim-members.sql');
    const text = await readFile(linking);
    for (const name of await readdir(copies)) if (Number.parseInt(name, 10) >= 47) await rm(path.join(copies, name));
    const directory = pathToFileURL(`${copies}/`);
    await migrate(database.uri, { logger, directory });
    const [joined, disabled, twice, other] = ['a@a.example', 'b@a.example', 'c@a.example', 'd@a.example'];
    await sql`insert into organizations (name) values ('Acme')`;
    await sql`insert into users (email) select unnest(${[joined, disabled, twice, other]}::text[])`;
    await sql`
      insert into memberships (org_id, user_id, role)
      select o.id, u.id, 'member' from organizations o, users u where u.email <> ${other}`;
    await sql`
      insert into scim_users (org_id, user_name, email, active, created_at, updated_at)
      select o.id, u.email, u.email, u.email <> ${disabled}, now(), now() from organizations o, users u`;
    await sql`
      insert into scim_users (org_id, user_id, user_name, email, active, created_at, updated_at)
      select o.id, u.id, 'C', 'former@a.example', true, now(), now() from organizations o, users u
      where u.email = ${twice}`;
    await writeFile(linking, text);
    expect(await migrate(database.uri, { logger, directory })).toEqual({ applied: [47] });
    expect(
      await sql`
        select s.email, u.email as account, s.active from scim_users s left join users u on u.id = s.user_id order by 1`,
    ).toEqual([
      { email: joined, account: joined, active: true },
      { email: disabled, account: disabled, active: true },
      { email: twice, account: null, active: true },
      { email: other, account: null, active: true },
      { email: 'former@a.example', account: twice, active: true },
    ]);
    expect(await sql`select u.email from scim_departures d join users u on u.id = d.user_id`).toEqual([
      { email: disabled },
    ]);
  });

  it('changes nothing when one migration of several fails', async () => {
    await writeFile(path.join(copies, '001.do.good.sql'), 'CREATE TABLE good (id int);');
    await writeFile(path.join(copies, '002.do.bad.sql'), 'CREATE TABLE bad (id nonsense);');
    await expect(migrate(database.uri, { logger, directory: pathToFileURL(copies) })).rejects.toThrow('nonsense');
    expect(await tables()).toEqual([]);
  });

  it('refuses servers before PostgreSQL 15, saying what to do', () => {
    expect(() => {
      requireSupportedVersion(140_011, '14.11');
    }).toThrow(/PostgreSQL 14\.11; version 15 or later .* DATABASE_URI/);
    expect(() => {
      requireSupportedVersion(150_000, '15.0');
    }).not.toThrow();
  });
});

describe('the schema', () => {
  beforeEach(() => use(createTestDatabase()));

  const addUser = async (email: string) =>
    String((await sql`insert into users ${sql({ email })} returning id`)[0]?.['id']);
  const addOrganization = async () =>
    String((await sql`insert into organizations (name) values ('Acme') returning id`)[0]?.['id']);

  it('has a comment on each table', async () => {
    const silent = await sql`
      select relname from pg_class
      where relkind = 'r' and relnamespace = 'public'::regnamespace and obj_description(oid) is null
        and relname <> 'schema_version'`;
    expect(silent).toEqual([]);
  });

  it('has an index for every foreign key, so that no deletion scans a table', async () => {
    const unindexed = await sql`
      select c.conname from pg_constraint c
      where c.contype = 'f' and not exists (
        select 1 from pg_index i
        where i.indrelid = c.conrelid and i.indpred is null
          and (i.indkey::int2[])[0:cardinality(c.conkey) - 1] @> c.conkey
      )`;
    expect(unindexed).toEqual([]);
  });

  it.each([
    ['update', "update audit_log set note = 'nothing happened'"],
    ['delete', 'delete from audit_log'],
    ['truncate', 'truncate audit_log'],
    ['an update of no row', 'update audit_log set note = null where false'],
  ])('keeps the audit log append-only: %s is refused', async (_, statement) => {
    await sql`insert into audit_log (action, resource_kind, status) values ('LOGIN', 'SESSION', 'success')`;
    await expect(sql.unsafe(statement)).rejects.toMatchObject({ code: '42501' });
    expect(await sql`select action, note from audit_log`).toEqual([{ action: 'LOGIN', note: null }]);
  });

  it('keeps the audit records of deleted users and organizations', async () => {
    const [user, organization] = [await addUser('a@example.com'), await addOrganization()];
    await sql`insert into audit_log ${sql({ action: 'CREATE', resource_kind: 'ORGANIZATION', status: 'success', org_id: organization, user_id: user })}`;
    await sql`delete from organizations`;
    await sql`delete from users`;
    expect(await sql`select org_id, user_id from audit_log`).toEqual([{ org_id: organization, user_id: user }]);
  });

  it('lets one user exist per e-mail, and one of fifty registrations at once succeed', async () => {
    const results = await Promise.allSettled(Array.from({ length: 50 }, () => addUser('same@example.com')));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  it('serializes fifty create_org calls of one user by the lock on their row', async () => {
    const user = await addUser('founder@example.com');
    const onboard = () =>
      sql.begin(async (transaction) => {
        await transaction`select 1 from users where id = ${user} for update`;
        const existing = await transaction`select 1 from memberships where user_id = ${user}`;
        if (existing.length > 0) return 'refused';
        const [row] = await transaction`insert into organizations (name) values ('Acme') returning id`;
        await transaction`insert into memberships (user_id, org_id, role) values (${user}, ${row?.['id']}, 'owner')`;
        return 'created';
      });
    const outcomes = await Promise.all(Array.from({ length: 50 }, onboard));
    expect(outcomes.filter((outcome) => outcome === 'created')).toHaveLength(1);
  });

  it('lets a refresh family have one usable token', async () => {
    const user = await addUser('a@example.com');
    const add = (byte: number) => sql`
      insert into refresh_tokens (token_hash, family_id, user_id, expires_at, family_expires_at)
      values (${Buffer.alloc(32, byte)}, '00000000-0000-4000-8000-000000000001', ${user}, now(), now())`;
    await add(1);
    await expect(add(2)).rejects.toMatchObject({ constraint_name: 'refresh_tokens_one_active_idx' });
    await sql`update refresh_tokens set revoked_at = now(), revocation_reason = 'rotated'`;
    await add(2);
    expect(await sql`select count(*)::int as tokens from refresh_tokens`).toEqual([{ tokens: 2 }]);
  });

  it('lets one invite be pending per organization and e-mail', async () => {
    const organization = await addOrganization();
    const invite = (byte: number) => sql`
      insert into invites (org_id, email, role, token_hash, expires_at)
      values (${organization}, 'new@example.com', 'member', ${Buffer.alloc(32, byte)}, now())`;
    await invite(1);
    await expect(invite(2)).rejects.toMatchObject({ constraint_name: 'invites_one_pending_idx' });
    await sql`update invites set revoked_at = now()`;
    await invite(2);
    expect(await sql`select count(*)::int as invites from invites`).toEqual([{ invites: 2 }]);
  });

  it('lets one run of a sync configuration be active', async () => {
    const organization = await addOrganization();
    const [config] = await sql`
      insert into sync_configs (org_id, name, provider, targets)
      values (${organization}, 'all', 'synthetic', '{git}') returning id`;
    const run = () => sql`insert into sync_runs (org_id, sync_config_id) values (${organization}, ${config?.['id']})`;
    const results = await Promise.allSettled([run(), run(), run()]);
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  it("cannot tie a sync configuration to another organization's credential", async () => {
    const [owner, stranger] = [await addOrganization(), await addOrganization()];
    const [integration] = await sql`
      insert into integrations (org_id, provider, name, secret_sealed)
      values (${owner}, 'github', 'main', ${Buffer.from('sealed')}) returning id`;
    const config = sql`
      insert into sync_configs (org_id, integration_id, name, provider, targets)
      values (${stranger}, ${integration?.['id']}, 'theirs', 'github', '{git}')`;
    await expect(config).rejects.toMatchObject({ constraint_name: 'sync_configs_integration_fkey' });
  });

  it('keeps a sync configuration whose credential is deleted', async () => {
    const organization = await addOrganization();
    const [integration] = await sql`
      insert into integrations (org_id, provider, name, secret_sealed)
      values (${organization}, 'github', 'main', ${Buffer.from('sealed')}) returning id`;
    await sql`
      insert into sync_configs (org_id, integration_id, name, provider, targets)
      values (${organization}, ${integration?.['id']}, 'ours', 'github', '{git}')`;
    await sql`delete from integrations`;
    expect(await sql`select org_id, integration_id from sync_configs`).toEqual([
      { org_id: organization, integration_id: null },
    ]);
  });
});
