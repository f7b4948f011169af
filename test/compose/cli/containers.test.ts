/** Commands on the containers of a project, on the mock. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { commandLine, type CommandLine, type Running } from './command-line.js';
import { remoteLine } from './remote-line.js';
import { SHOP } from './shop.js';

const TALL = `
services:
  web: { image: team/web, volumes: ["data:/data"] }
  job: { image: "registry.example:5000/job:2", volumes: ["other:/other"] }
  api: { build: ., image: api }
volumes: { data: {}, other: {} }
`;

describe('images', () => {
  it('lists the image of each container, with the keys of docker compose', async () => {
    const { run } = await commandLine(TALL);
    await run('up', '-d', 'web', 'job');
    const rows: Record<string, unknown>[] = JSON.parse((await run('images', '--format', 'json')).stdout);
    expect(rows.map(({ ContainerName, Repository, Tag }) => [ContainerName, Repository, Tag])).toEqual([
      ['folder-job', 'registry.example:5000/job', '2'],
      ['folder-web', 'team/web', 'latest'],
    ]);
    expect((await run('images')).stdout).toMatch(/^CONTAINER +REPOSITORY +TAG +PLATFORM +IMAGE ID +SIZE +CREATED\n/);
    expect((await run('images', '-q', 'web')).stdout).toMatch(/^[0-9a-f]{64}\n$/);
    expect((await run('images', 'none')).code).toBe(1);
  });
});

describe('volumes', () => {
  it('lists the named volumes of the project, or of the named services', async () => {
    const { run } = await commandLine(TALL);
    await run('up', '-d', 'web', 'job');
    expect((await run('volumes')).stdout).toBe('DRIVER   VOLUME NAME\nlocal    folder_data\nlocal    folder_other\n');
    expect((await run('volumes', '-q', 'web')).stdout).toBe('folder_data\n');
    expect((await run('volumes', '--format', '{{.Name}} {{.Label "com.docker.compose.volume"}}')).stdout).toBe(
      'folder_data data\nfolder_other other\n',
    );
  });
});

describe('stats', () => {
  it('prints the share of a processor between two samples', async () => {
    const line = await commandLine(SHOP);
    const { run, control } = line;
    await run('up', '-d');
    control.setStats('folder-web', { memoryUsageBytes: 512 * 1024, memoryLimitBytes: 1024 * 1024, processes: 4 });
    const { stdout } = await run('stats', '--no-stream', '--format', 'json', 'web');
    expect(JSON.parse(stdout)).toEqual({
      BlockIO: '0B / 0B',
      CPUPerc: '0.00%',
      Container: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
      ID: expect.stringMatching(/^[0-9a-f]{12}$/) as string,
      MemPerc: '50.00%',
      MemUsage: '512KiB / 1MiB',
      Name: 'folder-web',
      NetIO: '0B / 0B',
      PIDs: '4',
    });
    await run('stop', 'db');
    expect((await run('stats', '--no-stream', '--format', '{{.Name}}')).stdout).toBe('folder-web\n');
    expect((await run('stats', '-a', '--no-stream', '--format', '{{.Name}} {{.CPUPerc}}')).stdout).toBe(
      'folder-db --\nfolder-web 0.00%\n',
    );
  });

  it('follows until Ctrl-C', async () => {
    const { run, begin } = await commandLine(SHOP);
    await run('up', '-d');
    const running = begin('stats', '--format', '{{.Name}}', 'web');
    await running.printed('folder-web\nfolder-web\n');
    running.interrupt();
    expect((await running.ran).code).toBe(0);
  });
});

describe('pause and unpause', () => {
  it('suspend running containers, and resume paused ones', async () => {
    const { run, backend } = await commandLine(SHOP);
    await run('up', '-d');
    const paused = async (): Promise<string[]> =>
      (await backend.containers.list()).filter(({ condition }) => condition === 'paused').map(({ name }) => name);
    expect((await run('pause', 'web')).stderr).toContain('folder-web Paused');
    expect(await paused()).toEqual(['folder-web']);
    expect(await run('pause')).toMatchObject({ code: 0 });
    expect(await paused()).toEqual(['folder-db', 'folder-web']);
    expect((await run('unpause')).stderr).toContain('folder-db Unpaused');
    expect(await paused()).toEqual([]);
  });
});

describe('cp', () => {
  it('copies a file and a directory into all containers of a service, and back', async () => {
    const { run, folder } = await commandLine(SHOP);
    await mkdir(path.join(folder, 'site/css'), { recursive: true });
    await writeFile(path.join(folder, 'site/css/a.css'), 'a {}');
    await run('up', '-d', '--scale', 'db=2');
    expect(await run('cp', 'site', 'db:/tmp')).toMatchObject({ code: 0 });
    expect(await run('cp', '--index', '2', 'db:/tmp/site', 'back')).toMatchObject({ code: 0 });
    expect(await readFile(path.join(folder, 'back/css/a.css'), 'utf8')).toBe('a {}');
    expect(await run('cp', 'db:/tmp/site/css/a.css', 'b.css')).toMatchObject({ code: 0 });
    expect(await readFile(path.join(folder, 'b.css'), 'utf8')).toBe('a {}');
    expect((await run('cp', 'db:/tmp/site', '-')).stdout).toContain('site/css/a.css');
  });

  it.each([
    [['a', 'b'], 2, 'Either the source or the target'],
    [['db:/a', 'web:/b'], 2, 'cannot copy between services'],
    [['none', 'db:/tmp'], 2, "There is no file '"],
    [['db:/none', '.'], 1, "'/none' was not found"],
    [['none:/a', '.'], 1, "No service 'none'"],
  ])('refuses %j with exit code %i', async (words, code, text) => {
    const { run } = await commandLine(SHOP);
    await run('up', '-d');
    const ran = await run('cp', ...words);
    expect([ran.code, ran.stderr]).toEqual([code, expect.stringContaining(text)]);
  });
});

describe('push', () => {
  it('pushes the images of services that are built and named', async () => {
    const { run, control } = await commandLine(TALL);
    control.addImage('api');
    const pushed = await run('push');
    expect(pushed).toMatchObject({ code: 0, stderr: expect.stringContaining('Image api Pushed') as string });
    expect(pushed.stderr).not.toContain('team/web');
    expect(await run('push', '--quiet')).toMatchObject({ code: 0, stderr: '' });
  });

  it('names an image that was not built, and continues with --ignore-push-failures', async () => {
    const { run } = await commandLine(TALL);
    expect(await run('push')).toMatchObject({ code: 1 });
    expect(await run('push', '--ignore-push-failures')).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('warning: ') as string,
    });
  });
});

describe('attach', () => {
  it('shows what the container prints, and returns its exit code', async () => {
    const { run, begin, control } = await commandLine(SHOP);
    await run('up', '-d');
    const running = begin('attach', '--no-stdin', 'web');
    await attached(running, control);
    control.exit('folder-web', 3);
    expect(await running.ran).toMatchObject({ code: 3, stdout: expect.stringContaining('ready\n') as string });
  });

  it('passes Ctrl-C on to the process, unless --sig-proxy=false', async () => {
    const { run, begin, control } = await commandLine(SHOP);
    await run('up', '-d');
    const left = begin('attach', '--sig-proxy=false', 'web');
    await attached(left, control);
    left.interrupt();
    expect((await left.ran).code).toBe(130);
    const passed = begin('attach', 'web');
    await attached(passed, control);
    passed.interrupt();
    expect((await passed.ran).code).toBe(130);
    expect((await run('ps', '-a', 'web')).stdout).toContain('Exited (130)');
  });
});

describe('export and commit', () => {
  it('write an archive, and make an image', async () => {
    const { run, folder } = await commandLine({ 'compose.yaml': SHOP, 'a.txt': 'hello' });
    await run('up', '-d');
    await run('cp', 'a.txt', 'web:/tmp/a.txt');
    expect(await run('export', '-o', 'web.tar', 'web')).toMatchObject({ code: 0 });
    expect(await readFile(path.join(folder, 'web.tar'), 'utf8')).toContain('hello');
    expect((await run('export', 'web')).stdout).toContain('tmp/a.txt');
    expect(await run('export', '-o', 'none/web.tar', 'web')).toMatchObject({ code: 2 });
    const made = await run('commit', '--pause=false', '-m', 'a snapshot', 'web', 'web:snapshot');
    expect(made).toMatchObject({ code: 0, stdout: expect.stringMatching(/^sha256:[0-9a-f]{64}\n$/) as string });
  });

  it('export refuses to write to a terminal without --output', async () => {
    const { run } = await commandLine(SHOP, { isTerminal: true });
    await run('up', '-d');
    expect(await run('export', 'web')).toMatchObject({ code: 2 });
  });
});

describe('flags with values', () => {
  it.each([
    [['ps', '--all=true', '-q'], 0],
    [['ps', '--orphans=false'], 0],
    [['ps', '--orphans'], 0],
    [['ps', '--nothing=false'], 2],
    [['exec', '-T=true', 'web', 'true'], 0],
  ])('%j exits with %i', async (words, code) => {
    const { run } = await commandLine(SHOP);
    await run('up', '-d');
    expect((await run(...words)).code).toBe(code);
  });

  it('after the service of exec are passed to the program', async () => {
    const seen: string[][] = [];
    const { run } = await commandLine(SHOP, {
      programs: ({ kind, command }) => {
        if (kind === 'exec') seen.push([...command]);
        return undefined;
      },
    });
    await run('up', '-d');
    await run('exec', 'web', 'tool', '--wait=false');
    expect(seen).toEqual([['tool', '--wait=false']]);
  });
});

it.each(['push', 'attach', 'export', 'commit'])('%s is refused with --remote, by name', async (command) => {
  const { run } = await remoteLine(SHOP);
  expect(await run(command, 'web')).toMatchObject({
    code: 1,
    stderr: `The remote backend does not support '${command}'.\n`,
  });
});

/** Once the output of the container comes out. */
async function attached(running: Running, control: CommandLine['control']): Promise<void> {
  const seen = running.printed('ready').then(() => true);
  do control.log('folder-web', 'stdout', 'ready');
  while (!(await Promise.race([seen, soon()])));
}

function soon(): Promise<boolean> {
  return new Promise((resolve) =>
    setImmediate(() => {
      resolve(false);
    }),
  );
}
