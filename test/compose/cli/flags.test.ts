/** Flags of docker compose that scripts use. */
import { describe, expect, it } from 'vitest';
import { commandLine } from './command-line.js';
import { remoteLine } from './remote-line.js';
import { SHOP, statuses } from './shop.js';

const BUILT = 'services: { api: { build: ., image: api } }';

describe('up and create', () => {
  it('--no-build does not build a missing image', async () => {
    const { run } = await commandLine({ 'compose.yaml': BUILT, Dockerfile: 'FROM base' });
    expect(await run('up', '-d', '--no-build')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('api') as string,
    });
    expect(await run('create', '--no-build')).toMatchObject({ code: 1 });
    expect(await run('create', '--build', '--yes')).toMatchObject({ code: 0 });
  });

  it('--quiet-pull and --quiet-build print no lines of pulls and builds', async () => {
    const { run } = await commandLine({ 'compose.yaml': SHOP });
    expect((await run('pull')).stderr).toContain('Pulling docker.io/library/db');
    const quiet = await commandLine({ 'compose.yaml': SHOP });
    const { stderr } = await quiet.run('up', '-d', '--quiet-pull', '-y');
    expect(stderr).not.toContain('Pulling docker.io/library/db');
    expect(stderr).toContain('Image db Pulled');
    const built = await commandLine({ 'compose.yaml': BUILT, Dockerfile: 'FROM base' });
    expect((await built.run('up', '-d', '--build', '--quiet-build')).stderr).not.toContain('The mock builds nothing');
    expect((await built.run('up', '-d', '--build')).stderr).toContain('The mock builds nothing');
  });

  it('--attach-dependencies also shows the output of dependencies', async () => {
    const { begin, control, run } = await commandLine(SHOP);
    const running = begin('up', '--attach-dependencies', 'web');
    while ((await statuses(run))['folder-web'] !== 'running') await new Promise((resolve) => setImmediate(resolve));
    control.log('folder-db', 'stdout', 'a line of db');
    await running.printed('a line of db');
    running.interrupt();
    await running.ran;
  });
});

it('pull --quiet prints nothing', async () => {
  const { run } = await commandLine(SHOP);
  expect(await run('pull', '--quiet')).toMatchObject({ code: 0, stdout: '', stderr: '' });
});

it('run adds capabilities, reads variables from a file, and removes orphans', async () => {
  const seen: Record<string, string>[] = [];
  const { run, backend } = await commandLine(
    { 'compose.yaml': SHOP, 'a.env': 'A=1\nB="two words"\n', 'other.yaml': 'services: { db: { image: db } }' },
    {
      programs: ({ command }) =>
        command[0] === 'tool'
          ? ({ environment }) => {
              seen.push({ ...environment });
              return 0;
            }
          : undefined,
    },
  );
  await run('up', '-d');
  const flags = ['--quiet', '--cap-add', 'NET_ADMIN', '--cap-drop', 'CHOWN', '--env-from-file', 'a.env', '-e', 'A=3'];
  const ran = await run('-f', 'other.yaml', 'run', '-i', '--rm', '--remove-orphans', ...flags, 'db', 'tool');
  expect(ran).toMatchObject({ code: 0, stderr: '' });
  expect(seen).toEqual([{ A: '3', B: 'two words' }]);
  expect((await backend.containers.list()).map(({ name }) => name)).toEqual(['folder-db']);
  expect(await run('run', '--env-from-file', 'none.env', 'db', 'tool')).toMatchObject({ code: 2 });
});

it('start --wait waits for health, at most --wait-timeout', async () => {
  const { run } = await commandLine(
    'services: { web: { image: web, healthcheck: { test: [CMD, check], start_period: 1h } } }',
    { programs: ({ kind }) => (kind === 'healthcheck' ? () => 1 : undefined) },
  );
  await run('create');
  expect(await run('start', '--wait', '--wait-timeout', '2')).toMatchObject({ code: 1 });
});

it('kill --remove-orphans removes the containers of other services', async () => {
  const { run } = await commandLine({ 'compose.yaml': SHOP, 'other.yaml': 'services: { db: { image: db } }' });
  await run('up', '-d');
  expect(await run('-f', 'other.yaml', 'kill', '--remove-orphans')).toMatchObject({ code: 0 });
  expect(await statuses(run)).toEqual({ 'folder-db': 'exited' });
});

it('config prints the names of networks and models', async () => {
  const { run } = await commandLine(`
services: { web: { image: web, networks: [front], models: [small] } }
networks: { front: {}, unused: {} }
models: { small: { model: a/b } }`);
  expect((await run('config', '--networks')).stdout).toBe('front\n');
  expect((await run('config', '--models')).stdout).toBe('small\n');
});

it('--all-resources includes networks and volumes that no service uses', async () => {
  const { run, backend } = await commandLine(`
services: { web: { image: web } }
networks: { unused: {} }
volumes: { spare: {} }`);
  expect((await run('config', '--networks')).stdout).toBe('default\n');
  expect((await run('--all-resources', 'config', '--networks')).stdout).toBe('default\nunused\n');
  expect((await run('config', '--all-resources')).stdout).toContain('spare:');
  await run('up', '-d');
  expect(await backend.volumes.list()).toEqual([]);
  await run('--all-resources', 'up', '-d');
  expect((await backend.volumes.list()).map(({ name }) => name)).toEqual(['folder_spare']);
});

it.each([
  ['up', '--no-build'],
  ['up', '--attach-dependencies'],
  ['start', '--wait'],
  ['kill', '--remove-orphans'],
])('with --remote, %s %s is refused', async (command, flag) => {
  const { run } = await remoteLine(SHOP);
  expect(await run(command, flag)).toMatchObject({
    code: 1,
    stderr: `The remote backend does not support '${command} ${flag}'.\n`,
  });
});
