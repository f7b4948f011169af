import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { FileToPut } from '../../../src/compose/runtime/spec.js';
import type { Backend } from '../../../src/compose/runtime/runtime.js';
import { runService, type RunningService } from './running-service.js';

const SECRET = 'only the container knows';
const yaml = `
services:
  web: { image: app, secrets: [token], configs: [{ source: page, target: /srv/page, mode: 0440 }] }
secrets: { token: { environment: TOKEN } }
configs: { page: { environment: PAGE } }
`;
const token = { section: 'secrets', name: 'token', content: Buffer.from(SECRET).toString('base64') };
const page = { section: 'configs', name: 'page', content: Buffer.from([0, 255, 10]).toString('base64') };

interface Served extends RunningService {
  readonly folder: string;
  /** What was copied into containers since the last call, by path. */
  copied(): Record<string, FileToPut>;
}

async function served(): Promise<Served> {
  const folder = await mkdtemp(join(tmpdir(), 'plumbline-files-'));
  let put: FileToPut[] = [];
  const wrap = (backend: Backend): Backend => ({
    ...backend,
    containers: {
      ...backend.containers,
      putFiles: async (id, files, options) => {
        put.push(...files);
        await backend.containers.putFiles(id, files, options);
      },
    },
  });
  const running = await runService({ projectsFolder: folder, wrap });
  onTestFinished(async () => {
    await running.stop();
    await rm(folder, { recursive: true, force: true });
  });
  return {
    ...running,
    folder,
    copied() {
      const copied = Object.fromEntries(put.map((file) => [file.path, file]));
      put = [];
      return copied;
    },
  };
}

/** The file in which the server keeps what was sent for a project. */
const storedIn = (folder: string, project: string): string => join(folder, '.files', `${project}.json`);

test('Files that were sent are copied into containers, and a changed one recreates them', async () => {
  const server = await served();
  await server.expect(201, 'POST', '/projects/shop', yaml);
  await server.expect(204, 'PUT', '/projects/shop/files', { files: [token, page] });
  expect(await server.expect(200, 'POST', '/projects/shop/up')).toMatchObject({ warnings: [] });
  const copied = server.copied();
  expect(Buffer.from(copied['/run/secrets/token']?.content ?? '').toString()).toBe(SECRET);
  expect(copied['/srv/page']).toMatchObject({ content: Buffer.from([0, 255, 10]), mode: 0o440 });
  const before = await server.expect(200, 'GET', '/containers/shop-web');

  await server.expect(200, 'POST', '/projects/shop/up');
  expect(server.copied()).toEqual({});
  const changed = { ...token, content: Buffer.from('another').toString('base64') };
  await server.expect(204, 'PUT', '/projects/shop/files', { files: [changed, page] });
  await server.expect(200, 'POST', '/projects/shop/up');
  expect(Buffer.from(server.copied()['/run/secrets/token']?.content ?? '').toString()).toBe('another');
  expect(await server.expect(200, 'GET', '/containers/shop-web')).not.toMatchObject({
    id: (before as { id: string }).id,
  });
});

test('Files are readable by the user of the server only, and appear in no reply and no log', async () => {
  const server = await served();
  await server.expect(201, 'POST', '/projects/shop', yaml);
  await server.expect(204, 'PUT', '/projects/shop/files', { files: [token] });
  const { mode } = await stat(storedIn(server.folder, 'shop'));
  expect(mode & 0o777).toBe(0o600);
  expect((await stat(join(server.folder, '.files'))).mode & 0o777).toBe(0o700);
  const up = await server.expect(200, 'POST', '/projects/shop/up');
  // The example of a config that was not sent.
  expect(up).toMatchObject({ warnings: [expect.stringContaining('configs.page takes its content from PAGE')] });
  const replies = [up];
  for (const path of ['', '/services', '/logs']) {
    replies.push(await (await server.call('GET', `/projects/shop${path}`)).text());
  }
  replies.push(await server.expect(200, 'GET', '/containers/shop-web'), ...server.log);
  for (const hidden of [SECRET, token.content]) expect(JSON.stringify(replies)).not.toContain(hidden);
});

test('Files of a project are given to no other one, and are removed with the project', async () => {
  const server = await served();
  for (const name of ['shop', 'other']) await server.expect(201, 'POST', `/projects/${name}`, yaml);
  await server.expect(204, 'PUT', '/projects/shop/files', { files: [token, page] });
  await server.expect(200, 'POST', '/projects/other/up');
  expect(server.copied()['/run/secrets/token']?.content).toHaveLength(0);
  await server.expect(204, 'DELETE', '/projects/shop');
  expect(await readdir(join(server.folder, '.files'))).toEqual([]);
  await server.expect(201, 'POST', '/projects/shop', yaml);
  await server.expect(200, 'POST', '/projects/shop/up');
  expect(server.copied()['/run/secrets/token']?.content).toHaveLength(0);
});

test('A new compose file keeps the files that it has, and removes the others', async () => {
  const server = await served();
  await server.expect(201, 'POST', '/projects/shop', yaml);
  await server.expect(204, 'PUT', '/projects/shop/files', { files: [token, page] });
  const less = 'services: { web: { image: app, secrets: [token] } }\nsecrets: { token: { environment: TOKEN } }';
  await server.expect(200, 'POST', '/projects/shop?replace=true', less);
  expect(Object.keys(JSON.parse(await readFile(storedIn(server.folder, 'shop'), 'utf8')) as object)).toEqual([
    'secrets.token',
  ]);
  await server.expect(200, 'POST', '/projects/shop?replace=true', 'services: { web: { image: app } }');
  expect(await readdir(join(server.folder, '.files'))).toEqual([]);
});

test('Files survive a restart of the server', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'plumbline-files-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const first = await runService({ projectsFolder: folder });
  await first.expect(201, 'POST', '/projects/shop', yaml);
  await first.expect(204, 'PUT', '/projects/shop/files', { files: [token, page] });
  await first.stop();
  const second = await runService({ projectsFolder: folder });
  expect(await second.expect(200, 'POST', '/projects/shop/up')).toMatchObject({ warnings: [] });
  await second.stop();
});

test('Down keeps the files, and removes them on request', async () => {
  const server = await served();
  await server.expect(201, 'POST', '/projects/shop', yaml);
  await server.expect(204, 'PUT', '/projects/shop/files', { files: [token, page] });
  await server.expect(200, 'POST', '/projects/shop/up');
  await server.expect(200, 'POST', '/projects/shop/down');
  expect(await readdir(join(server.folder, '.files'))).toEqual(['shop.json']);
  await server.expect(200, 'POST', '/projects/shop/up');
  await server.expect(200, 'POST', '/projects/shop/down', { remove_files: true });
  expect(await readdir(join(server.folder, '.files'))).toEqual([]);
  // Nothing is stored any more, which is not an error.
  await server.expect(200, 'POST', '/projects/shop/down', { remove_files: true });
  expect(await server.expect(200, 'POST', '/projects/shop/up')).toMatchObject({
    warnings: [expect.stringContaining('secrets.token'), expect.stringContaining('configs.page')],
  });
});

test('A server that starts removes drafts of a killed one, and files of unknown projects', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'plumbline-files-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const first = await runService({ projectsFolder: folder });
  await first.expect(201, 'POST', '/projects/shop', yaml);
  await first.expect(204, 'PUT', '/projects/shop/files', { files: [token] });
  await first.stop();
  const drafts = [
    'shop.json.0123456789ab.tmp',
    '.files/shop.json.0123456789ab.tmp',
    '.files/two.json.bd0b01234567.tmp',
  ];
  for (const name of [...drafts, '.files/gone.json'])
    await writeFile(join(folder, name), `{"secrets.token":"${SECRET}"}`);
  await mkdir(join(folder, 'other'));
  const second = await runService({ projectsFolder: folder });
  expect((await readdir(folder)).sort()).toEqual(['.files', 'other', 'shop', 'shop.json']);
  expect(await readdir(join(folder, '.files'))).toEqual(['shop.json']);
  await second.stop();
});

test.each([
  ['the compose file does not have', { section: 'secrets', name: 'page' }, 'secret'],
  ['has its content in the compose file', { section: 'configs', name: 'inline' }, 'config'],
])('A file that %s is 400, and nothing is stored', async (_what, wrong, kind) => {
  const server = await served();
  await server.expect(201, 'POST', '/projects/shop', `${yaml.trimEnd().replace(/}$/, ', inline: { content: x } }')}\n`);
  const files = [token, { ...token, ...wrong }];
  expect(await server.expect(400, 'PUT', '/projects/shop/files', { files })).toMatchObject({
    error: 'ComposeValidationError',
    case: 'undefinedReference',
    path: ['files', 1, 'name'],
    kind,
    name: wrong.name,
  });
  await expect(stat(storedIn(server.folder, 'shop'))).rejects.toThrow('ENOENT');
});

test('More than 64 files are 422, more than 1 MiB is 413, and 1 MiB is accepted', async () => {
  const server = await served();
  await server.expect(201, 'POST', '/projects/shop', yaml);
  const send = (status: number, files: unknown): Promise<unknown> =>
    server.expect(status, 'PUT', '/projects/shop/files', { files });
  await send(422, Array<unknown>(65).fill(token));
  await send(204, Array<unknown>(64).fill(token));
  const large = (bytes: number) => ({ ...token, content: Buffer.alloc(bytes).toString('base64') });
  await send(204, [large(1024 * 1024)]);
  await send(413, [large(600 * 1024), large(600 * 1024)]);
  await send(422, [{ ...token, content: 'not Base64!' }]);
});

test('A write that fails is 500 without the content', async () => {
  const server = await served();
  await server.expect(201, 'POST', '/projects/shop', yaml);
  await writeFile(join(server.folder, '.files'), 'a file where the folder was');
  const problem = await server.expect(500, 'PUT', '/projects/shop/files', { files: [token] });
  expect(problem).toMatchObject({ error: 'RuntimeError', case: 'persistenceFailure' });
  expect(JSON.stringify([problem, ...server.log])).not.toContain(token.content);
});
