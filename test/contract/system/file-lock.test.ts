import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { FileLockedError, withFileLock } from '../../../src/contract/system/file-lock.js';

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plumbline-lock-'));
  path = join(folder, 'thing');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test('Contenders hold the lock one at a time, and all of them get it', async () => {
  let holders = 0;
  let most = 0;
  const work = async (): Promise<void> => {
    most = Math.max(most, ++holders);
    for (let tick = 0; tick < 5; tick++) await new Promise(setImmediate);
    holders--;
  };
  await Promise.all(Array.from({ length: 10 }, () => withFileLock(path, work)));
  expect(most).toBe(1);
  expect(await readdir(folder)).toEqual([]);
});

test('A failure of the work rejects, and releases the lock', async () => {
  await expect(withFileLock(path, () => Promise.reject(new Error('spilt')))).rejects.toThrow('spilt');
  expect(await withFileLock(path, () => Promise.resolve('mopped'))).toBe('mopped');
  expect(await readdir(folder)).toEqual([]);
});

test('The lock file of a process that was killed is ignored and removed', async () => {
  const gone = spawn(process.execPath, ['-e', '']);
  await once(gone, 'exit');
  await writeFile(join(folder, `.thing.lock-${String(gone.pid)}-1`), '');
  expect(await withFileLock(path, () => Promise.resolve('done'))).toBe('done');
  expect(await readdir(folder)).toEqual([]);
});

/** `withFileLock` without a pause between its attempts. */
function attempt(): Promise<unknown> {
  return withFileLock(path, () => Promise.resolve('done'), { sleep: () => Promise.resolve() }).catch(
    (error: unknown) => error,
  );
}

/** What the lock file of this process says. */
async function writtenHere(): Promise<string> {
  let written = '';
  await withFileLock(path, async () => {
    const [name = ''] = await readdir(folder);
    written = await readFile(join(folder, name), 'utf8');
  });
  return written;
}

test('The lock file of a process whose id another process has now is ignored and removed', async () => {
  const [namespace] = (await writtenHere()).split('\n');
  await writeFile(join(folder, `.thing.lock-${process.pid}-1`), `${namespace}\n1`);
  expect(await attempt()).toBe('done');
  expect(await readdir(folder)).toEqual([]);
});

test('The lock file of a running process holds the lock', async () => {
  await writeFile(join(folder, `.thing.lock-${process.pid}-1`), await writtenHere());
  expect(await attempt()).toBeInstanceOf(FileLockedError);
});

test('The lock file of another container holds the lock for a minute, whatever its process id', async () => {
  const lockFile = join(folder, '.thing.lock-999999999-1');
  await writeFile(lockFile, 'boot pid:[1]\n1');
  expect(await attempt()).toBeInstanceOf(FileLockedError);
  const past = new Date(Date.now() - 61_000);
  await utimes(lockFile, past, past);
  expect(await attempt()).toBe('done');
  expect(await readdir(folder)).toEqual([]);
});

test('After 200 attempts the lock fails with the lock file of its holder', async () => {
  const lockFile = join(folder, `.thing.lock-${process.pid}-1`);
  await writeFile(lockFile, '');
  let pauses = 0;
  const pause = (): Promise<void> => {
    pauses++;
    return Promise.resolve();
  };
  const refused = await withFileLock(path, () => Promise.resolve(), { sleep: pause }).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(FileLockedError);
  expect(refused).toMatchObject({ lockFile, message: expect.stringContaining(path) });
  expect(pauses).toBe(200);
});
