import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { tmpdir } from 'node:os';
import { promisify } from 'node:util';

/**
 * The browser of this machine; undefined: tests that want one are skipped. The shell without windows comes first: it is the
 * same engine, and a new page costs it less than half of the processor time.
 */
export const browser = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome']
  .flatMap((name) => (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, name)))
  .find((file) => existsSync(file));

/** Stands behind the names of such tests. */
export const withoutBrowser =
  browser === undefined ? ' (skipped: neither chromium nor google-chrome is installed)' : '';

/** Loads a page and gives what the document has become, and what the console said: refused sources, errors. */
export async function openPage(url: string): Promise<{ dom: string; console: readonly string[] }> {
  const profile = await mkdtemp(join(tmpdir(), 'plumbline-browser-'));
  try {
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
      url,
    ];
    const { stdout, stderr } = await promisify(execFile)(browser ?? '', args, { maxBuffer: 64 * 1024 * 1024 });
    return { dom: stdout, console: stderr.split('\n').filter((line) => line.includes(':CONSOLE')) };
  } finally {
    await rm(profile, { recursive: true, force: true });
  }
}
