import { existsSync } from 'node:fs';
import { chown, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { serverAccount } from '../../src/database/embedded/account.js';
import { testPassword } from '../support/platform.js';
import { postmasterPid } from '../support/postgres.js';
import { recordingFetch } from '../support/recorder.js';
import { builtCommand } from './built-command.js';
import { outsidePostgresMissing, startOutsidePostgres, type OutsidePostgres } from './outside-postgres.js';
import { startServer, type ServerProcess } from './plumbline.js';

const isRoot = process.getuid?.() === 0;
const skipped = [
  ...(isRoot ? [] : ['as an ordinary user beside root: only root can become another user']),
  ...(outsidePostgresMissing === null ? [] : [`outside PostgreSQL: ${outsidePostgresMissing}`]),
];
for (const reason of skipped) console.warn(`Skipped: ${reason}.`);

const send = recordingFetch('platform');
let home: string;
let servers: ServerProcess[];
beforeAll(builtCommand);
beforeEach(async () => {
  servers = [];
  home = await mkdtemp(join(tmpdir(), 'plumbline-serve-'));
});
afterEach(async () => {
  for (const server of servers) server.kill('SIGKILL');
  // Only a test that failed leaves the PostgreSQL of its home behind.
  if (existsSync(join(home, 'postgres/data/postmaster.pid'))) process.kill(postmasterPid(home), 'SIGQUIT');
  await rm(home, { recursive: true, force: true });
});

async function start(
  environment: Readonly<Record<string, string>> = {},
  account?: { uid: number; gid: number },
): Promise<ServerProcess> {
  const server = await startServer({
    environment: { PLUMBLINE_HOME: home, AUTH_REGISTER_LIMIT: 'off', ...environment },
    account,
  });
  servers.push(server);
  return server;
}

async function register(server: ServerProcess, email: string): Promise<number> {
  const body = JSON.stringify({ email, password: testPassword });
  const headers = { 'Content-Type': 'application/json' };
  const reply = await send(`${server.url}/api/v1/auth/register`, { method: 'POST', headers, body });
  await reply.text();
  return reply.status;
}

async function stopped(server: ServerProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  server.kill(signal);
  expect(await server.finished).toMatchObject({ exitCode: 0, signal: null });
  expect(server.logLines.at(-1)).toMatchObject({ msg: 'stopped' });
}

/** Kills the server twice, each time after a change that must be there afterwards. */
async function surviveKills(
  environment: Readonly<Record<string, string>>,
  account?: { uid: number; gid: number },
): Promise<void> {
  for (const email of ['first@example.com', 'second@example.com']) {
    const server = await start(environment, account);
    expect(await register(server, email)).toBe(201);
    server.kill('SIGKILL');
    expect((await server.finished).signal).toBe('SIGKILL');
  }
  const server = await start(environment, account);
  // The addresses are taken: nothing was lost.
  expect(await register(server, 'first@example.com')).toBe(400);
  expect(await register(server, 'second@example.com')).toBe(400);
  expect((await send(`${server.url}/health/ready`)).status).toBe(200);
  await stopped(server);
}

describe('plumbline serve on the embedded PostgreSQL', () => {
  test.each([
    {
      name: 'the address of the console',
      CONSOLE: 'true',
      first: /^Open the console: http:\/\/127\.0\.0\.1:\d+\/console\/$/,
    },
    { name: 'without a console that of the server', CONSOLE: 'false', first: /^Plumbline is running at http:\/\/\S+$/ },
  ])('prints first $name', async ({ CONSOLE, first }) => {
    const server = await start({ CONSOLE });
    await stopped(server);
    expect((await server.finished).stderr.split('\n')[0]).toMatch(first);
  });

  test('starts, stops and starts again on its stored data, and stops its PostgreSQL each time', async () => {
    const mails = (): Promise<string[]> => readdir(join(home, 'mailbox')).catch(() => []);
    for (const expected of [201, 400]) {
      const server = await start();
      expect(await register(server, 'robin@example.com')).toBe(expected);
      // A server that stops takes no more mails from the outbox.
      await expect.poll(mails, { timeout: 30_000 }).toEqual([expect.stringMatching(/verification-.*\.eml$/)]);
      await stopped(server, 'SIGINT');
      expect(existsSync(join(home, 'postgres/data/postmaster.pid'))).toBe(false);
    }
    expect(await mails()).toHaveLength(1);
  });

  test(`starts again after kill -9, twice in a row, as ${isRoot ? 'root' : 'an ordinary user'}`, () =>
    surviveKills({}));

  test.skipIf(!isRoot)('starts again after kill -9, twice in a row, as an ordinary user (needs root)', async () => {
    const account = serverAccount(join(home, 'none'));
    if (account === undefined) throw new Error('root was given no account');
    await chown(home, account.uid, account.gid);
    await surviveKills({}, account);
  });

  test('a second server uses the PostgreSQL of the first, and continues after the first has stopped', async () => {
    const first = await start();
    const second = await start();
    expect(await register(first, 'robin@example.com')).toBe(201);
    expect(await register(second, 'robin@example.com')).toBe(400);
    await stopped(first);
    expect(await register(second, 'sam@example.com')).toBe(201);
    await stopped(second);
  });
});

const withoutOutside = outsidePostgresMissing === null ? '' : ` (skipped: ${outsidePostgresMissing})`;

describe.skipIf(outsidePostgresMissing !== null)(`plumbline serve on an outside PostgreSQL 15${withoutOutside}`, () => {
  let postgres: OutsidePostgres;
  beforeAll(async () => {
    if (outsidePostgresMissing === null) postgres = await startOutsidePostgres();
  });
  afterAll(() => postgres.stop());

  test('starts again after kill -9, twice in a row, and starts no second PostgreSQL', async () => {
    await surviveKills({ DATABASE_URI: postgres.uri });
    expect(existsSync(join(home, 'postgres'))).toBe(false);
  });
});
