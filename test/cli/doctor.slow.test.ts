import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startMailbox } from '../support/mailbox.js';
import { startPgBouncer, withoutPgBouncer } from '../support/pgbouncer.js';
import { mountSmall, unmount } from '../support/small-file-system.js';
import { createEmptyDatabase, createTestDatabase, type TestDatabase } from '../support/postgres.js';
import { builtCommand } from './built-command.js';
import { plumbline, startServer } from './plumbline.js';

const key = Buffer.alloc(32, 7).toString('base64');
let home: string;
let database: TestDatabase;
beforeEach(async () => {
  await builtCommand();
  home = await mkdtemp(join(tmpdir(), 'plumbline-doctor-'));
  database = await createTestDatabase();
});
afterEach(async () => {
  await database.drop();
  await rm(home, { recursive: true, force: true });
});

interface Finding {
  readonly check: string;
  readonly status: string;
  readonly message: string;
  readonly remedy: string | null;
}

async function examine(
  more: Readonly<Record<string, string>> = {},
): Promise<{ exitCode: number | null; findings: Finding[] }> {
  const environment = { PLUMBLINE_HOME: home, DATABASE_URI: database.uri, SECRETS_KEY: key, PORT: '0', ...more };
  const { exitCode, stdout, stderr } = await plumbline(['doctor', '--json'], { environment });
  expect(stderr).toBe('');
  const { ok, findings } = JSON.parse(stdout);
  expect(ok).toBe(exitCode === 0);
  return { exitCode, findings };
}

/** The finding of one check, when its settings are these. */
async function findingOf(
  check: string,
  more: Readonly<Record<string, string>>,
): Promise<[number | null, Finding | undefined]> {
  const { exitCode, findings } = await examine(more);
  return [exitCode, findings.find((each) => each.check === check && each.status !== 'ok')];
}

const says = (status: string, message: string, remedy: string): unknown =>
  expect.objectContaining({
    status,
    message: expect.stringContaining(message),
    remedy: expect.stringContaining(remedy),
  });

describe('plumbline doctor', () => {
  test('reports no problem in a sound installation', async () => {
    const mailbox = await startMailbox();
    const { exitCode, findings } = await examine({ MAIL_URL: mailbox.url, MAIL_FROM: 'plumbline@example.com' });
    await mailbox.stop();
    expect(findings.filter(({ status }) => status !== 'ok')).toEqual([]);
    expect(exitCode).toBe(0);
    const checks = findings.map(({ check }) => check);
    for (const each of [
      'settings',
      'home',
      'disk space',
      'database',
      'clock',
      'migrations',
      'pooler',
      'mail',
      'port',
      'public address',
      'trusted proxies',
      'sender of mails',
      'metrics token',
    ]) {
      expect(checks).toContain(each);
    }
  });

  test('prints lines for people, with the remedy of each problem', async () => {
    const { exitCode, stdout } = await plumbline(['doctor'], {
      environment: { PLUMBLINE_HOME: home, DATABASE_URI: 'postgres://plumbline:hunter2@127.0.0.1:1/none', PORT: '0' },
    });
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/^ok {7}home: .* can be written to\.$/m);
    expect(stdout).toMatch(/^FAILED {3}database: .*ECONNREFUSED.*\n {9}Start it, or correct .* DATABASE_URI\.$/m);
    expect(stdout).toMatch(/\d+ checks: 1 failed, 1 with a warning\.\n$/);
    expect(stdout).not.toContain('hunter2');
  });

  test('works with the embedded PostgreSQL, which it does not start', async () => {
    const { findings } = await examine({ DATABASE_URI: '' });
    expect(findings).toContainEqual(expect.objectContaining({ check: 'database', status: 'ok' }));
  });

  test('reports a setting that is invalid, and one that is misspelt', async () => {
    expect(await findingOf('settings', { DATABASE_URL: 'x', DATABASE_URI: '' })).toEqual([
      0,
      says('warning', 'Did you mean DATABASE_URI?', 'Rename'),
    ]);
    expect(await findingOf('settings', { LOG_LEVEL: 'loud' })).toEqual([
      1,
      says('failed', 'LOG_LEVEL must be', 'Correct'),
    ]);
  });

  test('reports an analytics store that does not answer, without its password', async () => {
    const uri = 'postgres://plumbline:hunter2@127.0.0.1:1/none';
    const [exitCode, finding] = await findingOf('analytics store', { ANALYTICS_URI: uri });
    expect([exitCode, finding]).toEqual([1, says('failed', 'does not answer', 'correct ANALYTICS_URI')]);
    expect(JSON.stringify(finding)).not.toContain('hunter2');
    const { findings } = await examine({ ANALYTICS_URI: database.uri });
    expect(findings).toContainEqual(expect.objectContaining({ check: 'analytics store', status: 'ok' }));
  });

  test('reports a role with fewer connections than the server opens', async () => {
    const sql = postgres(database.uri, { max: 1 });
    const role = `doctor_few_${process.pid}`;
    await sql.unsafe(
      `create role ${role} login password 'doctor' connection limit 3; grant create on schema public to ${role};
        grant select on all tables in schema public to ${role}`,
    );
    const uri = new URL(database.uri);
    [uri.username, uri.password] = [role, 'doctor'];
    try {
      expect(await findingOf('database connections', { DATABASE_URI: uri.href, DATABASE_CONNECTIONS: '5' })).toEqual([
        0,
        says('warning', `of 3 connections of the role ${role} are free`, 'raise the limit'),
      ]);
    } finally {
      await sql.unsafe(`drop owned by ${role}; drop role ${role}`);
      await sql.end();
    }
  });

  test('reports settings that leave an open server unsafe', async () => {
    const open = { HOST: '0.0.0.0', TRUSTED_PROXIES: '0.0.0.0/0', METRICS_TOKEN: 'short', MAIL_FROM: 'Plumbline' };
    const { exitCode, findings } = await examine(open);
    const reported = findings.filter(({ status }) => status !== 'ok').map(({ check }) => check);
    expect(reported).toEqual(['public address', 'trusted proxies', 'sender of mails', 'metrics token']);
    expect(exitCode).toBe(1);
  });

  test('reports a schema that is behind or ahead', async () => {
    const empty = await createEmptyDatabase();
    expect(await findingOf('migrations', { DATABASE_URI: empty.uri })).toEqual([
      0,
      says('warning', 'The schema is at version 0', 'plumbline migrate'),
    ]);
    await empty.drop();
    const sql = postgres(database.uri, { max: 1 });
    await sql`insert into schema_version (version) values (9999)`;
    await sql.end();
    expect(await findingOf('migrations', {})).toEqual([1, says('failed', 'version 9999', 'newer release')]);
  });

  test('reports a user without the right to create tables, and a read-only database', async () => {
    const sql = postgres(database.uri, { max: 1 });
    const role = `doctor_${process.pid}`;
    await sql.unsafe(
      `create role ${role} login password 'doctor'; grant select on all tables in schema public to ${role}`,
    );
    const uri = new URL(database.uri);
    [uri.username, uri.password] = [role, 'doctor'];
    try {
      expect(await findingOf('database permissions', { DATABASE_URI: uri.href })).toEqual([
        1,
        says('failed', `${role} may not create tables`, 'grant create'),
      ]);
      await sql.unsafe(`alter role ${role} set default_transaction_read_only = on`);
      expect(await findingOf('database permissions', { DATABASE_URI: uri.href })).toEqual([
        1,
        says('failed', 'takes no writes', 'primary'),
      ]);
    } finally {
      await sql.unsafe(`drop owned by ${role}; drop role ${role}`);
      await sql.end();
    }
  });

  test('reports a database in another encoding', async () => {
    const sql = postgres(database.uri, { max: 1 });
    const name = `doctor_latin_${process.pid}`;
    await sql.unsafe(`create database ${name} encoding 'LATIN1' locale 'C' template template0`);
    const uri = new URL(database.uri);
    uri.pathname = `/${name}`;
    try {
      expect(await findingOf('database encoding', { DATABASE_URI: uri.href })).toEqual([
        1,
        says('failed', 'LATIN1', "encoding 'UTF8'"),
      ]);
    } finally {
      await sql.unsafe(`drop database ${name}`);
      await sql.end();
    }
  });

  test('reports more connections than the database has', async () => {
    expect(await findingOf('database connections', { DATABASE_CONNECTIONS: '1000' })).toEqual([
      0,
      says('warning', 'opens up to 1000', 'DATABASE_CONNECTIONS'),
    ]);
  });

  test('reports a key that does not match the database, and one that other users can read', async () => {
    const server = await startServer({ environment: { PLUMBLINE_HOME: home, DATABASE_URI: database.uri } });
    server.kill('SIGTERM');
    await server.finished;
    expect(await findingOf('secrets key', {})).toEqual([1, says('failed', 'another key', 'SECRETS_KEY')]);
    expect((await examine({ SECRETS_KEY: '' })).exitCode).toBe(0);
    const file = join(home, 'secrets.key');
    expect(await findingOf('secrets key', { SECRETS_KEY_PREVIOUS_FILE: file })).toEqual([
      ...[0, says('warning', 'SECRETS_KEY_PREVIOUS is the key', 'keys reseal')],
    ]);
    await chmod(file, 0o644);
    expect(await findingOf('secrets key file', { SECRETS_KEY: '' })).toEqual([1, says('failed', file, 'chmod 600')]);
    await rm(file);
    expect(await findingOf('secrets key', { SECRETS_KEY: '' })).toEqual([1, says('failed', 'is missing', 'backup')]);
  });

  test('reports a home that is not writable', async () => {
    const file = join(home, 'file');
    await writeFile(file, '');
    expect(await findingOf('home', { PLUMBLINE_HOME: file })).toEqual([1, says('failed', file, 'PLUMBLINE_HOME')]);
  });

  test.each([
    ['warning', 10],
    ['failed', 60],
  ])('reports a clock that differs from that of the database: %s, %i s', async (status, seconds) => {
    const ahead = `const now = Date.now; Date.now = () => now() + ${seconds * 1000};`;
    const options = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(ahead)}` };
    const finding = says(status, 'The clock differs from the database by', 'NTP');
    expect(await findingOf('clock', options)).toEqual([status === 'failed' ? 1 : 0, finding]);
  });

  test('reports a disk that is nearly full', async ({ skip }) => {
    const missing = mountSmall(home, '20m');
    if (missing !== null) skip(missing);
    try {
      expect(await findingOf('disk space', {})).toEqual([1, says('failed', '0.0 GiB are free', 'Free some space')]);
    } finally {
      unmount(home);
    }
  });

  test('reports a port that another program uses, but not the port of a running server', async () => {
    const other = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const address = other.address();
    const port = typeof address === 'object' && address !== null ? String(address.port) : '';
    expect(await findingOf('port', { PORT: port })).toEqual([1, says('failed', 'EADDRINUSE', 'HOST and PORT')]);
    await new Promise((resolve) => other.close(resolve));
    const server = await startServer({ environment: { PLUMBLINE_HOME: home, DATABASE_URI: database.uri } });
    expect((await examine({ PORT: new URL(server.url).port, SECRETS_KEY: '' })).exitCode).toBe(0);
    server.kill('SIGTERM');
    await server.finished;
  });

  test('reports a mail server that does not answer, and mails without a recipient', async () => {
    expect(await findingOf('mail', { MAIL_URL: 'smtp://u:hunter2@127.0.0.1:1' })).toEqual([
      1,
      says('failed', '127.0.0.1:1 cannot be used', 'MAIL_URL'),
    ]);
    expect(await findingOf('mail', { APP_BASE_URL: 'https://app.example.com' })).toEqual([
      0,
      says('warning', 'become files', 'Set MAIL_URL'),
    ]);
  });

  test.skipIf(withoutPgBouncer !== '')(
    `reports a pooler that the address does not name${withoutPgBouncer}`,
    async () => {
      const pooler = await startPgBouncer(database.uri);
      expect(await findingOf('pooler', { DATABASE_URI: pooler.uri })).toEqual([
        1,
        says('failed', 'pooler', '?pooler=transaction'),
      ]);
      expect((await examine({ DATABASE_URI: `${pooler.uri}?pooler=transaction` })).exitCode).toBe(0);
      await pooler.stop();
    },
  );
});
