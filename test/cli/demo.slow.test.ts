import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/postgres.js';
import { makeHome } from './logged-in.js';
import { plumbline, startServer, type Finished } from './plumbline.js';

// A run of the demo takes some seconds of CPU, and each test has one or two: on a busy machine more than a minute.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

let database: TestDatabase;
let home: string;
let environment: Record<string, string>;
let first: Finished;

beforeAll(async () => {
  database = await createTestDatabase();
  home = await mkdtemp(join(tmpdir(), 'plumbline-demo-'));
  environment = { DATABASE_URI: database.uri, PLUMBLINE_HOME: home, AUTH_BCRYPT_COST: '4', LANG: 'C.UTF-8' };
  first = await plumbline(['demo'], { environment });
});

afterAll(async () => {
  await database.drop();
  await rm(home, { recursive: true, force: true });
});

const passwordIn = ({ stdout }: Finished): string => /^ {2}password +(.*)$/m.exec(stdout)?.[1] ?? '';
const chartIn = ({ stdout }: Finished): string => /theme +units[^]*?\n\n/.exec(stdout)?.[0] ?? '';

it('creates an account and an organization, fills it, and charts the work', () => {
  expect(first).toMatchObject({ exitCode: 0, stderr: '' });
  expect(first.stdout).toContain('The demo is ready.');
  expect(passwordIn(first)).toMatch(/^[\w-]{20}$/);
  for (const theme of ['feature_delivery', 'operational', 'maintenance', 'quality', 'risk']) {
    expect(chartIn(first)).toMatch(new RegExp(`^ {2}${theme} +[\\d,.]+ +\\d+% +[█▏▎▍▌▋▊▉]+$`, 'm'));
  }
  const shares = [...chartIn(first).matchAll(/ (\d+)% /g)].map(([, share]) => Number(share));
  // No theme hides the others.
  expect(Math.max(...shares)).toBeLessThan(60);
  expect(first.stdout).not.toMatch(/\u001b/); // it is not a terminal
});

/** The port that the demo says to start the server at, and the one in its last line, which is the console's address. */
const portsIn = ({ stdout }: Finished): readonly (string | undefined)[] => [
  /^ {2}npx plumbline serve(?: --port (\d+))?$/m.exec(stdout)?.[1],
  /^ {2}http:\/\/127\.0\.0\.1:(\d+)\/console\/overview$/.exec(stdout.trimEnd().split('\n').at(-1) ?? '')?.[1],
];

it('ends with the address of the console, and says how to start the server if none runs', async () => {
  const [started, shown] = portsIn(await plumbline(['demo'], { environment: { ...environment, PORT: '18123' } }));
  expect(Number(started)).toBeGreaterThanOrEqual(18_123);
  expect(shown).toBe(started);
});

it('proposes another port where a server with other data uses that of the settings', async () => {
  const other = await createTestDatabase();
  const server = await startServer({ environment: { ...environment, DATABASE_URI: other.uri, LOG_LEVEL: 'warn' } });
  try {
    const { port } = new URL(server.url);
    const [started, shown] = portsIn(await plumbline(['demo'], { environment: { ...environment, PORT: port } }));
    expect(Number(started)).toBeGreaterThan(Number(port));
    expect(shown).toBe(started);
  } finally {
    server.kill('SIGTERM');
    await server.finished;
    await other.drop();
  }
});

it.each(['the port of the settings', 'another port'])('names a server that runs at %s', async (which) => {
  const server = await startServer({ environment: { ...environment, LOG_LEVEL: 'warn' } });
  try {
    const { port } = new URL(server.url);
    const settings = which === 'another port' ? environment : { ...environment, PORT: port };
    const again = await plumbline(['demo'], { environment: settings });
    expect(again.stdout).toContain(`  ${server.url}/console/overview`);
    expect(again.stdout).not.toContain('npx plumbline serve');
  } finally {
    server.kill('SIGTERM');
    await server.finished;
  }
});

it('prints commands that log in and show the values of the chart', async () => {
  const person = makeHome();
  const server = await startServer({ environment: { ...environment, LOG_LEVEL: 'warn' } });
  try {
    const { stdout } = await plumbline(['demo'], { environment });
    const [login, query, ...others] = [...stdout.matchAll(/^ {2}npx plumbline (.*)$/gm)].map(([, args = '']) =>
      args.split(' '),
    );
    if (login === undefined || query === undefined) throw new Error(stdout);
    expect(others).toEqual([]);
    expect(await person.run(login, `${passwordIn(first)}\n`)).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining(`Logged in to ${server.url} as demo@example.com`),
    });
    const shown = await person.run(query);
    expect(shown).toMatchObject({ exitCode: 0, stderr: '' });
    const themes = [...shown.stdout.matchAll(/^THEME +COUNT +(\w+) +([\d.]+) +[\d-]+ +[\d-]+$/gm)];
    expect(themes).toHaveLength(5);
    // The chart has one decimal place, the table two.
    for (const [, theme = '', value] of themes) {
      const [, units = ''] = new RegExp(`${theme} +([\\d.,]+) `).exec(chartIn(first)) ?? [];
      expect(Math.abs(Number(units.replaceAll(',', '')) - Number(value)), theme).toBeLessThanOrEqual(0.056);
    }
  } finally {
    server.kill('SIGTERM');
    await server.finished;
    await person.remove();
  }
});

it('describes existing data in a second run, without the password', async () => {
  const again = await plumbline(['demo'], { environment });
  expect(again.exitCode).toBe(0);
  expect(again.stdout).toContain('The demo already existed');
  expect(passwordIn(again)).toContain('--reset-password');
  expect(chartIn(again)).toBe(chartIn(first));
});

it('sets a new password when asked to', async () => {
  const reset = await plumbline(['demo', '--reset-password'], { environment });
  expect(passwordIn(reset)).toMatch(/^[\w-]{20}$/);
  expect(passwordIn(reset)).not.toBe(passwordIn(first));
});

it('creates another demo for another address', async () => {
  const other = await plumbline(['demo', '--email', 'Other@Example.com'], { environment });
  expect(other.stdout).toContain('other@example.com');
  expect(chartIn(other)).toBe(chartIn(first));
});

it('rejects an invalid e-mail address', async () => {
  const refused = await plumbline(['demo', '--email', 'nobody'], { environment });
  expect(refused.exitCode).toBe(1);
  expect(refused.stderr).toMatch(/^plumbline: --email nobody is not an e-mail address[^\n]*\n$/);
});

it('does not change the account of another user', async () => {
  const { default: postgres } = await import('postgres');
  const sql = postgres(database.uri, { max: 1 });
  await sql`insert into users (email, password_hash) values ('robin@example.com', 'unchanged')`;
  const refused = await plumbline(['demo', '--email', 'robin@example.com', '--reset-password'], { environment });
  expect(refused.exitCode).toBe(1);
  expect(refused.stderr).toContain('robin@example.com belongs to an account that is not the demo account');
  const rows = await sql`select password_hash from users where email = 'robin@example.com'`;
  await sql.end();
  expect([...rows]).toEqual([{ password_hash: 'unchanged' }]);
});
