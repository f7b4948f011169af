import { spawn } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pino from 'pino';
import postgres from 'postgres';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/database/embedded.js';
import { servesData } from '../../src/database/embedded/inspection.js';
import { postmasterPid } from '../support/postgres.js';
import { startUser } from './embedded-process.js';

const logger = pino({ level: 'silent' });
const isRoot = process.getuid?.() === 0;

let home: string;
const running: EmbeddedPostgres[] = [];

beforeEach(async () => {
  home = await mkdtemp(path.join(tmpdir(), 'plumbline-embedded-'));
});

afterEach(async () => {
  for (const server of running.splice(0)) await server.stop();
  await rm(home, { recursive: true, force: true });
});

async function start(options: { home?: string; durable?: boolean } = {}): Promise<EmbeddedPostgres> {
  const server = await startEmbeddedPostgres({ home, logger, durable: false, ...options });
  running.push(server);
  return server;
}

async function query<T>(uri: string, work: (sql: postgres.Sql) => Promise<T>): Promise<T> {
  const sql = postgres(uri, { max: 1, onnotice: () => undefined });
  try {
    return await work(sql);
  } finally {
    await sql.end();
  }
}

/** Which run of the server answers: another start of it has another time. */
const startTime = (uri: string) =>
  query(uri, async (sql) => String((await sql`select pg_postmaster_start_time()::text as at`)[0]?.['at']));

const isServing = (pid: number) => servesData(pid, path.join(home, 'postgres', 'data'));

const setting = (uri: string, name: string) =>
  query(uri, async (sql) => String((await sql`select current_setting(${name}) as value`)[0]?.['value']));

describe('the first start', () => {
  it('creates a durable UTF-8 cluster with a deterministic collation, reachable from this machine only', async () => {
    const { uri } = await start({ durable: true });
    expect(await setting(uri, 'server_encoding')).toBe('UTF8');
    expect(await setting(uri, 'fsync')).toBe('on');
    expect(await setting(uri, 'listen_addresses')).toBe('127.0.0.1');
    expect(await setting(uri, 'unix_socket_directories')).toBe('');
    expect(
      await query(uri, async (sql) =>
        (await sql`select x from unnest(array['a','Z','ä']) x order by x`).map((r) => r['x']),
      ),
    ).toEqual(['Z', 'a', 'ä']);
  });

  it('keeps the password where only this user can read it, and refuses any other', async () => {
    const { uri } = await start();
    const file = path.join(home, 'postgres', 'password');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(new URL(uri).password).toBe(readFileSync(file, 'utf8').trim());
    const wrong = new URL(uri);
    wrong.password = 'guessed';
    await expect(query(wrong.href, (sql) => sql`select 1`)).rejects.toMatchObject({ code: '28P01' });
  });

  it('shares one server between two simultaneous processes', async () => {
    const users = await Promise.all([startUser(home), startUser(home)]);
    expect(users[0].uri).toBe(users[1].uri);
    await Promise.all(users.map((user) => user.leave()));
  });

  it('removes old remains of a killed start', async () => {
    const abandoned = path.join(home, 'postgres.new-000000000000');
    mkdirSync(abandoned);
    utimesSync(abandoned, new Date(0), new Date(0));
    await start();
    expect(existsSync(abandoned)).toBe(false);
  });

  it('names the directory if it contains something else', async () => {
    mkdirSync(path.join(home, 'postgres'));
    writeFileSync(path.join(home, 'postgres', 'letter.txt'), 'not a database');
    await expect(start()).rejects.toThrow(path.join(home, 'postgres'));
    expect(readFileSync(path.join(home, 'postgres', 'letter.txt'), 'utf8')).toBe('not a database');
  });
});

describe('a later start', () => {
  it('finds the existing data, at the same address', async () => {
    const first = await start();
    await query(first.uri, (sql) => sql`create table kept as select 42 as answer`);
    await first.stop();
    const second = await start();
    expect(second.uri).toBe(first.uri);
    expect(await query(second.uri, (sql) => sql`select answer from kept`)).toEqual([{ answer: 42 }]);
  });

  it('adopts the server that a killed process left running, and stops it at the end', async () => {
    const user = await startUser(home);
    const before = await startTime(user.uri);
    const pid = postmasterPid(home);
    await user.kill();
    expect(isServing(pid)).toBe(true);

    const server = await start();
    expect(await startTime(server.uri)).toBe(before);
    await server.stop();
    expect(isServing(pid)).toBe(false);
  });

  it('recovers committed data if the server was killed, too', async () => {
    const user = await startUser(home);
    await query(user.uri, (sql) => sql`create table kept as select 42 as answer`);
    await user.kill();
    process.kill(postmasterPid(home), 'SIGKILL');

    const server = await start();
    expect(await query(server.uri, (sql) => sql`select answer from kept`)).toEqual([{ answer: 42 }]);
  });

  it('is not misled by a lock file whose process id now belongs to another program', async () => {
    await (await start()).stop();
    const data = path.join(home, 'postgres', 'data');
    const { uid, gid } = statSync(data);
    const other = spawn('sleep', ['600'], isRoot ? { uid, gid, stdio: 'ignore' } : { stdio: 'ignore' });
    try {
      const lock = path.join(data, 'postmaster.pid');
      writeFileSync(lock, `${other.pid}\n${data}\n1700000000\n5432\n\n127.0.0.1\n  1234567         0\nready   \n`);
      if (isRoot) chownSync(lock, uid, gid);
      const server = await start();
      expect(await setting(server.uri, 'fsync')).toBe('off');
      expect(other.exitCode).toBeNull();
    } finally {
      other.kill();
    }
  });
});

describe('a second process on the same home', () => {
  it('uses the running server, which runs until the last process leaves', async () => {
    const server = await start();
    const user = await startUser(home);
    const pid = postmasterPid(home);
    expect(user.uri).toBe(server.uri);

    await server.stop();
    expect(await setting(user.uri, 'listen_addresses')).toBe('127.0.0.1');
    await user.leave();
    expect(isServing(pid)).toBe(false);
  });

  it('does not keep the server running once it was killed', async () => {
    const server = await start();
    const user = await startUser(home);
    const pid = postmasterPid(home);
    await user.kill();
    await server.stop();
    expect(isServing(pid)).toBe(false);
  });
});
