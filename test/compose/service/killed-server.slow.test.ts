/** `compose serve` that is killed while it takes in projects: the next one continues with the projects on disk. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { request, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { builtCommand } from '../../cli/built-command.js';

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}

/** Starts a server whose projects outlive it. */
async function serve(home: string): Promise<ChildProcess> {
  const args = ['compose', 'serve', '--listen', `unix://${home}/a.sock`, '--projects', `${home}/projects`];
  const child = spawn(process.execPath, [await builtCommand(), ...args], {
    env: { HOME: home, PLUMBLINE_HOME: home, COMPOSE_BACKEND: 'mock' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => kill(child));
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  expect(line).toContain('Listening on');
  return child;
}

interface Reply {
  readonly status: number;
  readonly body: unknown;
}

/** @returns null when the server was killed before it replied */
async function call(home: string, method: string, address: string, file?: string): Promise<Reply | null> {
  const headers = file === undefined ? {} : { 'Content-Type': 'application/yaml' };
  const sent = request({ socketPath: `${home}/a.sock`, host: 'localhost', method, path: address, headers }).end(file);
  try {
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    const body: unknown = JSON.parse((await text(response)) || 'null');
    return { status: response.statusCode ?? 0, body };
  } catch {
    return null;
  }
}

test('A server killed while projects are sent keeps complete projects only, and clients continue', async () => {
  const home = await mkdtemp(path.join(tmpdir(), 'plumbline-killed-'));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  const names = Array.from({ length: 16 }, (_, index) => `p${index}`);
  const fileOf = (name: string): string => `services: { ${name}: { image: app } }\n`;
  const send = (name: string): Promise<Reply | null> => call(home, 'POST', `/projects/${name}`, fileOf(name));

  let server = await serve(home);
  for (const replies of [1, 4]) {
    const replied: string[] = [];
    await Promise.all(
      names.map(async (name) => {
        if ((await send(name)) === null) return;
        if (replied.push(name) === replies) await kill(server);
      }),
    );
    server = await serve(home); // it would end if a file were damaged
    const kept = (await readdir(`${home}/projects`)).flatMap((name) => /^(.*)\.json$/.exec(name)?.[1] ?? []);
    expect(kept).toEqual(expect.arrayContaining(replied));
    for (const name of kept) {
      const project = await call(home, 'GET', `/projects/${name}`);
      expect(project).toMatchObject({ status: 200, body: { source: 'ingested', services: [name] } });
    }
  }
  for (const name of names) {
    expect([200, 201]).toContain((await send(name))?.status);
    expect(await call(home, 'POST', `/projects/${name}/up`)).toMatchObject({ status: 200 });
    expect(await call(home, 'DELETE', `/projects/${name}`)).toMatchObject({ status: 204 });
  }
}, 300_000);
