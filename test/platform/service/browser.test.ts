import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { builtCommand } from '../../cli/built-command.js';
import { startTestPlatform, type TestPlatform } from '../../support/platform.js';
import { record } from '../../support/recorder-pointers.js';

const browser = ['chromium', 'chromium-browser', 'google-chrome']
  .flatMap((name) => (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, name)))
  .find((file) => existsSync(file));
if (browser === undefined)
  console.warn('Skipped: the pages in a browser: neither chromium nor google-chrome is installed.');

describe.skipIf(browser === undefined)('In a real browser', () => {
  let platform: TestPlatform;
  let profile: string;
  beforeAll(async () => {
    await builtCommand();
    platform = await startTestPlatform();
    profile = await mkdtemp(join(tmpdir(), 'plumbline-browser-'));
  });
  afterAll(async () => {
    await platform.stop();
    await rm(profile, { recursive: true, force: true });
  });

  test('the API reference renders every operation, against its own security policy', async () => {
    const contract: unknown = await (await fetch(`${platform.url}/openapi.json`)).json();
    const { dom, console } = await open('/docs');
    for (const path of Object.values(record(record(contract)['paths']))) {
      for (const operation of Object.values(record(path))) {
        const { summary } = record(operation);
        if (typeof summary === 'string') expect(dom).toContain(summary);
      }
    }
    expect(dom).not.toContain('Something went wrong');
    expect(console).toEqual([]);
  });

  test('the page of a problem renders', async () => {
    const { dom, console } = await open('/problems/validation-failed');
    expect(dom).toContain('<h1>');
    expect(console).toEqual([]);
  });

  /** Loads a page and gives what the document has become, and what the console said: refused sources, errors. */
  async function open(path: string): Promise<{ dom: string; console: readonly string[] }> {
    const args = [
      '--headless=new',
      '--no-sandbox', // a browser that runs as root has none
      '--disable-gpu',
      '--disable-dev-shm-usage',
      `--user-data-dir=${profile}`,
      '--enable-logging=stderr',
      '--v=0',
      '--virtual-time-budget=30000',
      '--dump-dom',
      `${platform.url}${path}`,
    ];
    const { stdout, stderr } = await promisify(execFile)(browser ?? '', args, { maxBuffer: 64 * 1024 * 1024 });
    return { dom: stdout, console: stderr.split('\n').filter((line) => line.includes(':CONSOLE')) };
  }
});
