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
