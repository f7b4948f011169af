/** docker compose's variables that are defaults of options, in the environment and in the files of the project. */
import { describe, expect, it } from 'vitest';
import { commandLine, type CommandLine } from './command-line.js';
import { remoteLine } from './remote-line.js';
import { SHOP, statuses } from './shop.js';

const FILES = { 'compose.yaml': SHOP, 'fewer.yaml': 'services: { db: { image: db } }' };

/** The project with a container whose service is not in `fewer.yaml`. */
async function withOrphan(files: Record<string, string>, environment: Record<string, string>): Promise<CommandLine> {
  const line = await commandLine({ ...FILES, ...files }, { environment });
  await line.run('up', '-d');
  return line;
}

describe.each([
  ['the environment', {}, true],
  ['.env', { '.env': 'COMPOSE_REMOVE_ORPHANS=true\n' }, false],
] as const)('COMPOSE_REMOVE_ORPHANS in %s', (_, files, isInEnvironment) => {
  const environment = isInEnvironment ? { COMPOSE_REMOVE_ORPHANS: '1' } : {};

  it.each([['up', '-d'], ['kill'], ['down']])('removes orphans with %s', async (...command) => {
    const { run, backend } = await withOrphan(files, environment);
    expect(await run('-f', 'fewer.yaml', ...command)).toMatchObject({ code: 0 });
    expect((await backend.containers.list()).map(({ name }) => name)).not.toContain('folder-web');
  });

  it('gives way to --remove-orphans=false', async () => {
    const { run } = await withOrphan(files, environment);
    const { stderr } = await run('-f', 'fewer.yaml', 'up', '-d', '--remove-orphans=false');
    expect(stderr).toContain('Orphan containers');
    expect(await statuses(run)).toHaveProperty('folder-web', 'running');
  });
});

it('COMPOSE_IGNORE_ORPHANS keeps up from warning of orphans, and excludes --remove-orphans', async () => {
  const { run } = await withOrphan({ '.env': 'COMPOSE_IGNORE_ORPHANS=1\n' }, {});
  expect((await run('-f', 'fewer.yaml', 'up', '-d')).stderr).not.toContain('Orphan');
  expect(await run('-f', 'fewer.yaml', 'up', '-d', '--remove-orphans')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('COMPOSE_IGNORE_ORPHANS and --remove-orphans cannot be combined.') as string,
  });
  expect(await statuses(run)).toHaveProperty('folder-web', 'running');
});

it('COMPOSE_REMOVE_ORPHANS reaches a server', async () => {
  const { run } = await remoteLine({ ...FILES, '.env': 'COMPOSE_REMOVE_ORPHANS=1\n' });
  await run('up', '-d');
  expect(await run('-f', 'fewer.yaml', 'up', '-d')).toMatchObject({ code: 0 });
  expect(await statuses(run)).toEqual({ 'folder-db': 'running' });
});

describe('COMPOSE_PROGRESS and COMPOSE_ANSI', () => {
  it('are the defaults of --progress and --ansi', async () => {
    const environment = { COMPOSE_PROGRESS: 'json', COMPOSE_ANSI: 'always' };
    const { run, control } = await commandLine(SHOP, { environment });
    const [first = ''] = (await run('up', '-d')).stderr.split('\n');
    expect(JSON.parse(first)).toHaveProperty('kind', 'status');
    expect((await run('--progress', 'plain', 'restart')).stderr).toMatch(/^Container folder-db Started$/m);
    control.log('folder-db', 'stdout', 'a line');
    expect((await run('logs', 'db')).stdout).toContain('\u001b');
    expect((await run('logs', '--ansi', 'never', 'db')).stdout).not.toContain('\u001b');
  });

  it('that are not among the choices are refused', async () => {
    const { run } = await commandLine(SHOP, { environment: { COMPOSE_ANSI: 'sometimes' } });
    expect(await run('ps')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('COMPOSE_ANSI must be one of: auto, always, never.') as string,
    });
    expect(await run('--ansi', 'never', 'ps')).toMatchObject({ code: 0 });
  });

  it('print nothing but plain text on a terminal with never', async () => {
    const { run } = await commandLine({ 'compose.yaml': SHOP, '.env': 'COMPOSE_ANSI=never\n' }, { isTerminal: true });
    const { stderr } = await run('up', '-d');
    expect(stderr).toContain('Container folder-db Started\n');
    expect(stderr).not.toContain('\u001b');
    expect((await run('--ansi', 'auto', 'restart')).stderr).toContain('\u001b');
  });
});

it('COMPOSE_STATUS_STDOUT prints the progress on standard output', async () => {
  const { run } = await commandLine(SHOP, { environment: { COMPOSE_STATUS_STDOUT: 'true' } });
  const { stdout, stderr } = await run('up', '-d');
  expect(stdout).toContain('Container folder-db Started');
  expect(stderr).toBe('');
});

it('COMPOSE_PARALLEL_LIMIT in .env is checked', async () => {
  const { run } = await commandLine({ 'compose.yaml': SHOP, '.env': 'COMPOSE_PARALLEL_LIMIT=none\n' });
  expect(await run('up', '-d')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('COMPOSE_PARALLEL_LIMIT must be a whole number.') as string,
  });
});

it('a malformed .env fails when the project is loaded, and not before', async () => {
  const { run } = await commandLine({ 'compose.yaml': SHOP, '.env': 'A="unterminated\n' });
  expect(await run('version')).toMatchObject({ code: 0 });
  expect(await run('up', '-d')).toMatchObject({ code: 1, stderr: expect.stringContaining('.env:1:') as string });
});
