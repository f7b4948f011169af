import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startServer } from '../cli/plumbline.js';
import { testPassword } from '../support/platform.js';
import { createTestDatabase } from '../support/postgres.js';
import { hasBrowser, newVisitor, startBrowser, withoutBrowser } from './console.js';

/** For the demo data, which are made and removed in processes: milliseconds on a busy machine. */
const patience = 90_000;

test.skipIf(!hasBrowser)(
  `A new user gets from the mail to a chart in the browser alone, and removes the demo data${withoutBrowser}`,
  { timeout: 4 * patience },
  async () => {
    const database = await createTestDatabase();
    onTestFinished(() => database.drop());
    const home = await mkdtemp(join(tmpdir(), 'plumbline-newcomer-'));
    onTestFinished(() => rm(home, { recursive: true, force: true }));
    const server = await startServer({
      environment: { PLUMBLINE_HOME: home, DATABASE_URI: database.uri, AUTH_AUTO_CREATE_ORG_ON_REGISTER: 'false' },
    });
    onTestFinished(async () => {
      server.kill('SIGTERM');
      await server.finished;
    });
    const browser = await startBrowser();
    onTestFinished(() => browser.close());
    const { page, context, open, complaints } = await newVisitor(browser, server.url);

    await open('/');
    await page.getByRole('link', { name: 'Create an account' }).click();
    await page.getByLabel('E-mail address').fill('kim@example.com');
    await page.getByLabel('Password', { exact: true }).fill(testPassword);
    await page.getByRole('button', { name: 'Create account' }).click();

    const opened = context.waitForEvent('page');
    await page.getByRole('link', { name: 'Open the mailbox' }).click();
    const tab = await opened;
    const mail = tab.getByRole('link', { name: /verify/i });
    // A mail is written after the reply.
    await expect.poll(async () => (await tab.reload(), mail.count()), { timeout: 20_000 }).toBe(1);
    await mail.click();
    await tab.getByRole('link', { name: /\/verify\?token=/ }).click();
    await tab.getByRole('button', { name: 'Verify the address' }).click();
    await tab.getByRole('link', { name: 'Log in' }).click();
    await tab.getByLabel('E-mail address').fill('kim@example.com');
    await tab.getByLabel('Password', { exact: true }).fill(testPassword);
    await tab.getByRole('button', { name: 'Log in' }).click();

    await tab.getByLabel('Name of the organization').fill('Quiet Rivers');
    await tab.getByRole('button', { name: 'Create organization' }).click();
    await tab.getByRole('button', { name: 'Fill with demo data' }).click();

    // The charts appear by themselves.
    await tab.getByText('Your data are being read').waitFor();
    const themes = tab.getByRole('region', { name: 'Work by theme', exact: true });
    await themes.waitFor({ timeout: patience });
    expect(await themes.getByRole('listitem').first().innerText()).toMatch(/Feature delivery\s+[\d.,]+ · \d+%/);
    await tab.getByRole('group', { name: /^Flow of work/ }).waitFor();

    await tab.getByRole('link', { name: 'Organization' }).click();
    await tab.getByRole('button', { name: 'Remove the demo data' }).click();
    await tab.getByText('The organization has no demo data').waitFor({ timeout: patience });
    await tab.getByRole('link', { name: 'Overview' }).click();
    await tab.getByText('No work in this period').waitFor();
    await tab.getByRole('link', { name: 'Go to Sources' }).click();
    await tab.getByRole('heading', { name: 'Sources' }).waitFor();
    expect(complaints).toEqual([]);
  },
);
