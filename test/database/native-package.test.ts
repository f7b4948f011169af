import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, afterAll, describe, expect, test } from 'vitest';

const run = promisify(execFile);
const require = createRequire(import.meta.url);
const CHECKOUT = join(import.meta.dirname, '../..');
const PACKAGES = ['libsql', '@node-rs/bcrypt'];

/** An installation with the packages, and without the builds that npm installs as optional dependencies. */
let installed: string;
beforeAll(() => {
  installed = mkdtempSync(join(tmpdir(), 'plumbline-native-'));
  // What their own JavaScript needs, beside the builds.
  for (const name of [...PACKAGES, '@neon-rs/load', 'detect-libc'])
    cpSync(join(CHECKOUT, 'node_modules', name), join(installed, 'node_modules', name), { recursive: true });
  cpSync(join(CHECKOUT, 'src/database/native-package.ts'), join(installed, 'native-package.ts'));
  writeFileSync(join(installed, 'package.json'), '{ "type": "module" }');
});
afterAll(() => rm(installed, { recursive: true, force: true }));

/** What loading a package says. */
async function load(directory: string, name: string, platform: string): Promise<string> {
  const program =
    `Object.defineProperty(process, 'platform', { value: ${JSON.stringify(platform)} });` +
    `const { loadNative } = await import(${JSON.stringify(pathToFileURL(join(directory, 'native-package.ts')).href)});` +
    `try { loadNative(${JSON.stringify(name)}); console.log('loaded'); } catch (error) { console.log(error.message); }`;
  const tsx = pathToFileURL(require.resolve('tsx')).href;
  const { stdout, stderr } = await run(process.execPath, [
    '--conditions=@plumbline/source',
    '--import',
    tsx,
    '--input-type=module',
    '--eval',
    program,
  ]);
  expect(stderr).toBe('');
  return stdout;
}

describe.each(PACKAGES)('The package %s', (name) => {
  test('that was installed without optional dependencies is named in one line, with what to do', async () => {
    expect(await load(installed, name, process.platform)).toBe(lineOn(process.platform));
  });

  test('on a platform that it has no build for is named in one line, with the platform', async () => {
    expect(await load(join(CHECKOUT, 'src/database'), name, 'sunos')).toBe(lineOn('sunos'));
  });

  function lineOn(platform: string): string {
    return (
      `The package ${name} has no build for ${platform} on ${process.arch} here: optional dependencies were omitted, or ` +
      'the platform is not supported. Install Plumbline again with: npm install --include=optional\n'
    );
  }
});
