/** `ps`, `ls`, `version` and `events`: what scripts parse. */
import { describe, expect, it } from 'vitest';
import { commandLine } from './command-line.js';
import { SHOP } from './shop.js';

const ONE =
  'services: { web: { image: web, command: [sh, -c, "sleep 1000; echo a long command"] }, db: { image: db } }';

describe('ps', () => {
  it('has the fields of docker compose, with short ids and commands unless --no-trunc', async () => {
    const { run } = await commandLine(ONE);
    await run('up', '-d');
    const [id, ...rest] = (await run('ps', '--format', '{{.ID}}\\n{{.Command}}\\n{{.State}}', 'web')).stdout.split(
      '\n',
    );
    expect(id).toMatch(/^[0-9a-f]{12}$/);
    expect(rest).toEqual(['"sh -c \'sleep 1000; …"', 'running', '']);
    const whole = await run('ps', '--no-trunc', '--format', '{{.ID}} {{.Command}}', 'web');
    expect(whole.stdout).toMatch(/^[0-9a-f]{64} "sh -c 'sleep 1000; echo a long command'"\n$/);
  });

  it.each([
    [['--status', 'exited'], 'folder-web\n'],
    [['--filter', 'status=stopped'], 'folder-web\n'],
    [['--status', 'paused'], 'folder-db\n'],
    [['--status', 'running'], ''],
    [['--filter', 'status=exited', '--status', 'paused'], 'folder-db\nfolder-web\n'],
  ])('filters with %j', async (flags, names) => {
    const { run } = await commandLine(ONE);
    await run('up', '-d');
    await run('stop', 'web');
    await run('pause', 'db');
    expect((await run('ps', '--format', '{{.Name}}', ...flags)).stdout).toBe(names);
  });

  it.each([
    [['--status', 'none'], "'none' is not a status"],
    [['--filter', 'name=web'], "'name=web' is not a filter"],
    [['--format', '{{.None}}'], "there is no field '.None'"],
  ])('refuses %j', async (flags, text) => {
    const { run } = await commandLine(ONE);
    await run('up', '-d');
    expect(await run('ps', ...flags)).toMatchObject({ code: 2, stderr: expect.stringContaining(text) as string });
  });

  it('omits orphans with --orphans=false', async () => {
    const { run } = await commandLine({ 'compose.yaml': ONE, 'other.yaml': 'services: { db: { image: db } }' });
    await run('up', '-d');
    expect((await run('-f', 'other.yaml', 'ps', '--orphans=false', '--services')).stdout).toBe('db\n');
    expect((await run('-f', 'other.yaml', 'ps', '--orphans', '--services')).stdout).toBe('db\nweb\n');
  });

  it('shows for how long each container has been running', async () => {
    const { run, clock } = await commandLine(SHOP);
    await run('up', '-d');
    await run('pause', 'db');
    await clock.sleep(5 * 60_000);
    const { stdout } = await run('ps', '--format', '{{.Service}}: {{.Status}}');
    expect(stdout).toBe('db: Up 5 minutes (Paused)\nweb: Up 5 minutes\n');
  });

  it('shows a paused container as paused', async () => {
    const { run } = await commandLine(ONE);
    await run('up', '-d');
    await run('pause', 'web');
    expect((await run('ps', '--format', '{{.State}}: {{.Status}}', 'web')).stdout).toMatch(
      /^paused: Up .* \(Paused\)\n$/,
    );
  });
});

describe('ls', () => {
  it('counts the containers in each state, as docker compose does', async () => {
    const { run, folder } = await commandLine(SHOP);
    await run('up', '-d');
    await run('stop', 'web');
    const project = { Name: 'folder', ConfigFiles: `${folder}/compose.yaml` };
    expect(JSON.parse((await run('ls', '--format', 'json')).stdout)).toEqual([{ ...project, Status: 'running(1)' }]);
    expect(JSON.parse((await run('ls', '-a', '--format', 'json')).stdout)).toEqual([
      { ...project, Status: 'exited(1), running(1)' },
    ]);
  });

  it.each([
    [['--filter', 'name=fold'], 0, 'folder\n'],
    [['--filter', 'name=^f.*r$'], 0, 'folder\n'],
    [['--filter', 'name=other'], 0, ''],
    [['--filter', 'status=running'], 2, ''],
    [['--filter', 'name=('], 2, ''],
  ])('with %j exits with %i and prints %j', async (flags, code, stdout) => {
    const { run } = await commandLine(SHOP);
    await run('up', '-d');
    expect(await run('ls', '-q', ...flags)).toMatchObject({ code, stdout });
  });
});

it('version has the key of docker compose', async () => {
  const { run } = await commandLine(SHOP);
  expect(JSON.parse((await run('version', '-f', 'json')).stdout)).toMatchObject({ version: '1.2.3' });
  expect((await run('version', '--format', 'pretty')).stdout).toMatch(/^Plumbline Compose version 1\.2\.3\n/);
});

it('events have the keys and actions of docker compose', async () => {
  const { run, begin } = await commandLine(SHOP);
  await run('up', '-d');
  await run('kill', 'web');
  const running = begin('events', '--json', '--since', '2000-01-01', 'web');
  await running.printed('"action":"die"');
  running.interrupt();
  const events = (await running.ran).stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as object);
  expect(events[0]).toEqual({
    action: 'create',
    attributes: { name: 'folder-web' },
    id: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
    service: 'web',
    time: expect.stringMatching(/Z$/) as string,
    type: 'container',
  });
  expect(events.map((event) => Reflect.get(event, 'action') as string)).toEqual(['create', 'start', 'kill', 'die']);
});
