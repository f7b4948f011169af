import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readServerAddresses, removeServerAddress, writeServerAddress } from '../../src/cli/server-address.js';
import { captureLog } from '../support/captured-log.js';

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'plumbline-servers-'));
});
afterEach(() => rm(home, { recursive: true, force: true }));

const start = (url: string): Promise<void> => writeServerAddress({ home }, url, captureLog().log);

test('A server that stops leaves the addresses of the other servers of its home', async () => {
  const [first, second] = ['http://127.0.0.1:8080', 'http://[::1]:9000'];
  for (const url of [first, second]) await start(url);
  expect((await readServerAddresses({ home })).toSorted()).toEqual([first, second].toSorted());
  await removeServerAddress({ home }, second);
  expect(await readServerAddresses({ home })).toEqual([first]);
  await removeServerAddress({ home }, first);
  expect(await readServerAddresses({ home })).toEqual([]);
});

test('Of many servers that were killed, the eight newest addresses are read', async () => {
  const urls = Array.from({ length: 10 }, (_, index) => `http://127.0.0.1:${9000 + index}`);
  for (const [index, url] of urls.entries()) {
    await start(url);
    await utimes(join(home, 'servers', encodeURIComponent(url)), index, index);
  }
  expect(await readServerAddresses({ home })).toEqual(urls.toReversed().slice(0, 8));
});

test('Files that are not named after an address are ignored', async () => {
  await start('http://127.0.0.1:8080');
  for (const name of ['%', 'notes', encodeURIComponent('file:///etc/passwd')]) {
    await writeFile(join(home, 'servers', name), '');
  }
  expect(await readServerAddresses({ home })).toEqual(['http://127.0.0.1:8080']);
});

test('A home without servers, or that cannot be written, has no addresses', async () => {
  expect(await readServerAddresses({ home: join(home, 'none') })).toEqual([]);
  await writeFile(join(home, 'file'), '');
  const { log, lines } = captureLog();
  await writeServerAddress({ home: join(home, 'file') }, 'http://127.0.0.1:8080', log);
  expect(lines).toHaveLength(1);
});
