import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { commandLine } from './command-line.js';
import { SHOP } from './shop.js';

describe('config', () => {
  it('prints, lists and writes the project', async () => {
    const { run, folder } = await commandLine(SHOP);
    expect((await run('config', '--services')).stdout).toBe('db\nweb\n');
    expect((await run('config', '--images')).stdout).toBe('db\nweb\n');
    expect((await run('config', '--hash', 'db')).stdout).toMatch(/^db [0-9a-f]{64}\n$/);
    expect(JSON.parse((await run('config', '--format', 'json')).stdout)).toMatchObject({ name: 'folder' });
    await run('config', '-o', 'out.yaml');
    expect(await readFile(path.join(folder, 'out.yaml'), 'utf8')).toBe((await run('config')).stdout);
  });

  it('prints the hash that up compares, which includes the files copied into the container', async () => {
    const file = (content: string): string =>
      `services: { web: { image: web, configs: [c] }, db: { image: db } }\nconfigs: { c: { content: ${content} } }`;
    const { run, backend, folder } = await commandLine(file('one'));
    await run('up', '-d');
    const labelled = (await backend.containers.list()).map(
      ({ labels }) => `${labels['com.docker.compose.service']} ${labels['com.docker.compose.config-hash']}`,
    );
    const printed = (await run('config', '--hash', '*')).stdout;
    expect(printed.trim().split('\n')).toEqual(labelled.sort());
    await writeFile(path.join(folder, 'compose.yaml'), file('two'));
    const [db, web] = printed.trim().split('\n');
    expect((await run('config', '--hash', 'db')).stdout).toBe(`${db}\n`);
    expect((await run('config', '--hash', 'web')).stdout).not.toBe(`${web}\n`);
    expect(await run('config', '--hash', 'nobody')).toMatchObject({ code: 1 });
  });

  it('does not interpolate variables with --no-interpolate', async () => {
    const { run } = await commandLine('services: { web: { image: "web:$TAG" } }', { environment: { TAG: '7' } });
    expect((await run('config', '--images')).stdout).toBe('web:7\n');
    expect((await run('config', '--no-interpolate')).stdout).toContain('web:$TAG');
  });

  it('an error is one line with its place', async () => {
    const { run, folder } = await commandLine('services:\n  web:\n    imagee: x\n');
    const { code, stderr } = await run('config');
    expect(code).toBe(1);
    expect(stderr).toMatch(new RegExp(`^${path.join(folder, 'compose.yaml')}:3:5: .*imagee.*\\n$`));
  });
});

describe('usage', () => {
  it.each([
    ['an unknown command', ['ups']],
    ['an unknown option', ['up', '--nope']],
    ['options that exclude each other', ['up', '--force-recreate', '--no-recreate']],
    ['a signal that is none', ['kill', '-s', 'NOPE']],
    ['a missing argument', ['exec', 'web']],
  ])('exits with 2 for %s', async (_, args) => {
    const { run } = await commandLine(SHOP);
    const { code, stderr } = await run(...args);
    expect(code).toBe(2);
    expect(stderr).not.toBe('');
  });

  it('help names every command, and exits with 0', async () => {
    const { run } = await commandLine(SHOP);
    const { code, stdout } = await run('--help');
    expect(code).toBe(0);
    const commands =
      'up down start stop restart kill rm ps ls logs top port events config build pull run exec create wait watch version';
    for (const command of commands.split(' ')) expect(stdout).toMatch(new RegExp(`^  ${command}[ |]`, 'm'));
  });

  it('options of compose are accepted before and after the command', async () => {
    const files = { 'other.yml': 'services: { web: { image: web } }' };
    const { run } = await commandLine(files);
    expect((await run('-f', 'other.yml', 'config', '--services')).stdout).toBe('web\n');
    expect((await run('config', '--file', 'other.yml', '--project-name', 'x', '--services')).stdout).toBe('web\n');
    expect(await run('config')).toMatchObject({ code: 1, stderr: expect.stringContaining('No compose file') });
  });

  it('version', async () => {
    const { run } = await commandLine(SHOP);
    expect((await run('version', '--short')).stdout).toBe('1.2.3\n');
  });
});
