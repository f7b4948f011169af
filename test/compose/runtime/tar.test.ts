import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, readlink, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { tarOf } from '../../../src/compose/runtime/tar.js';

const hasTar = (() => {
  try {
    execFileSync('tar', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

it.skipIf(!hasTar)(`tar unpacks an archive as specified${hasTar ? '' : ' (skipped: no tar)'}`, async () => {
  const directory = await mkdtemp(join(tmpdir(), 'plt-tar-'));
  try {
    const long = `${'directory/'.repeat(15)}fïle with ünicode ${'x'.repeat(60)}.txt`;
    const content = Buffer.from('content '.repeat(1000));
    const none = new Uint8Array();
    const archive = tarOf([
      { entry: { path: 'sub', type: 'directory', size: 0, mode: 0o750 }, content: none },
      { entry: { path: 'sub/file', type: 'file', size: content.length, mode: 0o640, modifiedAt: 1e9 }, content },
      { entry: { path: long, type: 'file', size: 3, mode: 0o644 }, content: Buffer.from('abc') },
      {
        entry: { path: 'link', type: 'symlink', size: 0, mode: 0o777, target: `sub/${'y'.repeat(120)}` },
        content: none,
      },
    ]);
    execFileSync('tar', ['-xf', '-', '-C', directory], { input: archive });
    expect(await readFile(join(directory, 'sub/file'))).toEqual(content);
    expect((await stat(join(directory, 'sub/file'))).mode & 0o777).toBe(0o640);
    expect((await stat(join(directory, 'sub/file'))).mtimeMs).toBe(1e12);
    expect((await stat(join(directory, 'sub'))).mode & 0o777).toBe(0o750);
    expect(await readFile(join(directory, long), 'utf8')).toBe('abc');
    expect(await readlink(join(directory, 'link'))).toBe(`sub/${'y'.repeat(120)}`);
  } finally {
    await rm(directory, { recursive: true });
  }
});
