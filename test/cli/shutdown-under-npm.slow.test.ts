import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { builtCommand } from './built-command.js';

const checkout = fileURLToPath(new URL('../..', import.meta.url));

describe('SIGTERM to npm, which does not reach the server,', () => {
  const platform = /Plumbline is running at http:\/\/127\.0\.0\.1:(\d+)/;
  const compose = /Listening on tcp:\/\/127\.0\.0\.1:(\d+)/;
  const composeServe = 'npx plumbline compose --backend mock serve --listen tcp://127.0.0.1:0';
  test.each([
    ['npm start', platform],
    ['npx plumbline serve', platform],
    [composeServe, compose],
  ])('ends the server of `%s`, ends its PostgreSQL and frees the port', async (line, announced) => {
    const command = await builtCommand();
    const built = statSync(command).ino;
    const { npm, printed, home } = await startUnderNpm(line);
    await expect.poll(printed, { timeout: 45_000 }).toMatch(announced);
    const port = Number(announced.exec(printed())?.[1]);
    expect(await takesConnections(port)).toBe(true);
    expect(statSync(command).ino, 'npx does not build again').toBe(built);

    const closed = once(npm, 'close'); // when the server has closed its output, too
    npm.kill('SIGTERM');
    await closed;
    expect(printed()).toContain('"msg":"stopping"');
    expect(await takesConnections(port)).toBe(false);
    expect(existsSync(join(home, 'postgres', 'data'))).toBe(announced === platform);
    expect(existsSync(join(home, 'postgres', 'data', 'postmaster.pid'))).toBe(false);
  });
});

/** Runs a command line in the checkout, with a home and an npm cache that are empty. */
async function startUnderNpm(line: string) {
  const home = await mkdtemp(join(tmpdir(), 'plumbline-npm-'));
  const [program = '', ...args] = line.split(' ');
  const npm = spawn(program, args, {
    cwd: checkout,
    env: {
      PATH: process.env['PATH'],
      HOME: home,
      npm_config_cache: join(home, 'npm'),
      PLUMBLINE_HOME: home,
      PORT: '0',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true, // a process group, so that what is left over can be ended
  });
  let text = '';
  for (const stream of [npm.stdout, npm.stderr])
    stream.setEncoding('utf8').on('data', (part: string) => (text += part));
  onTestFinished(async () => {
    const { pid } = npm;
    try {
      if (pid !== undefined) process.kill(-pid, 'SIGKILL');
    } catch {
      // Nothing is left over.
    }
    await rm(home, { recursive: true, force: true });
  });
  return { npm, home, printed: () => text };
}

function takesConnections(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => {
      resolve(false);
    });
  });
}
