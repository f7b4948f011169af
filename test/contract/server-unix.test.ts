import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { link, lstat, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { request, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { listen, type RunningServer } from '../../src/contract/server.js';

let folder: string;
let path: string;
const running: RunningServer[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plumbline-socket-'));
  path = join(folder, 'api.sock');
});
afterEach(async () => {
  for (const server of running.splice(0)) await server.stop(0);
  await rm(folder, { recursive: true, force: true });
});

async function start(at: string, says = 'hello'): Promise<RunningServer> {
  const server = await listen((_, response) => void response.end(says), { path: at });
  running.push(server);
  return server;
}

async function get(at: string): Promise<string> {
  const sent = request({ socketPath: at, path: '/', agent: false }).end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return text(response);
}

/** What a server leaves behind that is killed. */
async function leaveStaleSocket(at: string): Promise<void> {
  const script = `require('node:net').createServer().listen(process.argv[1], () => console.log('up'))`;
  const child = spawn(process.execPath, ['-e', script, at], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect((await lstat(at)).isSocket()).toBe(true);
}

test('A server on a Unix socket answers, and only its owner may connect', async () => {
  const server = await start(path);
  expect(server.url).toBe(`unix://${path}`);
  expect(await get(path)).toBe('hello');
  expect((await lstat(path)).mode & 0o777).toBe(0o600);
});

test('No other file exists beside the socket, neither during nor after the run', async () => {
  const server = await start(path);
  expect(await readdir(folder)).toEqual(['api.sock']);
  await server.stop(0);
  expect(await readdir(folder)).toEqual([]);
});

test('The socket of a server that was killed is replaced', async () => {
  await leaveStaleSocket(path);
  await start(path);
  expect(await get(path)).toBe('hello');
});

test('A socket in use by a running server is refused and not replaced', async () => {
  await start(path, 'first');
  await expect(start(path, 'second')).rejects.toMatchObject({
    name: 'SocketPathError',
    code: 'EADDRINUSE',
    message: expect.stringContaining(path),
  });
  expect(await get(path)).toBe('first');
  expect(await readdir(folder)).toEqual(['api.sock']);
});

test('Of many servers that start at once on a dead socket, exactly one gets it', async () => {
  await leaveStaleSocket(path);
  const outcomes = await Promise.allSettled(Array.from({ length: 8 }, (_, index) => start(path, `server ${index}`)));
  const winners = outcomes.flatMap(({ status }, index) => (status === 'fulfilled' ? [`server ${index}`] : []));
  expect(winners).toHaveLength(1);
  expect(await get(path)).toBe(winners[0]);
});

test.each([
  ['a file', (at: string) => writeFile(at, 'precious')],
  ['a folder', (at: string) => mkdir(at)],
])('A file that is not a socket is not replaced: %s', async (_, make) => {
  await make(path);
  const before = await lstat(path);
  await expect(start(path)).rejects.toMatchObject({ name: 'SocketPathError', code: 'EEXIST' });
  expect(await lstat(path)).toMatchObject({ ino: before.ino, mode: before.mode, size: before.size });
});

test('A server that stops does not remove the socket of another one', async () => {
  const first = await start(path, 'first');
  await rm(path); // somebody tidied up
  await start(path, 'second');
  await first.stop(0);
  expect(await get(path)).toBe('second');
});

test('A path that is too long for a socket fails with a readable message', async () => {
  const long = join(folder, 'x'.repeat(110));
  await expect(start(long)).rejects.toMatchObject({
    code: 'ENAMETOOLONG',
    message: expect.stringContaining('shorter'),
  });
});

test('A missing folder is the error of the system', async () => {
  await expect(start(join(folder, 'none', 'api.sock'))).rejects.toMatchObject({ code: 'ENOENT' });
});

test('Stopping removes the socket first, and lets running requests finish', async () => {
  let finish = (): void => undefined;
  const arrived = new Promise<void>((arrive) => {
    void listen(
      (_, response) => {
        finish = () => response.end('done');
        arrive();
      },
      { path },
    ).then((server) => running.push(server));
  });
  while (running.length === 0) await new Promise(setImmediate);
  const reply = get(path);
  await arrived;
  const stopped = running[0]?.stop(60_000);
  await expect.poll(() => lstat(path).catch(() => 'gone')).toBe('gone');
  finish();
  expect(await reply).toBe('done');
  await stopped;
});

test('A second link to the socket does not prevent a start', async () => {
  await start(path);
  await link(path, join(folder, 'other.sock'));
  await expect(start(join(folder, 'other.sock'))).rejects.toMatchObject({ code: 'EADDRINUSE' });
});
