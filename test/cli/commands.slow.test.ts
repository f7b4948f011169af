import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import postgres from 'postgres';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { settingDescriptions } from '../../src/platform/server/settings.js';
import { createEmptyDatabase, createTestDatabase, type TestDatabase } from '../support/postgres.js';
import { builtCommand } from './built-command.js';
import { plumbline, startServer } from './plumbline.js';

let home: string;
let database: TestDatabase;
beforeEach(async () => {
  await builtCommand();
  home = await mkdtemp(join(tmpdir(), 'plumbline-cli-'));
  database = await createTestDatabase();
});
afterEach(async () => {
  await database.drop();
  await rm(home, { recursive: true, force: true });
});

const environment = (more: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> => ({
  PLUMBLINE_HOME: home,
  DATABASE_URI: database.uri,
  PORT: '0',
  ...more,
});

describe('Help', () => {
  test('plumbline --help lists the commands', async () => {
    const { exitCode, stdout } = await plumbline(['--help']);
    expect(exitCode).toBe(0);
    for (const command of ['serve', 'migrate', 'keys', 'users'])
      expect(stdout).toMatch(new RegExp(`^ +${command} `, 'm'));
  });

  test('plumbline serve --help lists every setting with its default', async () => {
    const { exitCode, stdout } = await plumbline(['serve', '--help']);
    expect(exitCode).toBe(0);
    for (const { name, defaultText } of settingDescriptions) {
      expect(stdout).toContain(`${name} (${defaultText === '' ? 'none' : defaultText})`);
    }
  });

  test('plumbline --version prints the version', async () => {
    expect((await plumbline(['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  test('an unknown command or option exits with 2 and points to the help', async () => {
    for (const args of [['sereve'], ['serve', '--prot', '1'], ['users', 'superuser']]) {
      const { exitCode, stderr } = await plumbline(args);
      expect([args, exitCode]).toEqual([args, 2]);
      expect(stderr).toMatch(/^error: .*\n(.*\n)?\(add --help for the options\)\n$/);
    }
  });
});

describe('Settings', () => {
  test('of the command line override the environment, which overrides the settings file', async () => {
    const config = join(home, 'settings.yaml');
    await writeFile(config, 'HOST: 203.0.113.1\nPORT: 1\nLOG_LEVEL: silent\nLOG_FORMAT: human\n');
    const own = join(home, 'own');
    const server = await startServer({
      args: ['--host', 'localhost', '--port', '0', '--home', own, '--config', config],
      environment: environment({ PORT: '1', LOG_LEVEL: 'info', LOG_FORMAT: 'json' }),
    });
    server.kill('SIGTERM');
    expect((await server.finished).exitCode).toBe(0);
    expect(server.url).toMatch(/^http:\/\/localhost:\d+$/);
    expect(existsSync(join(own, 'secrets.key'))).toBe(true);
    expect(server.logLines.at(-1)).toMatchObject({ msg: 'stopped' });
  });

  test('that are secret can be read from files', async () => {
    const file = join(home, 'database-uri');
    await writeFile(file, `${database.uri}\n`);
    const { exitCode, stdout } = await plumbline(['migrate'], {
      environment: { DATABASE_URI_FILE: file, PLUMBLINE_HOME: home },
    });
    expect([exitCode, stdout]).toEqual([0, 'The database is up to date.\n']);
  });

  test('apply to plumbline sync from its settings file', async () => {
    const config = join(home, 'sync.yaml');
    await writeFile(config, `DATABASE_URI: sqlite:${join(home, 'records.db')}\nORG_ID: acme\n`);
    const args = ['sync', 'git', '--provider', 'synthetic', '--json', '--config', config];
    const { exitCode, stdout } = await plumbline(args);
    expect([exitCode, JSON.parse(stdout)]).toEqual([0, expect.objectContaining({ org_id: 'acme' })]);
    await writeFile(config, 'ORG: acme\n');
    const wrong = await plumbline(args);
    expect([wrong.exitCode, wrong.stderr]).toEqual([2, expect.stringContaining('"ORG", which is not a setting')]);
  });

  test('that are misspelt cause a warning', async () => {
    const { exitCode, stderr } = await plumbline(['migrate'], {
      environment: environment({ MAILURL: 'smtp://mail', PLUMBLINE_PROT: '1' }),
    });
    expect([exitCode, stderr]).toEqual([
      0,
      'plumbline: warning: MAILURL is not a setting of Plumbline. Did you mean MAIL_URL?\n' +
        'plumbline: warning: PLUMBLINE_PROT is not a setting of Plumbline.\n',
    ]);
  });

  test('write a log for people with LOG_FORMAT=human', async () => {
    const server = await startServer({ environment: environment({ LOG_FORMAT: 'human' }) });
    server.kill('SIGTERM');
    expect((await server.finished).stdout).toMatch(/^\[\d\d:\d\d:\d\d\.\d{3}\] INFO: stopped$/m);
  });
});

describe('A start that cannot succeed ends with exit code 1 and one clear line', () => {
  /** What the one line says, without its newline. */
  async function lineOf(more: Readonly<Record<string, string>>, ...args: string[]): Promise<string> {
    const command = args.length === 0 ? ['serve'] : args;
    const { exitCode, stdout, stderr } = await plumbline(command, { environment: environment(more) });
    expect([exitCode, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^plumbline: [^\n]+\n$/);
    return stderr.trim();
  }

  test.each([
    ['PORT', '80a', 'PORT must be a whole number from 0 to 65535'],
    ['DATABASE_URI', 'mysql://user:hunter2@host/name', 'DATABASE_URI must be a URL like postgres://'],
    ['SECRETS_KEY', 'c2hvcnQ=', 'SECRETS_KEY must be 32 bytes in base64'],
    ['TRUSTED_PROXIES', 'example.com', 'TRUSTED_PROXIES must be addresses or networks'],
    ['AUTH_LOGIN_LIMIT', 'many', 'AUTH_LOGIN_LIMIT must be like 3/hour'],
    ['LOG_LEVEL', 'loud', 'LOG_LEVEL must be one of'],
    ['JWT_PRIVATE_KEYS', '{}', 'JWT_PRIVATE_KEYS'],
    ['HOST', '203.0.113.1', 'Cannot listen'],
  ])('%s=%s', async (name, value, start) => {
    const line = await lineOf({ [name]: value });
    expect(line).toContain(`plumbline: ${start}`);
    expect(line).not.toContain('hunter2');
  });

  test('a port that is in use', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const address = other.address();
    const port = typeof address === 'object' && address !== null ? String(address.port) : '';
    expect(await lineOf({ PORT: port })).toContain(`address already in use 127.0.0.1:${port}`);
    // Nor is a PostgreSQL started for it.
    expect(await lineOf({ PORT: port, DATABASE_URI: '' })).toContain('address already in use');
    expect(existsSync(join(home, 'postgres'))).toBe(false);
    await new Promise((resolve) => other.close(resolve));
  });

  test.each(['serve', 'migrate', 'keys rotate', 'users superuser robin@example.com'])(
    '%s with an unreachable database',
    async (command) => {
      const away = { DATABASE_URI: 'postgres://plumbline:hunter2@localhost:1/plumbline', DATABASE_WAIT: '0' };
      const line = await lineOf(away, ...command.split(' '));
      expect(line).toBe('plumbline: The database is unreachable (ECONNREFUSED). Start it, or correct DATABASE_URI.');
    },
  );

  test('serve that is asked to end while it waits for a database', async () => {
    const away = environment({ DATABASE_URI: 'postgres://plumbline:hunter2@localhost:1/plumbline' });
    const child = spawn(process.execPath, [await builtCommand(), 'serve'], {
      env: { PATH: process.env['PATH'], ...away },
    });
    const ended = once(child, 'exit');
    const printed = text(child.stderr);
    for await (const chunk of child.stdout.setEncoding('utf8')) {
      expect(JSON.parse(chunk)).toMatchObject({ level: 40, msg: 'waiting for the database, which is unreachable' });
      child.kill('SIGTERM');
    }
    expect(await printed).toBe(
      'plumbline: The database is unreachable (ECONNREFUSED). Start it, or correct DATABASE_URI.\n',
    );
    expect(await ended).toEqual([1, null]);
  });

  test('a wrong password, and a database that does not exist', async () => {
    const wrong = new URL(database.uri);
    wrong.password = 'hunter2';
    const refused = await lineOf({ DATABASE_URI: wrong.href });
    expect(refused).toMatch(/The database refuses the connection: password authentication failed .* DATABASE_URI\.$/);
    const missing = new URL(database.uri);
    missing.pathname = '/plumbline_missing';
    expect(await lineOf({ DATABASE_URI: missing.href })).toContain('database "plumbline_missing" does not exist');
  });

  test('a SECRETS_KEY that did not encrypt the secrets in the database', async () => {
    const key = (fill: number): string => Buffer.alloc(32, fill).toString('base64');
    const server = await startServer({ environment: environment({ SECRETS_KEY: key(1) }) });
    server.kill('SIGTERM');
    expect((await server.finished).exitCode).toBe(0);
    for (const command of ['serve', 'keys rotate']) {
      const line = await lineOf({ SECRETS_KEY: key(2) }, ...command.split(' '));
      expect(line).toContain('SECRETS_KEY is not the key that sealed the secrets in this database.');
    }
  });

  test('a PLUMBLINE_HOME that cannot be created', async () => {
    expect(await lineOf({ PLUMBLINE_HOME: '/dev/null/home', DATABASE_URI: '' })).toContain('/dev/null/home');
  });
});

describe('Administration', () => {
  test('migrate brings an empty database up to date, and then has nothing to do', async () => {
    const empty = await createEmptyDatabase();
    const options = { environment: environment({ DATABASE_URI: empty.uri }) };
    expect(await plumbline(['migrate'], options)).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/^Applied migrations 1, 2/),
    });
    expect(await plumbline(['migrate'], options)).toMatchObject({
      exitCode: 0,
      stdout: 'The database is up to date.\n',
    });
    await empty.drop();
  });

  test('keys rotate signs with a new key and keeps publishing the old one', async () => {
    const first = await plumbline(['keys', 'rotate'], { environment: environment() });
    const second = await plumbline(['keys', 'rotate'], { environment: environment() });
    const kidOf = ({ stdout }: { stdout: string }): string => /with the key (\S+)\.$/m.exec(stdout)?.[1] ?? '';
    const server = await startServer({ environment: environment() });
    const { keys } = Object(await (await fetch(`${server.url}/.well-known/jwks.json`)).json());
    server.kill('SIGTERM');
    await server.finished;
    expect(new Set(keys.map(({ kid }: { kid: string }) => kid))).toEqual(new Set([kidOf(first), kidOf(second)]));
  });

  test('keys rotate refuses to change keys that are set by JWT_PRIVATE_KEYS', async () => {
    const given = environment({ JWT_PRIVATE_KEYS: '{"keys":[]}' });
    const { exitCode, stderr } = await plumbline(['keys', 'rotate'], { environment: given });
    expect([exitCode, stderr]).toEqual([
      1,
      expect.stringContaining('The keys are set by JWT_PRIVATE_KEYS. Rotate them there'),
    ]);
  });

  test('keys reseal replaces the key of the secrets, and says what is missing', async () => {
    const [first, second] = [1, 2].map((byte) => Buffer.alloc(32, byte).toString('base64'));
    const keyed = (SECRETS_KEY = '', SECRETS_KEY_PREVIOUS?: string): ReturnType<typeof environment> =>
      environment({ SECRETS_KEY, ...(SECRETS_KEY_PREVIOUS !== undefined && { SECRETS_KEY_PREVIOUS }) });
    expect((await plumbline(['keys', 'rotate'], { environment: keyed(first) })).exitCode).toBe(0);
    const alone = await plumbline(['keys', 'reseal'], { environment: keyed(second) });
    expect([alone.exitCode, alone.stderr]).toEqual([1, expect.stringContaining('SECRETS_KEY_PREVIOUS is not set')]);
    const resealed = await plumbline(['keys', 'reseal'], { environment: keyed(second, first) });
    expect(resealed).toMatchObject({
      ...{
        exitCode: 0,
        stdout: '1 secret is sealed with the new key.\nNo server needs SECRETS_KEY_PREVIOUS any more.\n',
      },
    });
    expect((await plumbline(['keys', 'rotate'], { environment: keyed(first) })).exitCode).toBe(1);
    expect((await plumbline(['keys', 'rotate'], { environment: keyed(second) })).exitCode).toBe(0);
  });

  test('users superuser grants the right, and --revoke takes it away', async () => {
    const sql = postgres(database.uri, { max: 1 });
    await sql`insert into users (email) values ('robin@example.com')`;
    const isSuperuser = async (): Promise<unknown> => (await sql`select is_superuser from users`)[0]?.['is_superuser'];
    const options = { environment: environment() };
    const granted = await plumbline(['users', 'superuser', ' Robin@Example.com'], options);
    expect([granted.exitCode, await isSuperuser()]).toEqual([0, true]);
    const revoked = await plumbline(['users', 'superuser', 'robin@example.com', '--revoke'], options);
    expect([revoked.exitCode, await isSuperuser()]).toEqual([0, false]);
    const unknown = await plumbline(['users', 'superuser', 'nobody@example.com'], options);
    expect([unknown.exitCode, unknown.stderr]).toEqual([
      1,
      expect.stringMatching(/^plumbline: There is no account .*\n$/),
    ]);
    await sql.end();
  });

  test('users reset-mfa removes the second factor of an account, and is recorded', async () => {
    const sql = postgres(database.uri, { max: 1 });
    await sql`insert into users (email) values ('robin@example.com') on conflict do nothing`;
    await sql`
      insert into totp_secrets (user_id, secret_sealed, started_at, enabled_at)
      select id, 'sealed', now(), now() from users where email = 'robin@example.com'`;
    const { exitCode, stdout } = await plumbline(['users', 'reset-mfa', 'Robin@example.com'], {
      environment: environment(),
    });
    expect([exitCode, stdout]).toEqual([0, 'Robin@example.com has no second factor now.\n']);
    expect(await sql`select 1 from totp_secrets`).toHaveLength(0);
    expect(await sql`select user_id, user_agent from audit_log where action = 'MFA_RESET'`).toEqual([
      { user_id: null, user_agent: 'plumbline users' },
    ]);
    await sql.end();
  });

  test('users delete deletes an account once it is confirmed, and no organization needs it', async () => {
    const sql = postgres(database.uri, { max: 1 });
    const [user] = await sql<{ id: string }[]>`insert into users (email) values ('wim@example.org') returning id`;
    const [organization] = await sql<{ id: string }[]>`
      insert into organizations (name) values ('Quiet Rivers') returning id`;
    if (user === undefined || organization === undefined) throw new Error('nothing was inserted');
    await sql`insert into memberships (user_id, org_id, role) values (${user.id}, ${organization.id}, 'owner')`;
    await sql`
      insert into integrations (org_id, provider, name, secret_sealed) values (${organization.id}, 'github', 'one', '')`;
    const remove = async (...args: string[]): Promise<unknown> => {
      const ended = await plumbline(['users', 'delete', 'Wim@example.org', ...args], { environment: environment() });
      return [ended.exitCode, ended.stdout, ended.stderr];
    };
    expect(await remove()).toMatchObject([2, '', expect.stringContaining('--yes')]);
    const needed =
      'plumbline: The account is the only owner of Quiet Rivers. Make another member an owner, or delete the organization first.\n';
    expect(await remove('--yes')).toEqual([1, '', needed]);
    await sql`delete from integrations`;
    expect(await remove('--yes')).toEqual([0, 'Wim@example.org is deleted.\n', '']);
    expect(await sql`select 1 from users where id = ${user.id}`).toEqual([]);
    const records = await sql`select action, resource_kind, user_id, user_agent from audit_log order by at, ctid`;
    const by = { user_id: null, user_agent: 'plumbline users' };
    expect(records).toEqual([
      { ...by, action: 'DELETE', resource_kind: 'USER' },
      { ...by, action: 'DELETION_REQUESTED', resource_kind: 'ORGANIZATION' },
      { ...by, action: 'MEMBER_REMOVED', resource_kind: 'MEMBERSHIP' },
    ]);
    await sql.end();
  });

  test('organizations list names organizations with their owners, and those that will be deleted', async () => {
    const sql = postgres(database.uri, { max: 1 });
    const [organization] = await sql<{ id: string; created: string }[]>`
      insert into organizations (name) values ('Quiet Rivers') returning id, to_char(created_at, 'YYYY-MM-DD') as created`;
    const id = organization?.id ?? '';
    await sql`
      with owner as (insert into users (email) values ('nora@example.org') returning id)
      insert into memberships (user_id, org_id, role) select id, ${id}, 'owner' from owner`;
    const listed = async (...args: string[]): Promise<unknown> => {
      const command = ['organizations', 'list', '--search', 'QUIET', ...args];
      const { exitCode, stdout } = await plumbline(command, { environment: environment() });
      return [exitCode, stdout];
    };
    const start = `${id}  created ${organization?.created}  1 member   `;
    expect(await listed()).toEqual([0, `${start}  Quiet Rivers  nora@example.org\n`]);
    expect(await listed('--marked')).toEqual([0, '']);
    await sql`
      insert into organization_deletions (org_id, requested_at, due_at)
      values (${id}, '2026-03-02T09:15:00Z', '2026-03-09T09:15:00Z')`;
    expect(await listed('--marked')).toEqual([0, `${start}  deletion 2026-03-09  Quiet Rivers  nora@example.org\n`]);
    const [, json] = (await listed('--json')) as [number, string];
    expect(JSON.parse(json)).toMatchObject({ id, members: 1, deletion: { due_at: '2026-03-09T09:15:00.000Z' } });
    await sql.end();
  });

  test('audit prints the records that match, as a table, JSON or NDJSON', async () => {
    const sql = postgres(database.uri, { max: 1 });
    const orgId = '5c1d2e3f-4a5b-4c6d-8e7f-9a0b1c2d3e10';
    const [user] = await sql<{ id: string }[]>`insert into users (email) values ('vera@example.org') returning id`;
    const userId = user?.id ?? '';
    await sql`
      insert into audit_log (at, action, resource_kind, status, org_id, user_id, ip, note) values
        ('2026-03-01T09:00Z', 'LOGIN', 'SESSION', 'success', ${orgId}, ${userId}, '192.0.2.1', null),
        ('2026-03-02T09:00Z', 'LOGIN_FAILED', 'SESSION', 'failure', null, null, null, ${'in\nvalid'})`;
    await sql.end();
    const options = { environment: environment() };
    const printed = async (...args: string[]): Promise<string> => {
      const { exitCode, stdout } = await plumbline(['audit', ...args], options);
      expect(exitCode).toBe(0);
      return stdout;
    };
    const table = (await printed()).split('\n').map((line) => line.split(/ {2,}/));
    expect(table).toEqual([
      ['2026-03-02 09:00:00', 'LOGIN_FAILED', 'failure', '-', 'no organization', '-', 'in\ufffdvalid'],
      ['2026-03-01 09:00:00', 'LOGIN', 'success', 'vera@example.org', orgId, '192.0.2.1'],
      [''],
    ]);
    const actions = async (...args: string[]): Promise<string[]> =>
      (JSON.parse(await printed('--format', 'json', ...args)) as { action: string }[]).map(({ action }) => action);
    expect(await actions()).toEqual(['LOGIN_FAILED', 'LOGIN']);
    expect(await actions('--limit', '1')).toEqual(['LOGIN_FAILED']);
    for (const only of [
      ['--until', '2026-03-02'],
      ['--event', 'login'],
      ['--user', ' Vera@Example.org'],
      ['--user', userId],
      ['--organization', orgId],
    ])
      expect([only, await actions(...only)]).toEqual([only, ['LOGIN']]);
    expect(await actions('--since', '2026-03-01T09:00:01Z')).toEqual(['LOGIN_FAILED']);
    const line = await printed('--format', 'ndjson', '--event', 'LOGIN');
    expect(JSON.parse(line)).toMatchObject({ at: '2026-03-01T09:00:00.000Z', user_id: userId, ip: '192.0.2.1' });
    expect(line.trimEnd()).not.toContain('\n');
    for (const wrong of [
      ['--since', 'yesterday'],
      ['--limit', '0'],
      ['--organization', 'Acme'],
      ['--format', 'xml'],
    ])
      expect([wrong, (await plumbline(['audit', ...wrong], options)).exitCode]).toEqual([wrong, 2]);
    const unknown = await plumbline(['audit', '--user', 'nobody@example.com'], options);
    expect([unknown.exitCode, unknown.stderr]).toEqual([
      1,
      'plumbline: There is no account with the address nobody@example.com\n',
    ]);
  });

  test('users list names accounts, and disable and enable change them', async () => {
    const sql = postgres(database.uri, { max: 1 });
    const [user] = await sql<{ id: string }[]>`
      insert into users (email, full_name) values ('vera@example.org', 'Vera Example') returning id`;
    const options = { environment: environment() };
    const listed = async (...args: string[]): Promise<unknown> => {
      const { exitCode, stdout } = await plumbline(['users', 'list', '--search', 'VERA', ...args], options);
      return [exitCode, stdout];
    };
    const line = `${user?.id}  unverified  never logged in   vera@example.org\n`;
    expect(await listed()).toEqual([0, line]);
    expect(await listed('--disabled')).toEqual([0, '']);
    const disabled = await plumbline(['users', 'disable', 'Vera@example.org'], options);
    expect([disabled.exitCode, disabled.stdout]).toEqual([0, 'Vera@example.org is now disabled.\n']);
    expect(await listed('--disabled')).toEqual([0, line.replace('unverified', 'disabled  ')]);
    const [record] = await sql`select action, resource_id, user_id, user_agent from audit_log`;
    expect(record).toEqual({
      action: 'USER_DISABLED',
      resource_id: user?.id,
      user_id: null,
      user_agent: 'plumbline users',
    });
    const enabled = await plumbline(['users', 'enable', 'vera@example.org'], options);
    expect([enabled.exitCode, await listed()]).toEqual([0, [0, line]]);
    const json = await plumbline(['users', 'list', '--search', 'vera', '--json'], options);
    expect(JSON.parse(json.stdout)).toMatchObject({ email: 'vera@example.org', is_active: true, organizations: [] });
    const unknown = await plumbline(['users', 'disable', 'nobody@example.com'], options);
    expect([unknown.exitCode, unknown.stderr]).toEqual([
      1,
      'plumbline: There is no account with the address nobody@example.com\n',
    ]);
    await sql.end();
  });
});
