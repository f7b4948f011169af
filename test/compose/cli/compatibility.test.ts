import { describe, expect, it } from 'vitest';
import { commandLine } from './command-line.js';
import { statuses } from './shop.js';

const FILE = `
services:
  db: { image: db }
  web: { build: ., depends_on: [db] }
  named: { image: x, container_name: fixed }
`;

describe('--compatibility', () => {
  it.each([
    ['the flag', {}, ['--compatibility']],
    ['the variable', { COMPOSE_COMPATIBILITY: 'true' }, []],
  ])('names containers and images as Compose 1 did, with %s', async (_what, environment, flags) => {
    const { run, backend, control } = await commandLine(FILE, { environment });
    expect((await run(...flags, 'config', '--images')).stdout).toBe('db\nx\nfolder_web\n');
    expect(await run(...flags, 'up', '-d', '--scale', 'db=2')).toMatchObject({ code: 0 });
    expect(Object.keys(await statuses(run)).sort()).toEqual(['fixed', 'folder_db_1', 'folder_db_2', 'folder_web_1']);
    expect(await run(...flags, 'run', '-d', 'db', 'x')).toMatchObject({
      stdout: expect.stringMatching(/^folder_db_run_[0-9a-f]{12}\n$/) as string,
    });
    control.log('folder_web_1', 'stdout', 'ready');
    expect((await run('logs', 'web')).stdout).toBe('web_1  | ready\n');
    expect(await run(...flags, 'down', '--rmi', 'local')).toMatchObject({ code: 0 });
    expect(await statuses(run)).toEqual({});
    await expect(backend.images.inspect('folder_web')).rejects.toThrow();
  });

  it('keeps containers that have the other names', async () => {
    const { run } = await commandLine(FILE);
    await run('up', '-d');
    const before = await statuses(run);
    // The image of web has another name, so web is made anew.
    expect((await run('--compatibility', 'up', '-d')).code).toBe(0);
    expect(Object.keys(await statuses(run)).filter((name) => name in before)).toEqual(['fixed', 'folder-db']);
  });

  it('is refused for a server, which names containers itself', async () => {
    const { run } = await commandLine(FILE);
    expect(await run('--compatibility', '--remote', 'tcp://127.0.0.1:1', 'up')).toMatchObject({
      code: 2,
      stderr: '--remote and --compatibility cannot be combined.\n',
    });
  });
});
