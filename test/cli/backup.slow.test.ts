import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createSecretBox } from '../../src/platform/server/secrets/secret-box.js';
import { ask } from '../analytics/graphql/served.js';
import { startTestPlatform, testPassword, type TestPlatform } from '../support/platform.js';
import { createEmptyDatabase, createTestDatabase, type TestDatabase } from '../support/postgres.js';
import { builtCommand } from './built-command.js';
import { outsidePostgresMissing, startOutsidePostgres } from './outside-postgres.js';
import { plumbline, startServer, type Finished } from './plumbline.js';

/** That of the test platform. */
const secretsKey = Buffer.alloc(32, 7).toString('base64');

let folder: string;
let home: string;
let file: string;
const dropped: TestDatabase[] = [];

beforeEach(async () => {
  await builtCommand();
  folder = await mkdtemp(join(tmpdir(), 'plumbline-backup-'));
  home = join(folder, 'home');
  file = join(folder, 'backup');
});

afterEach(async () => {
  for (const database of dropped.splice(0)) await database.drop();
  await rm(folder, { recursive: true, force: true });
});

async function owned(database: Promise<TestDatabase>): Promise<string> {
  dropped.push(await database);
  return (await database).uri;
}

const backup = (uri: string): Promise<Finished> =>
  plumbline(['backup', file], { environment: { DATABASE_URI: uri, SECRETS_KEY: secretsKey, PLUMBLINE_HOME: home } });

const restore = (uri: string, from = file): Promise<Finished> =>
  plumbline(['restore', from], { environment: { DATABASE_URI: uri, PLUMBLINE_HOME: home } });

async function query(uri: string, statement: string): Promise<readonly postgres.Row[]> {
  const sql = postgres(uri, { max: 1, onnotice: () => undefined });
  try {
    return await sql.unsafe(statement);
  } finally {
    await sql.end();
  }
}

const values = 'query ($orgId: String!) { catalog(orgId: $orgId, dimension: REPO) { values { value count } } }';

describe('A backup under load', () => {
  let platform: TestPlatform;
  beforeEach(async () => {
    platform = await startTestPlatform({ environment: { AUTH_AUTO_CREATE_ORG_ON_REGISTER: 'true' } });
  });
  afterEach(() => platform.stop());

  test('restores on another server: users log in, figures are equal, secrets can be decrypted, and no row is missing', async () => {
    const owner = await platform.signUp({ email: 'owner@example.com' });
    const synced = await plumbline([
      ...['sync', 'git', '--provider', 'synthetic', '--db', platform.databaseUri, '--org', owner.orgId],
      ...['--date', '2026-03-31', '--backfill', '20'],
    ]);
    expect(synced).toMatchObject({ exitCode: 0 });
    const figures: unknown = await ask(platform, owner, values);
    expect(JSON.stringify(figures)).toContain('count');
    const sealed = createSecretBox(Buffer.from(secretsKey, 'base64')).seal('ghp_token', 'integration:1');
    await platform.database.sql`
      insert into integrations (org_id, provider, name, secret_sealed)
      values (${owner.orgId}, 'github', 'main', ${sealed})`;

    let isLoaded = true;
    let registrations = 0;
    const load = async (): Promise<void> => {
      while (isLoaded) {
        const body = { email: `${randomUUID()}@example.com`, password: testPassword };
        await platform.json('POST', '/api/v1/auth/register', { body });
        registrations += 1;
      }
    };
    const loads = [load(), load(), load()];
    const before = registrations;
    const finished = await backup(platform.databaseUri).finally(() => {
      isLoaded = false;
    });
    await Promise.all(loads);
    expect(registrations).toBeGreaterThan(before);
    expect(finished).toMatchObject({ exitCode: 0, stderr: '' });
    expect((await stat(file)).mode & 0o777).toBe(0o600);

    const target = await owned(createEmptyDatabase());
    expect(await restore(target)).toMatchObject({ exitCode: 0, stderr: '' });
    expect((await readFile(join(home, 'secrets.key'), 'utf8')).trim()).toBe(secretsKey);

    // A registration is one transaction: user, organization, membership, mail and audit records.
    const [halves] = await query(
      target,
      `select count(*)::int as halves from users u where not exists (select 1 from memberships where user_id = u.id)
         or not exists (select 1 from audit_log where user_id = u.id and action = 'REGISTER')`,
    );
    expect(halves).toEqual({ halves: 0 });
    const [counts] = await query(target, 'select count(*)::int as users from users');
    expect(counts?.['users']).toBeGreaterThan(1);

    const restored = await startTestPlatform({
      databaseUri: target,
      environment: { SECRETS_KEY: '', PLUMBLINE_HOME: home },
    });
    try {
      const login = await restored.json('POST', '/api/v1/auth/login', {
        body: { email: owner.email, password: owner.password },
      });
      expect(login.status).toBe(200);
      const again = { ...owner, accessToken: String(login.body.access_token) };
      expect(await ask(restored, again, values)).toEqual(figures);
      const [integration] = await query(target, 'select secret_sealed from integrations');
      const key = Buffer.from(await readFile(join(home, 'secrets.key'), 'utf8'), 'base64');
      const opened = createSecretBox(key).open(integration?.['secret_sealed'] as Uint8Array, 'integration:1');
      expect(opened).toBe('ghp_token');
      const indexes = `select indexdef from pg_indexes where schemaname = 'public' order by indexname`;
      expect(await query(target, indexes)).toEqual(await query(platform.databaseUri, indexes));
      // The restored tables of the records are those of the sync: it continues in them.
      const next = await plumbline([
        ...['sync', 'git', '--provider', 'synthetic', '--db', target, '--org', owner.orgId],
        ...['--date', '2026-03-31', '--backfill', '20'],
      ]);
      expect(next).toMatchObject({ exitCode: 0 });
      expect(await ask(restored, again, values)).toEqual(figures);
    } finally {
      await restored.stop();
    }
  });
});

describe('A backup', () => {
  test('does not overwrite a file, and is not restored into a database that has tables', async () => {
    const uri = await owned(createTestDatabase());
    expect(await backup(uri)).toMatchObject({ exitCode: 0 });
    const { mtimeMs } = await stat(file);
    expect(await backup(uri)).toMatchObject({
      exitCode: 1,
      stderr: `plumbline: ${file} exists and is not overwritten\n`,
    });
    expect((await stat(file)).mtimeMs).toBe(mtimeMs);
    expect((await restore(uri)).stderr).toMatch(/^plumbline: The database is not empty \(it has .*\): restore into an/);
  });

  test('is restored from a pipe, too, and a damaged one is refused', async () => {
    const uri = await owned(createTestDatabase());
    await backup(uri);
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const bytes = await readFile(file);
    for (const [content, exitCode] of [
      [bytes.subarray(0, bytes.length - 200), 1],
      [bytes, 0],
    ] as const) {
      const target = await owned(createEmptyDatabase());
      const restored = restore(target, pipe);
      await writeFile(pipe, content);
      expect(await restored).toMatchObject({ exitCode });
      expect((await query(target, tables)).length > 0).toBe(exitCode === 0);
      await rm(join(home, 'secrets.key'), { force: true });
    }
  });

  test('goes through standard output to standard input, and one that was cut is refused', async () => {
    const uri = await owned(createTestDatabase());
    const command = `"${process.execPath}" "${await builtCommand()}"`;
    const pipe = (between: string, target: string): string =>
      execFileSync(
        'bash',
        ['-c', `${command} backup - ${between} | DATABASE_URI="$TARGET" ${command} restore - 2>&1 || echo refused`],
        {
          encoding: 'utf8',
          env: {
            PATH: process.env['PATH'],
            DATABASE_URI: uri,
            TARGET: target,
            SECRETS_KEY: secretsKey,
            PLUMBLINE_HOME: home,
          },
          stdio: ['ignore', 'pipe', 'ignore'],
        },
      );
    const cut = await owned(createEmptyDatabase());
    expect(pipe('| head --bytes=2000', cut)).toMatch(/incomplete[\s\S]*refused/);
    expect(await query(cut, tables)).toEqual([]);
    const target = await owned(createEmptyDatabase());
    expect(pipe('', target)).toMatch(/^Restored \d+ tables as of /);
    expect((await query(target, tables)).length).toBeGreaterThan(20);
  });

  test('without the key needs the same key at its restore', async () => {
    const uri = await owned(createTestDatabase());
    const environment = { DATABASE_URI: uri, SECRETS_KEY: secretsKey, PLUMBLINE_HOME: home };
    const finished = await plumbline(['backup', file, '--without-key'], { environment });
    expect(finished).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('does not contain the key'),
      stderr: '',
    });
    const target = await owned(createEmptyDatabase());
    const restored = async (key: Readonly<Record<string, string>>): Promise<readonly [number | null, string]> => {
      const settings = { DATABASE_URI: target, PLUMBLINE_HOME: home, ...key };
      const { exitCode, stderr } = await plumbline(['restore', file], { environment: settings });
      return [exitCode, stderr];
    };
    expect(await restored({})).toEqual([1, expect.stringContaining('set SECRETS_KEY')]);
    const another = { SECRETS_KEY: Buffer.alloc(32, 8).toString('base64') };
    expect(await restored(another)).toEqual([1, expect.stringContaining('is not the key')]);
    expect(await query(target, tables)).toEqual([]);
    expect(await restored({ SECRETS_KEY: secretsKey })).toEqual([0, '']);
    expect(existsSync(join(home, 'secrets.key'))).toBe(false);
  });

  test('of a server with another key is refused', async () => {
    const uri = await owned(createTestDatabase());
    await query(uri, `insert into server_settings (name, value) values ('secrets_key_fingerprint', 'another')`);
    expect((await backup(uri)).stderr).toContain('SECRETS_KEY is not the key that sealed the secrets in this database');
    expect(existsSync(file)).toBe(false);
  });

  test.each([
    ['cut off', (bytes: Buffer) => bytes.subarray(0, bytes.length - 200), 'The backup is incomplete or damaged'],
    ['changed near its start', (bytes: Buffer) => flipped(bytes, 0.1), 'damaged'],
    ['changed in its middle', (bytes: Buffer) => flipped(bytes, 0.5), 'damaged'],
    ['changed near its end', (bytes: Buffer) => flipped(bytes, 0.9), 'damaged'],
    ['something else', () => Buffer.from('hello'), 'not a backup'],
  ])('that is %s is refused, and the database stays empty', async (_, damage, message) => {
    const uri = await owned(createTestDatabase());
    await backup(uri);
    const damaged = join(folder, 'damaged');
    await writeFile(damaged, damage(await readFile(file)));
    const target = await owned(createEmptyDatabase());
    const { exitCode, stderr } = await restore(target, damaged);
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining(message)]);
    expect(await query(target, tables)).toEqual([]);
    expect(existsSync(join(home, 'secrets.key'))).toBe(false);
  });
});

const tables = `select tablename from pg_tables where schemaname = 'public'`;

/** With another byte at `position`, a part of the length. Which reader notices it depends on the bytes around it. */
function flipped(bytes: Buffer, position: number): Buffer {
  const changed = Buffer.from(bytes);
  const offset = Math.floor(bytes.length * position);
  changed.writeUInt8(changed.readUInt8(offset) ^ 0xff, offset);
  return changed;
}

describe('kill -9', () => {
  const large = `insert into login_failures (email, failed_at, last_failed_at)
    select md5(n::text) || md5((-n)::text) || '@example.com', array[now()], now() from generate_series(1, 200000) as n`;

  test('of a backup leaves FILE.partial, which restore refuses as incomplete', async () => {
    const uri = await owned(createTestDatabase());
    await query(uri, large);
    await killed(
      ['backup', file],
      { DATABASE_URI: uri, SECRETS_KEY: secretsKey, PLUMBLINE_HOME: home },
      async () => ((await stat(`${file}.partial`).catch(() => null))?.size ?? 0) > 100_000,
    );
    expect(existsSync(file)).toBe(false);
    expect((await backup(uri)).stderr).toBe(
      `plumbline: ${file}.partial belongs to a backup that runs or was killed. If none runs, remove it\n`,
    );
    const target = await owned(createEmptyDatabase());
    expect((await restore(target, `${file}.partial`)).stderr).toContain('The backup is incomplete or damaged');
    await rm(`${file}.partial`);
    expect(await backup(uri)).toMatchObject({ exitCode: 0 });
  });

  test('of a restore leaves an empty database, into which the next one restores', async () => {
    const uri = await owned(createTestDatabase());
    await query(uri, large);
    await backup(uri);
    const target = await owned(createEmptyDatabase());
    const active = `select 1 from pg_stat_activity where datname = current_database()
      and application_name = 'plumbline restore'`;
    await killed(['restore', file], { DATABASE_URI: target, PLUMBLINE_HOME: home }, async () => {
      return (await query(target, `${active} and query ilike 'copy%login_failures%'`)).length > 0;
    });
    while ((await query(target, active)).length > 0);
    expect(await query(target, tables)).toEqual([]);
    expect(await restore(target)).toMatchObject({ exitCode: 0 });
    expect(await query(target, 'select count(*)::int as n from login_failures')).toEqual([{ n: 200_000 }]);
  });
});

/** Starts the command, and kills it as soon as the condition is true. */
async function killed(
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  condition: () => Promise<boolean>,
): Promise<void> {
  const child: ChildProcess = spawn(process.execPath, [await builtCommand(), ...args], {
    env: { PATH: process.env['PATH'], ...environment },
    stdio: 'ignore',
  });
  const ended = new Promise<string | null>((resolve) => {
    child.once('close', (_, signal) => {
      resolve(signal);
    });
  });
  while (!(await condition())) if (child.exitCode !== null) throw new Error('it ended before it could be killed');
  child.kill('SIGKILL');
  expect(await ended).toBe('SIGKILL');
}

describe.skipIf(outsidePostgresMissing !== null)(
  `Moving from the embedded PostgreSQL to a server${outsidePostgresMissing === null ? '' : ` (skipped: ${outsidePostgresMissing})`}`,
  () => {
    test('takes one command, after all servers on the embedded one have stopped', async () => {
      const outside = await startOutsidePostgres();
      const move = (): Promise<Finished> => plumbline(['move', outside.uri], { environment: { PLUMBLINE_HOME: home } });
      try {
        const server = await startServer({ environment: { PLUMBLINE_HOME: home } });
        const body = JSON.stringify({ email: 'someone@example.com', password: testPassword });
        const headers = { 'Content-Type': 'application/json' };
        const register = await fetch(`${server.url}/api/v1/auth/register`, { method: 'POST', headers, body });
        expect(register.status).toBe(201);
        expect(await move()).toMatchObject({
          exitCode: 1,
          stderr: 'plumbline: A server or a sync uses the database: stop it first\n',
        });
        server.kill('SIGTERM');
        await server.finished;

        expect(await move()).toMatchObject({ exitCode: 0, stderr: '' });
        const moved = await startServer({ environment: { PLUMBLINE_HOME: home, DATABASE_URI: outside.uri } });
        const login = await fetch(`${moved.url}/api/v1/auth/login`, { method: 'POST', headers, body });
        expect(login.status).toBe(200);
        moved.kill('SIGTERM');
        await moved.finished;
      } finally {
        await outside.stop();
      }
    });
  },
);
