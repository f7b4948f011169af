import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addressOf, newRole } from '../analytics/sql/sql-organizations.js';
import { createEmptyDatabase, type TestDatabase } from '../support/postgres.js';
import { runMain } from './main-process.js';
import type { Finished } from './plumbline.js';

/** The program's role, which owns its tables and may create the schema, but no roles. */
const program = newRole();
let database: TestDatabase;
let admin: postgres.Sql;
let folder: string;
const granted: string[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plumbline-sql-'));
  database = await createEmptyDatabase();
  admin = postgres(database.uri, { max: 1, onnotice: () => undefined });
  await admin.unsafe(`create role ${program} login password 'secret'; grant all on schema public to ${program}`);
  const synced = ['sync', 'git', '--provider', 'synthetic', '--backfill', '3', '--db', asProgram()];
  expect(await runMain(synced)).toMatchObject({ exitCode: 0 });
});
afterAll(async () => {
  for (const role of granted) await sql(['revoke', '--role', role], database.uri);
  await admin.end();
  await database.drop();
  const cluster = postgres(new URL('/postgres', database.uri).href, { max: 1 });
  await cluster.unsafe(`drop role ${program}`);
  await cluster.end();
  await rm(folder, { recursive: true });
});

function asProgram(): string {
  return addressOf(database.uri, program, 'secret');
}

function sql(args: readonly string[], databaseUri: string): Promise<Finished> {
  return runMain(['sql', ...args], { DATABASE_URI: databaseUri });
}

async function unitsOf(role: string, password: string): Promise<number> {
  const reader = postgres(addressOf(database.uri, role, password), { max: 1, onnotice: () => undefined });
  try {
    const [row] = await reader<{ units: number }[]>`select count(*)::int as units from units`;
    return row?.units ?? 0;
  } finally {
    await reader.end();
  }
}

test('A role that may create no roles is refused, and prints the statements for an administrator', async () => {
  const role = newRole();
  const grant = ['grant', '--organization', 'default', '--role', role];
  expect(await sql(grant, asProgram())).toMatchObject({
    exitCode: 2,
    stdout: '',
    stderr: expect.stringContaining(`create schema plumbline_sql authorization "${program}"`),
  });
  await admin.unsafe(`create schema plumbline_sql authorization ${program}`);
  expect(await sql(grant, asProgram())).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('--print'),
  });
  const printed = await sql([...grant, '--print'], asProgram());
  const password = /shown once: (\S+)/.exec(printed.stderr)?.[1] ?? '';
  expect([printed.exitCode, printed.stdout.includes(password), password.length]).toEqual([0, false, 24]);
  await admin.unsafe(printed.stdout);
  expect(await sql([...grant, '--existing'], asProgram())).toMatchObject({ exitCode: 0, stderr: '' });
  expect(await unitsOf(role, password)).toBeGreaterThan(0);
  const revoked = await sql(['revoke', '--role', role], asProgram());
  expect([revoked.exitCode, revoked.stdout]).toEqual([0, expect.stringContaining('The role remains')]);
  await expect(unitsOf(role, password)).rejects.toThrow();
  await admin.unsafe(`drop role ${role}`);
});

test('A role that may create roles needs no administrator, and drops what it has created', async () => {
  await admin.unsafe(`alter role ${program} createrole`);
  const role = newRole();
  const done = await sql(['grant', '--organization', 'default', '--role', role], asProgram());
  expect(done).toMatchObject({ exitCode: 0, stderr: '' });
  expect(await unitsOf(role, /shown once: (\S+)/.exec(done.stdout)?.[1] ?? '')).toBeGreaterThan(0);
  expect(await sql(['grant', '--organization', 'default', '--role', role], asProgram())).toMatchObject({ exitCode: 0 });
  expect(await sql(['revoke', '--role', role], asProgram())).toMatchObject({ stdout: `${role} is dropped.\n` });
  await admin.unsafe(`alter role ${program} nocreaterole`);
});

test('A reader is granted with a generated password, listed and revoked', async () => {
  const role = newRole();
  granted.push(role);
  const done = await sql(['grant', '--organization', 'default', '--role', role], database.uri);
  const password = /shown once: (\S+)/.exec(done.stdout)?.[1] ?? '';
  expect([done.exitCode, done.stderr, password.length]).toEqual([0, '', 24]);
  expect(await unitsOf(role, password)).toBeGreaterThan(0);
  const listed = await sql(['list', '--json'], database.uri);
  expect(JSON.parse(listed.stdout)).toMatchObject({ organization: 'default', role, exists: true });
  expect(await sql(['views'], database.uri)).toMatchObject({ exitCode: 0 });
  expect(await sql(['revoke', '--role', role], database.uri)).toMatchObject({
    exitCode: 0,
    stdout: `${role} is dropped.\n`,
  });
  expect(await sql(['list'], database.uri)).toMatchObject({ exitCode: 0, stdout: '' });
  expect(await sql(['revoke', '--role', role], database.uri)).toMatchObject({ exitCode: 2 });
});

test('A password comes from a file, and is not printed', async () => {
  const role = newRole();
  granted.push(role);
  const file = join(folder, 'password');
  const grant = ['grant', '--organization', 'default', '--role', role, '--password-file', file];
  await writeFile(file, 'short\n');
  expect(await sql(grant, database.uri)).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('12 to 200') });
  await writeFile(file, "it's a longer one\n");
  expect(await sql(grant, database.uri)).toEqual({
    exitCode: 0,
    signal: null,
    stdout: `${role} reads organization default.\n`,
    stderr: '',
  });
  expect(await unitsOf(role, "it's a longer one")).toBeGreaterThan(0);
});

test('Wrong usage, and engines without roles, exit with 2', async () => {
  const grant = ['grant', '--organization', 'default', '--role', 'grafana'];
  for (const [args, address, message] of [
    [grant, 'sqlite:none.db', 'not available on SQLite'],
    [grant, 'mongodb://127.0.0.1/none', 'not available on MongoDB'],
    [grant, 'chdb:none', 'not available on chdb'],
    [['list'], 'sqlite:none.db', 'not available on SQLite'],
    [[...grant, '--role', 'Graf ana'], database.uri, '--role has lower-case letters'],
    [[...grant, '--role', 'pg_reader'], database.uri, 'which PostgreSQL reserves'],
    [[...grant, '--timeout', '0'], database.uri, '--timeout must be a whole number'],
    [[...grant, '--existing', '--print'], database.uri, '--existing excludes'],
    [[...grant, '--organization', 'nobody'], database.uri, 'no organization nobody'],
  ] as const) {
    const refused = await sql(args, address);
    expect([refused.exitCode, refused.stdout, refused.stderr]).toEqual([2, '', expect.stringContaining(message)]);
  }
});
