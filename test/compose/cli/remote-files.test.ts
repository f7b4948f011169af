/** Secrets and configs of this machine, which `--remote` sends to the server. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { statuses } from './shop.js';
import { remoteLine } from './remote-line.js';

const SHOP = `
services:
  web: { image: web, secrets: [token, password], configs: [{ source: page, target: /srv/page }] }
secrets: { token: { file: ./token.txt }, password: { environment: PASSWORD } }
configs: { page: { file: ./page.bin } }
`;
const files = { 'compose.yaml': SHOP, 'token.txt': 'from a file\n', 'page.bin': '' };

describe('up --remote', () => {
  it('sends the content of secrets and configs, whatever its bytes', async () => {
    const remote = await remoteLine(files, { environment: { PASSWORD: 'from a variable' } });
    await writeFile(join(remote.local.folder, 'page.bin'), Buffer.from([0, 255, 10]));
    const put = vi.spyOn(remote.local.backend.containers, 'putFiles');
    const ran = await remote.run('up', '-d');
    expect(ran).toMatchObject({ code: 0, stderr: expect.not.stringMatching(/warning|from a/i) as string });
    const copied = put.mock.calls.flatMap(([, sent]) => sent);
    expect(copied.map(({ path, content }) => [path, Buffer.from(content)])).toEqual([
      ['/run/secrets/token', Buffer.from('from a file\n')],
      ['/run/secrets/password', Buffer.from('from a variable')],
      ['/srv/page', Buffer.from([0, 255, 10])],
    ]);
  });

  it('recreates a container whose file has changed, and only then', async () => {
    const remote = await remoteLine(files, { environment: { PASSWORD: 'x' } });
    const id = async (): Promise<string> => (await remote.local.backend.containers.inspect('folder-web')).id;
    await remote.run('up', '-d');
    const first = await id();
    await remote.run('up', '-d');
    expect(await id()).toBe(first);
    await writeFile(join(remote.local.folder, 'token.txt'), 'changed');
    await remote.run('up', '-d');
    expect(await id()).not.toBe(first);
  });

  it('removes the value of a variable that is no longer set', async () => {
    const remote = await remoteLine({ ...files, '.env': 'PASSWORD=x' });
    await remote.run('up', '-d');
    await writeFile(join(remote.local.folder, '.env'), '');
    const put = vi.spyOn(remote.local.backend.containers, 'putFiles');
    expect((await remote.run('up', '-d')).stderr).toContain('secrets.password takes its content from PASSWORD');
    const [, sent] = put.mock.calls[0] ?? [];
    expect(sent?.find(({ path }) => path === '/run/secrets/password')?.content).toHaveLength(0);
  });

  it.each([
    [
      'is missing',
      'services: { web: { image: web, secrets: [key] } }\nsecrets: { key: { file: ./none } }',
      /secrets\.key: '.*none' does not exist/,
    ],
    [
      'is too large',
      'services: { web: { image: web, secrets: [key] } }\nsecrets: { key: { file: ./large } }',
      /secrets\.key: .*more than 1 MiB, which a server does not take/,
    ],
  ])('names a file that %s, and starts nothing', async (_what, file, message) => {
    const remote = await remoteLine({ 'compose.yaml': file, large: 'x'.repeat(1024 * 1024 + 1) });
    expect(await remote.run('up', '-d')).toMatchObject({ code: 2, stderr: expect.stringMatching(message) as string });
    expect(await statuses(remote.local.run)).toEqual({});
  });
});

const UNUSED = `
services:
  web: { image: web, secrets: [token] }
  tool: { image: web, profiles: [tools], secrets: [key] }
secrets: { token: { file: ./token.txt }, key: { file: ./none }, other: { file: ./none } }
configs: { page: { file: ./none } }
`;

describe('secrets and configs that no enabled service uses', () => {
  it('are not sent, and their files may be missing', async () => {
    const remote = await remoteLine({ ...files, 'compose.yaml': UNUSED });
    expect(await remote.run('up', '-d')).toMatchObject({ code: 0 });
    expect(await remote.stored('folder')).toEqual(['secrets.token']);
    expect(await remote.run('--profile', 'tools', 'up', '-d')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/secrets\.key: '.*none' does not exist/) as string,
    });
  });

  it('are dropped by the next up, even if no service uses any', async () => {
    const remote = await remoteLine({ ...files, 'compose.yaml': UNUSED });
    await remote.run('up', '-d');
    await writeFile(join(remote.local.folder, 'compose.yaml'), UNUSED.replace(', secrets: [token]', ''));
    expect(await remote.run('up', '-d')).toMatchObject({ code: 0 });
    expect(await remote.stored('folder')).toEqual([]);
  });
});

describe('the content of secrets and configs', () => {
  const BUILT = `
services: { web: { build: { context: '.', dockerfile_inline: 'FROM scratch', secrets: [token] }, secrets: [key] } }
secrets: { token: { file: ./token.txt }, key: { file: ./page.bin } }
`;

  it('is not sent by pull and by builds without secrets, and their files may be missing', async () => {
    const remote = await remoteLine(SHOP.replaceAll('./', './no-'), { environment: { PASSWORD: 'x' } });
    expect(await remote.run('pull')).toMatchObject({ code: 0 });
    expect(await remote.run('build')).toMatchObject({ code: 0 });
    expect(await remote.stored('folder')).toEqual([]);
  });

  it('stays on the server when pull sends the project again', async () => {
    const remote = await remoteLine(files, { environment: { PASSWORD: 'x' } });
    await remote.run('up', '-d');
    await remote.run('pull');
    expect(await remote.stored('folder')).toEqual(['configs.page', 'secrets.password', 'secrets.token']);
  });

  it('is sent by builds with secrets', async () => {
    const remote = await remoteLine({ ...files, 'compose.yaml': BUILT }, {}, undefined, [], ['build', 'host-files']);
    expect(await remote.run('build')).toMatchObject({ code: 0 });
    expect(await remote.stored('folder')).toEqual(['secrets.key', 'secrets.token']);
  });

  it('is removed from the server by down, and sent again by the next up', async () => {
    const remote = await remoteLine(files, { environment: { PASSWORD: 'x' } });
    await remote.run('up', '-d');
    await remote.run('stop');
    expect(await remote.stored('folder')).toHaveLength(3);
    expect(await remote.run('down')).toMatchObject({ code: 0 });
    expect(await remote.stored('folder')).toEqual([]);
    expect(await remote.run('up', '-d')).toMatchObject({
      code: 0,
      stderr: expect.not.stringContaining('takes its content') as string,
    });
    expect(await remote.stored('folder')).toHaveLength(3);
  });

  it('is removed by down also when the project has no containers', async () => {
    const remote = await remoteLine(files, { environment: { PASSWORD: 'x' } });
    await remote.run('up', '-d', '--scale', 'web=0');
    expect(await remote.stored('folder')).toHaveLength(3);
    expect(await remote.run('down')).toMatchObject({ code: 0 });
    expect(await remote.stored('folder')).toEqual([]);
  });
});
