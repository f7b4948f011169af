import { rm } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { commandLine, consoleOn } from './command-line.js';
import { SHOP, statuses } from './shop.js';

describe('start, stop, restart, kill, rm', () => {
  it('change the status of containers', async () => {
    const { run } = await commandLine(SHOP);
    await run('create');
    expect(await statuses(run)).toEqual({ 'folder-db': 'created', 'folder-web': 'created' });
    await run('start');
    expect(await statuses(run)).toEqual({ 'folder-db': 'running', 'folder-web': 'running' });
    await run('stop', 'web');
    expect(await statuses(run)).toEqual({ 'folder-db': 'running', 'folder-web': 'stopped' });
    await run('kill', '-s', 'TERM', 'db');
    await run('restart', 'web');
    expect(await statuses(run)).toEqual({ 'folder-db': 'exited', 'folder-web': 'running' });
    await run('rm', '-f');
    expect(await statuses(run)).toEqual({ 'folder-web': 'running' });
  });

  it('down exits with 1 if a network is still in use by another container', async () => {
    const { run, backend } = await commandLine(SHOP);
    await run('up', '-d');
    const image = (await backend.images.list())[0]?.tags[0] ?? '';
    await backend.containers.create({ name: 'guest', image, networks: [{ network: 'folder_default' }] });
    expect(await run('down')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("Network 'folder_default' was not removed") as string,
    });
    await backend.containers.remove('guest', { force: true });
    expect((await run('down')).code).toBe(0);
  });

  it('watch names a path that is missing, and starts nothing', async () => {
    const { run } = await commandLine(
      'services: { web: { image: web, develop: { watch: [{ path: ./none, action: restart }] } } }',
    );
    expect(await run('watch')).toMatchObject({
      code: 1,
      stderr: 'services.web.develop.watch[0].path must be a file or directory that exists.\n',
    });
    expect(await statuses(run)).toEqual({});
  });

  it('rm needs --force without a terminal, because it cannot ask', async () => {
    const { run } = await commandLine(SHOP);
    await run('create');
    expect((await run('rm')).code).toBe(2);
    expect(await statuses(run)).toHaveProperty('folder-db');
  });

  it('a missing service is named in the error', async () => {
    const { run } = await commandLine(SHOP);
    await run('up', '-d');
    expect(await run('stop', 'WEB')).toMatchObject({ code: 1, stderr: "No service 'WEB' in project 'folder'.\n" });
  });

  it('commands find a project by its name alone, without a compose file', async () => {
    const { run, folder } = await commandLine(SHOP);
    await run('up', '-d');
    await rm(path.join(folder, 'compose.yaml'));
    expect((await run('-p', 'folder', 'down')).code).toBe(0);
    expect((await run('ls', '-a', '-q')).stdout).toBe('');
    expect(await run('-p', 'folder', 'stop')).toMatchObject({
      code: 1,
      stderr: "No containers of a project 'folder' exist.\n",
    });
  });
});

describe('listings', () => {
  it('ps, port, top and ls print tables', async () => {
    const { run } = await commandLine(SHOP);
    await run('up', '-d');
    expect((await run('ps')).stdout).toMatch(
      /^NAME {9}IMAGE {3}COMMAND {3}SERVICE {3}CREATED +STATUS +PORTS\nfolder-db +db +"" +db +.* ago +Up .*\nfolder-web +web +"" +web +.* ago +Up .*0\.0\.0\.0:8080->80\/tcp\n$/,
    );
    expect((await run('port', 'web', '80')).stdout).toBe('0.0.0.0:8080\n');
    expect((await run('port', 'web', '81')).code).toBe(1);
    expect((await run('top', 'db')).stdout).toContain('folder-db\nUSER   PID');
    expect((await run('ls')).stdout).toMatch(/NAME +STATUS +CONFIG FILES\nfolder +running\(2\) +\//);
  });

  it('port prints one address of a port that an engine binds for each address family', async () => {
    const line = await commandLine(SHOP);
    const addresses = ['0.0.0.0', '::'];
    const { containers } = line.backend;
    const port: typeof containers.port = async (...args) =>
      (await containers.port(...args)).flatMap((binding) =>
        addresses.map((hostAddress) => ({ ...binding, hostAddress })),
      );
    const { run } = consoleOn({ ...line.backend, containers: { ...containers, port } }, line);
    await run('up', '-d');
    expect((await run('port', 'web', '80')).stdout).toBe('0.0.0.0:8080\n');
    expect((await run('port', 'web')).stdout).toBe('80/tcp -> 0.0.0.0:8080\n80/tcp -> [::]:8080\n');
  });
});
