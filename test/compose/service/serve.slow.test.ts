import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { request, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

let home: string;
const started: ChildProcess[] = [];
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'plumbline-serve-'));
});
afterEach(async () => {
  for (const child of started.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  await rm(home, { recursive: true, force: true });
});

interface Served {
  readonly child: ChildProcess;
  /** The first line that it prints, or null when it ends without one. */
  readonly firstLine: string | null;
  readonly ended: Promise<{ code: number | null; stdout: string; stderr: string }>;
}

/** Starts the real command line on the mock backend. */
const serve = (...options: readonly string[]): Promise<Served> => compose('serve', ...options);

async function compose(...options: readonly string[]): Promise<Served> {
  const environment = { ...process.env, PLUMBLINE_HOME: home, COMPOSE_BACKEND: 'mock' };
  const command = ['--conditions=@plumbline/source', '--import', 'tsx', 'src/cli/main.ts', 'compose', ...options];
  const child = spawn(process.execPath, command, { env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
  started.push(child);
  const [stdout, stderr] = [text(child.stdout), text(child.stderr)];
  const ended = once(child, 'exit').then(async ([code]: unknown[]) => ({
    code: code as number | null,
    stdout: await stdout,
    stderr: await stderr,
  }));
  const firstLine = await new Promise<string | null>((resolve) => {
    createInterface(child.stdout)
      .once('line', resolve)
      .once('close', () => {
        resolve(null);
      });
  });
  return { child, firstLine, ended };
}

async function get(socketPath: string, path: string): Promise<IncomingMessage> {
  const sent = request({ socketPath, path, host: 'localhost' }).end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return response;
}

describe('compose serve', () => {
  test('listens on a socket for its owner only, ends streams at SIGTERM, and removes the socket', async () => {
    const { child, firstLine, ended } = await serve();
    const socket = join(home, 'compose', 'compose.sock');
    expect(firstLine).toBe(`Listening on unix://${socket} (mock backend)`);
    expect((await stat(socket)).mode & 0o777).toBe(0o600);
    expect(JSON.parse(await text(await get(socket, '/_ping')))).toMatchObject({ ok: true });
    const events = await get(socket, '/events');
    child.kill('SIGTERM');
    expect(await text(events)).toBe('');
    expect((await ended).code).toBe(0);
    expect(existsSync(socket)).toBe(false);
  });

  test('replaces the socket of a dead server, but not that of a running one', async () => {
    const address = `unix://${join(home, 'a.sock')}`;
    const first = await serve('--listen', address);
    first.child.kill('SIGKILL');
    await first.ended;
    const second = await serve('--listen', address);
    expect(second.firstLine).toContain(address);
    const third = await serve('--listen', address);
    expect(await third.ended).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('A server already listens on'),
    });
    second.child.kill('SIGINT');
    expect((await second.ended).code).toBe(0);
  });

  test.each([
    ['http://127.0.0.1:1', "'http://127.0.0.1:1' has a scheme other than unix, tcp and tls."],
    ['tcp://127.0.0.1', 'lacks its host or port'],
    ['nowhere', 'is not an address'],
    ['tcp://0.0.0.0:0', '--insecure'],
    ['tcp://0.0.0.0:0 --ui --insecure', '--ui needs a tcp:// address of this machine'],
    ['unix:///tmp/x.sock --ui', '--ui needs a tcp:// address of this machine'],
  ])('an invalid address is wrong usage: %s', async (address, says) => {
    const { ended } = await serve('--listen', ...address.split(' '));
    expect(await ended).toMatchObject({ code: 2, stderr: expect.stringContaining(says) });
  });

  test('with --ui serves the page at its address, and issues links over the socket', async () => {
    const { child, firstLine, ended } = await serve('--ui');
    const [, port = ''] = /^Listening on tcp:\/\/127\.0\.0\.1:(\d+) \(mock backend\)$/.exec(firstLine ?? '') ?? [];
    const socket = join(home, 'compose', 'compose.sock');
    expect((await fetch(`http://127.0.0.1:${port}/info`)).status).toBe(401);
    expect((await get(socket, '/info')).statusCode).toBe(200);
    const { code, stdout } = await (await compose('ui')).ended;
    const link = new RegExp(`^http://127\\.0\\.0\\.1:${port}/ui/#link=[\\w-]{43}$`, 'm');
    expect([code, stdout]).toEqual([0, expect.stringMatching(link)]);
    child.kill('SIGTERM');
    const told = (await ended).stdout;
    expect(told).toContain(`Commands go to unix://${socket}`);
    expect(link.exec(told.replace('Page: ', ''))).not.toBeNull();
  });

  test('compose ui says how to start a server if none serves the page', async () => {
    const none = await (await compose('ui')).ended;
    expect(none).toMatchObject({ code: 1, stderr: expect.stringContaining('plumbline compose serve --ui') });
    await serve();
    const without = await (await compose('ui')).ended;
    expect(without).toMatchObject({ code: 1, stderr: expect.stringContaining('This server has no page.') });
  });

  test('the limits can be set by options', async () => {
    const address = `unix://${join(home, 'limits.sock')}`;
    const limits = { projects: 1, services: 2, 'project-containers': 3, containers: 4 };
    const options = Object.entries(limits).flatMap(([name, value]) => [`--max-${name}`, String(value)]);
    const { child, ended } = await serve('--listen', address, ...options, '--load-timeout', '60');
    const send = async (name: string, services: readonly string[]): Promise<unknown> => {
      const sent = request({
        ...{ socketPath: join(home, 'limits.sock'), path: `/projects/${name}`, host: 'localhost' },
        ...{ method: 'POST', headers: { 'Content-Type': 'application/yaml' } },
      }).end(`services: { ${services.map((each) => `${each}: { image: app, scale: 2 }`).join(', ')} }`);
      const [response] = (await once(sent, 'response')) as [IncomingMessage];
      return JSON.parse(await text(response));
    };
    expect(await send('a', ['x', 'y', 'z'])).toMatchObject({ case: 'limitExceeded', limit: 'services', maximum: 2 });
    expect(await send('a', ['x', 'y'])).toMatchObject({ limit: 'containers per project', maximum: 3 });
    expect(await send('a', ['x'])).toMatchObject({ outcome: 'created' });
    expect(await send('b', ['x'])).toMatchObject({ limit: 'projects', maximum: 1 });
    child.kill('SIGTERM');
    expect((await ended).code).toBe(0);
  });

  test('a limit of zero is wrong usage', async () => {
    const { ended } = await serve('--max-projects', '0');
    expect(await ended).toMatchObject({ code: 2, stderr: expect.stringContaining('It must be a number from 1') });
  });

  test('an unknown allowance is wrong usage', async () => {
    const { ended } = await serve('--allow', 'build,everything');
    expect(await ended).toMatchObject({ code: 2, stderr: expect.stringContaining("'everything' is not one of") });
  });
});
