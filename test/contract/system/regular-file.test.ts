import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { readRegularFile } from '../../../src/contract/system/regular-file.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plumbline-files-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe('a file named by the user', () => {
  it('is read, also through links', async () => {
    await writeFile(join(folder, 'data'), 'secret\n');
    await symlink('data', join(folder, 'first'));
    await symlink(join(folder, 'first'), join(folder, 'second'));
    expect((await readRegularFile(join(folder, 'second'))).toString('utf8')).toBe('secret\n');
  });

  it('is read completely if the system reports no size', async () => {
    const environment = await readRegularFile('/proc/self/environ');
    expect(environment.length).toBeGreaterThan(0);
  });

  it('may have the maximum size, but not one byte more', async () => {
    const file = join(folder, 'large');
    await writeFile(file, '');
    await truncate(file, 200_000);
    expect(await readRegularFile(file, 200_000)).toHaveLength(200_000);
    await expect(readRegularFile(file, 199_999)).rejects.toMatchObject({
      code: 'EFBIG',
      message: `'${file}' is larger than 199999 bytes`,
    });
    await truncate(file, 2 ** 40);
    await expect(readRegularFile(file)).rejects.toMatchObject({ reason: 'is larger than 1 MiB' });
  });

  it('that is a FIFO is refused without waiting for a writer', async () => {
    const file = join(folder, 'fifo');
    execFileSync('mkfifo', [file]);
    await expect(readRegularFile(file)).rejects.toMatchObject({ code: 'ENOTREG', reason: 'is not a regular file' });
  });

  it('that is a socket is refused', async () => {
    const file = join(folder, 'socket');
    const server = createServer().listen(file);
    onTestFinished(() => void server.close());
    await new Promise((resolve) => server.once('listening', resolve));
    await expect(readRegularFile(file)).rejects.toMatchObject({ reason: 'is not a regular file' });
  });

  it.each([
    ['a device without an end', '/dev/zero', 'is not a regular file'],
    ['a directory', tmpdir(), 'is a directory'],
    ['nothing', '/nowhere/at/all', 'does not exist'],
    ['something below a file', '/etc/passwd/name', 'does not exist'],
  ])('that is %s is refused with the reason', async (_, file, reason) => {
    await expect(readRegularFile(file)).rejects.toMatchObject({ reason, message: `'${file}' ${reason}` });
  });

  it('that is a link to itself is refused', async () => {
    await symlink('loop', join(folder, 'loop'));
    await expect(readRegularFile(join(folder, 'loop'))).rejects.toMatchObject({
      reason: 'is a loop of symbolic links',
    });
  });
});
