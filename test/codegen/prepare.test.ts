import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

const run = promisify(execFile);

/** What npm runs after `npm ci --omit=dev`: the packages that build are missing. */
describe('an installation without development packages', () => {
  let checkout: string;
  beforeEach(async () => {
    checkout = await mkdtemp(join(tmpdir(), 'plumbline-prepare-'));
  });
  afterEach(() => rm(checkout, { recursive: true }));

  const prepare = (): Promise<{ stderr: string }> =>
    run(process.execPath, [resolve('src/codegen/build/prepare.js')], { cwd: checkout });

  test('succeeds, and says in one line how to get a build', async () => {
    const { stderr } = await prepare();
    expect(stderr).toBe('Not built: development packages are missing. Run `npm ci`, then `npm prune --omit=dev`.\n');
    expect(await readdir(checkout)).toEqual([]);
  });

  test('uses the build that the checkout has', async () => {
    await mkdir(join(checkout, 'dist/src/cli'), { recursive: true });
    await writeFile(join(checkout, 'dist/src/cli/main.cjs'), '');
    expect((await prepare()).stderr).toBe('');
  });
});
