/** `npm run pictures` (after `npm run build`): makes the picture that the README shows, of a server with demo data. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { plumbline, startServer } from '../cli/plumbline.js';
import { browser as executablePath } from '../support/browser.js';

const command = 'dist/src/cli/main.cjs';
const home = await mkdtemp(join(tmpdir(), 'plumbline-pictures-'));
const environment = { PLUMBLINE_HOME: home };
const { stdout } = await plumbline(['demo'], { command, environment });
const password = /password +(\S+)/.exec(stdout)?.[1];
if (executablePath === undefined || password === undefined) throw new Error('needs Chromium and a new home');
const server = await startServer({ command, environment });
const browser = await chromium.launch({ executablePath, args: ['--headless', '--no-sandbox', '--disable-gpu'] });
try {
  const page = await browser.newPage({
    viewport: { width: 1200, height: 1180 },
    locale: 'en-GB',
    colorScheme: 'light',
  });
  await page.goto(`${server.url}/console/overview`);
  await page.getByLabel('E-mail address').fill('demo@example.com');
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByRole('region', { name: 'Flow of work', exact: true }).waitFor();
  await page.mouse.move(0, 0); // it would colour the button that it is at
  await page.screenshot({ path: 'src/console/pictures/overview.jpg', type: 'jpeg', quality: 72 });
} finally {
  await browser.close();
  server.kill('SIGTERM');
  await server.finished;
  await rm(home, { recursive: true, force: true });
}
