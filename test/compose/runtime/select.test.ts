import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { marksDirectory, selectBackend, UnknownBackendError } from '../../../src/compose/runtime/select.js';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'plt-select-'));
});
afterEach(() => rm(directory, { recursive: true }));

const nowhere = { sockets: [] };

async function withPodman(): Promise<NodeJS.ProcessEnv> {
  await writeFile(join(directory, 'podman'), '#!/bin/sh\n');
  await chmod(join(directory, 'podman'), 0o755);
  return { PATH: `/nowhere::${directory}`, HOME: directory };
}

describe('the backend', () => {
  it('is the one of the option, then the one of COMPOSE_BACKEND', async () => {
    const environment = { COMPOSE_BACKEND: 'native', HOME: directory };
    expect((await selectBackend({ backend: 'mock', environment, ...nowhere })).conformer).toBe('mock');
    const named = { ...(await withPodman()), COMPOSE_BACKEND: 'native', DOCKER_HOST: 'unix:///nowhere' };
    expect((await selectBackend({ environment: named, ...nowhere })).conformer).toBe('native');
  });

  it('is the bridge if DOCKER_HOST names an engine', async () => {
    const environment = { ...(await withPodman()), DOCKER_HOST: 'tcp://127.0.0.1:1' };
    const backend = await selectBackend({ environment, ...nowhere });
    expect(backend.conformer).toBe('bridge');
    await expect(backend.system.ping()).rejects.toMatchObject({
      failure: { case: 'backendFailure', message: expect.stringContaining('ECONNREFUSED') as string },
    });
  });

  it('is the bridge if an engine listens, but not if only its socket file exists', async () => {
    const socket = join(directory, 'engine.sock');
    const environment = await withPodman();
    const server = createServer().listen(socket);
    await new Promise((resolve) => server.once('listening', resolve));
    expect((await selectBackend({ environment, sockets: ['/nowhere', socket] })).conformer).toBe('bridge');
    await new Promise((resolve) => server.close(resolve));
    await writeFile(socket, '');
    expect((await selectBackend({ environment, sockets: [socket] })).conformer).toBe('native');
  });

  it('that is unavailable is a backendFailure or commandFailed that says what to install', async () => {
    const environment = { PATH: directory, HOME: directory };
    const message = async (backend?: string): Promise<unknown> =>
      selectBackend({ environment, ...nowhere, ...(backend !== undefined && { backend }) }).catch(
        (error: unknown) => error,
      );
    expect(await message('bridge')).toMatchObject({ message: expect.stringContaining('docker.io') as string });
    expect(await message('native')).toMatchObject({
      name: 'TerminalError',
      message: expect.stringContaining('apt-get install podman') as string,
    });
    expect(await message()).toMatchObject({
      failure: { case: 'backendFailure', message: expect.stringMatching(/docker\.io.*podman/s) as string },
    });
  });

  it('with an unknown name is wrong usage', async () => {
    const choice = { environment: { COMPOSE_BACKEND: 'docker' }, ...nowhere };
    await expect(selectBackend(choice)).rejects.toThrow(UnknownBackendError);
    await expect(selectBackend(choice)).rejects.toThrow("'docker' is not a backend: use mock, bridge, native, swarm.");
  });
});

it('stop marks are stored below PLUMBLINE_HOME, else in the state directory of the user', () => {
  expect(marksDirectory({ PLUMBLINE_HOME: '/p', XDG_STATE_HOME: '/x' })).toBe('/p/compose/stops');
  expect(marksDirectory({ XDG_STATE_HOME: '/x', HOME: '/h' })).toBe('/x/plumbline/compose/stops');
  expect(marksDirectory({ XDG_STATE_HOME: 'relative', HOME: '/h' })).toBe('/h/.local/state/plumbline/compose/stops');
});
