import { access, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { commandLine } from './command-line.js';
import { SHOP, statuses } from './shop.js';
import { stateOf } from './dry-run-state.js';

const WITH_DATA = `
services:
  web: { image: web, depends_on: { db: { condition: service_healthy } }, volumes: ["data:/data"] }
  db: { image: db, healthcheck: { test: [CMD, "true"] } }
  job: { build: ., post_start: [{ command: [warm, up] }] }
volumes: { data: {} }
`;

/** What a dry run prints, without its prefix. */
function steps(stderr: string): string[] {
  return stderr
    .split('\n')
    .filter(Boolean)
    .map((line) => line.replace(/^DRY-RUN MODE - /, ''));
}

describe('--dry-run', () => {
  it('prints the steps of up, as if dependencies became healthy, and takes none', async () => {
    const { run, backend } = await commandLine(WITH_DATA);
    const before = await stateOf(backend);
    const { code, stderr } = await run('--dry-run', 'up');
    expect(code).toBe(0);
    expect(
      stderr
        .split('\n')
        .filter(Boolean)
        .every((line) => line.startsWith('DRY-RUN MODE - ')),
    ).toBe(true);
    expect(steps(stderr)).toEqual(
      expect.arrayContaining([
        'Image db Pulling',
        'Image folder-job Built',
        'Network folder_default Created',
        'Volume folder_data Created',
        'Container folder-db Created',
        'Container folder-web Started',
        'folder-job: warm up',
      ]),
    );
    expect(await stateOf(backend)).toEqual(before);
  });

  it('prints the same steps as the command takes', async () => {
    const { run } = await commandLine(SHOP);
    for (const words of [
      ['create'],
      ['up', '-d'],
      ['up', '-d', '--force-recreate'],
      ['stop', 'web'],
      ['start'],
      ['restart'],
      ['pause'],
      ['unpause'],
      ['kill'],
      ['scale', 'db=2', 'web=0'],
      ['rm', '-f', '-s', 'db'],
      ['down', '--rmi', 'all'],
    ]) {
      const dry = await run('--dry-run', ...words);
      const real = await run(...words);
      expect(real.code, words.join(' ')).toBe(0);
      expect({ words, code: dry.code, steps: steps(dry.stderr).sort() }).toEqual({
        words,
        code: 0,
        steps: steps(real.stderr)
          .filter((line) => !line.includes(': '))
          .sort(),
      });
    }
  });

  it.each([
    [['up', '-d', '--build', '--force-recreate', '-V']],
    [['create', '--force-recreate']],
    [['down', '-v', '--rmi', 'all']],
    [['stop']],
    [['start']],
    [['restart']],
    [['kill']],
    [['pause']],
    [['rm', '-f', '-s', '-v']],
    [['build']],
    [['pull']],
    [['push']],
    [['run', '--rm', 'web', 'echo', 'hi']],
    [['run', '-d', 'web']],
    [['exec', 'web', 'rm', '-rf', '/']],
    [['attach', 'web']],
    [['scale', 'web=3']],
    [['commit', 'web', 'snapshot:1']],
    [['cp', 'compose.yaml', 'web:/tmp/']],
    [['cp', 'web:/etc/hosts', 'hosts']],
    [['export', '-o', 'web.tar', 'web']],
    [['config', '-o', 'out.yaml']],
  ])('%j changes nothing of a project that runs', async (words) => {
    const { run, backend, folder } = await commandLine(WITH_DATA);
    await run('up', '-d');
    await run('stop', 'job');
    await backend.containers.putFiles('folder-web', [{ path: '/etc/hosts', content: Buffer.from('here') }]);
    const before = await stateOf(backend);
    expect(await run('--dry-run', ...words)).toMatchObject({ code: 0 });
    expect(await stateOf(backend)).toEqual(before);
    for (const file of ['hosts', 'web.tar', 'out.yaml'])
      await expect(access(path.join(folder, file))).rejects.toThrow();
  });

  it('fails like the command where it can be foreseen', async () => {
    const { run, backend } = await commandLine(SHOP);
    expect(await run('--dry-run', 'stop')).toMatchObject({
      code: 1,
      stderr: "No containers of a project 'folder' exist.\n",
    });
    await run('up', '-d');
    const image = (await backend.images.list())[0]?.tags[0] ?? '';
    await backend.containers.create({ name: 'guest', image, networks: [{ network: 'folder_default' }] });
    await backend.containers.start('guest');
    const { code, stderr } = await run('--dry-run', 'down');
    expect({ code, stderr }).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("Network 'folder_default' was not removed") as string,
    });
    expect(await run('--dry-run', '--remote', 'tcp://127.0.0.1:1', 'down')).toMatchObject({ code: 2 });
    expect(await run('--dry-run', 'serve')).toMatchObject({ code: 2, stderr: 'serve has no dry run.\n' });
  });

  it('marks its progress in JSON, and asks nothing', async () => {
    const { run } = await commandLine(SHOP);
    await run('up', '-d');
    const { stderr } = await run('--progress', 'json', '--dry-run', 'rm', '--stop', 'web');
    expect(
      stderr
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown),
    ).toContainEqual({
      kind: 'status',
      resource: 'Container',
      name: 'folder-web',
      status: 'Removed',
      done: true,
      dryRun: true,
    });
    expect(await statuses(run)).toHaveProperty('folder-web', 'running');
  });

  it('marks the lines of watch', async () => {
    const { run, begin, backend } = await commandLine({
      'compose.yaml': `
        services:
          web: { image: web, develop: { watch: [{ path: ./page, target: /page, action: sync, initial_sync: true }] } }
      `,
      page: 'one',
    });
    await run('up', '-d');
    const before = await stateOf(backend);
    const watch = begin('--dry-run', 'watch', '--no-up');
    await watch.printed('web: 1 file copied\n');
    watch.interrupt();
    expect((await watch.ran).stdout).toBe('DRY-RUN MODE - web: 1 file copied\n');
    expect(await stateOf(backend)).toEqual(before);
  });

  it('does not start providers', async () => {
    const { run, folder } = await commandLine('services: { db: { provider: { type: ./provider.sh } } }');
    await writeFile(path.join(folder, 'provider.sh'), '#!/bin/sh\ntouch called\n', { mode: 0o755 });
    expect(await run('--dry-run', 'up', '-d')).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('DRY-RUN MODE - Provider db Created') as string,
    });
    await expect(access(path.join(folder, 'called'))).rejects.toThrow();
  });
});
