/**
 * Runs the blocks of README.md as a stranger would paste them, in this checkout, with an empty home. What differs is
 * the port, the path of the socket, and `npm ci`, which has run already.
 */
import { transform } from 'esbuild';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { builtCommand } from './cli/built-command.js';

// npx reads all of node_modules before each command starts.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

const page = await readFile('README.md', 'utf8');
const blocks = [...page.matchAll(/^```(sh|ts)\n([^]*?)^```/gm)].map(([, language = '', text = '']) => ({
  language,
  text,
}));
const password = 'seven quiet rivers 7';

let home: string;
let server: Running;
let url: string;
let demoPassword: string;

beforeAll(async () => {
  await builtCommand();
  home = await mkdtemp(join(tmpdir(), 'plumbline-readme-'));
  server = run(block('npm start').replace('npm ci && ', ''), { PORT: '0' });
  url = await vi.waitUntil(() => /running at (http:\/\/[^\s/]+)/.exec(server.printed())?.[1], { timeout: 60_000 });
});
afterAll(async () => {
  await server.stop();
  await rm(home, { recursive: true, force: true });
});

test('every block is run by a test below', () => {
  expect(blocks.map(({ text }) => text.split('\n')[0])).toEqual([
    'npm ci && npm start',
    'npx plumbline demo',
    'npx plumbline sync git --provider local --repo-path . --db embedded: --org mine',
    expect.stringMatching(/^npx plumbline login /),
    "import { createPlatformClient, getOnboardingState, login } from '@plumbline/sdk/platform';",
    'npx plumbline compose --help',
  ]);
});

test('the console is at the address that the README names', async () => {
  const reply = await fetch(`${url}/`, { headers: { accept: 'text/html' } });
  expect([reply.status, new URL(reply.url).pathname]).toEqual([200, expect.stringMatching(/^\/console\//)]);
});

test('the demo draws a chart and prints how to log in', async () => {
  const { code, text } = await finished(block('plumbline demo'));
  expect([code, text]).toEqual([0, expect.stringContaining('feature_delivery')]);
  demoPassword = /^ {2}password +(\S.*)$/m.exec(text)?.[1] ?? '';
});

test('the clone becomes work units in the embedded database, which a query draws', async () => {
  const { code, text } = await finished(block('plumbline sync git'));
  expect([code, text]).toEqual([0, expect.stringMatching(/commits[^]*^THEME \w+ COUNT .* largest \d/m)]);
});

test('the commands of the API log in, follow a run to its end, and query', async () => {
  const [login = '', list = '', start = '', query = ''] = block('plumbline login').split('\n');
  const configs = await finished(`${list} --json`);
  expect(configs.code).not.toBe(0); // without a login
  // Not on a terminal: the password comes from standard input.
  expect(await finished(`echo '${demoPassword}' | ${login}`)).toMatchObject({
    code: 0,
    text: expect.stringContaining('as demo@example.com'),
  });
  const listed = await finished(`${list} --json`);
  const { items } = JSON.parse(listed.text);
  expect(await finished(start.replace('<id>', items[0].id))).toMatchObject({
    code: 0,
    text: expect.stringContaining('complete'),
  });
  expect(await finished(query)).toMatchObject({ code: 0, text: expect.stringContaining('feature_delivery') });
});

test('the SDK example prints the next step of a new account', async () => {
  await createRobin();
  const { code } = await transform(localized(block("from '@plumbline/sdk/platform'")), { loader: 'ts' });
  const child = run(['node', '--input-type=module', '-e', code]);
  expect([await child.exitCode, child.printed()]).toEqual([0, 'integration\n']);
});

test('the compose tool prints its help and serves on a Unix socket', async () => {
  const socket = join(home, 'compose.sock');
  const [help = '', serve = ''] = block('compose serve').replace('/tmp/plumbline.sock', socket).split('\n');
  expect((await finished(help)).text).toContain('Usage: plumbline compose');
  const service = run(serve);
  await expect.poll(() => statusOf(socket), { timeout: 30_000 }).toBe(200);
  await service.stop();
});

/** The block that holds a text; fails when none or several do. */
function block(part: string): string {
  const found = blocks.filter(({ text }) => text.includes(part));
  expect(found).toHaveLength(1);
  return found[0]?.text ?? '';
}

function localized(text: string): string {
  return text.replaceAll('http://127.0.0.1:8080', url);
}

interface Running {
  printed(): string;
  readonly exitCode: Promise<number | null>;
  stop(): Promise<void>;
}

/** Starts a shell block, or a program with its arguments, in the checkout. */
function run(command: string | readonly string[], environment: Readonly<Record<string, string>> = {}): Running {
  const [program = '', ...args] = typeof command === 'string' ? ['sh', '-c', command] : command;
  const child = spawn(program, args, {
    env: { PATH: process.env['PATH'], HOME: home, PLUMBLINE_HOME: home, AUTH_BCRYPT_COST: '4', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true, // a process group: the shell, npm and the server end together
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (part: string) => (text += part));
  const exitCode = once(child, 'close').then(() => child.exitCode);
  return {
    printed: () => text,
    exitCode,
    stop: async () => {
      if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGTERM');
      await exitCode;
    },
  };
}

async function finished(text: string): Promise<{ readonly code: number | null; readonly text: string }> {
  const child = run(localized(text), { PLUMBLINE_SERVER: url });
  return { code: await child.exitCode, text: child.printed() };
}

/** The account that the SDK example logs in with: verified by its mail; registering has made its organization. */
async function createRobin(): Promise<void> {
  const email = 'robin@example.com';
  await post('/api/v1/auth/register', { email, password });
  const folder = join(home, 'mailbox');
  // A mail that is being written has another ending.
  const mails = async (): Promise<string[]> =>
    (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.eml'));
  await expect.poll(async () => (await mails()).length, { timeout: 30_000 }).toBe(1);
  const [name = ''] = await mails();
  const mail = (await readFile(join(folder, name), 'utf8')).replaceAll('=\r\n', '').replaceAll('=3D', '=');
  const token = /\/verify\?token=([\w-]+)/.exec(mail)?.[1] ?? '';
  expect((await fetch(`${url}/api/v1/auth/verify?token=${token}`)).status).toBe(200);
}

async function post(path: string, body: unknown): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const reply = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
  expect([path, reply.ok]).toEqual([path, true]);
}

/** The status of a ping over a Unix socket; 0 while nothing answers. */
function statusOf(socketPath: string): Promise<number> {
  return new Promise((resolve) => {
    request({ socketPath, path: '/_ping' }, (reply) => {
      reply.resume();
      resolve(reply.statusCode ?? 0);
    })
      .on('error', () => {
        resolve(0);
      })
      .end();
  });
}
