import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeSuperuser } from '../support/superuser.js';
import { hasBrowser, startConsole, withoutBrowser, type RunningConsole } from './console.js';

describe.skipIf(!hasBrowser)(`On the Accounts page${withoutBrowser}`, () => {
  let running: RunningConsole;
  beforeAll(async () => {
    running = await startConsole();
  });
  afterAll(() => running.stop());

  test('a superuser without an organization finds an account, disables it, and enables it again', async () => {
    const { platform } = running;
    const superuser = await platform.signUp({ organization: null });
    await makeSuperuser(platform, superuser);
    const owner = await platform.signUp({ email: 'vera@example.org', organization: 'Quiet Rivers' });
    const inside = await running.visitor();
    await inside.open('/console/overview');
    await inside.logIn(owner);
    await inside.page.getByRole('heading', { name: 'Overview' }).waitFor();

    const { page, open, logIn, complaints } = await running.visitor();
    await open('/console/accounts');
    await logIn(superuser);
    const rows = page.getByRole('list', { name: 'Accounts' }).getByRole('listitem');
    await expect.poll(() => rows.count()).toBe(2);
    expect(await page.getByRole('button', { name: `Disable ${superuser.email}` }).count()).toBe(0);
    await page.getByLabel('Address or name').fill('VERA');
    await page.getByRole('button', { name: 'Apply' }).click();
    await expect.poll(() => rows.count()).toBe(1);
    expect(await rows.innerText()).toContain('owner of Quiet Rivers');
    await page.getByRole('button', { name: 'Disable vera@example.org' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click();
    await page.getByText('vera@example.org is disabled').waitFor();
    await page.getByLabel('State').selectOption('disabled');
    await page.getByRole('button', { name: 'Apply' }).click();
    expect(new URL(page.url()).search).toBe('?search=VERA&state=disabled');
    await rows.getByText('✕ disabled').waitFor();

    inside.provoke(/^401 /);
    await inside.page.getByRole('link', { name: 'People' }).click();
    await inside.page.getByLabel('Password', { exact: true }).waitFor();

    await page.getByRole('button', { name: 'Enable vera@example.org' }).click();
    await page.getByText('No account matches').waitFor();
    await page.getByRole('button', { name: 'Show all accounts' }).click();
    await expect.poll(() => rows.count()).toBe(2);
    const { email, password } = owner;
    const login = await platform.json('POST', '/api/v1/auth/login', { body: { email, password } });
    expect(login.status).toBe(200);
    expect(complaints).toEqual([]);
  });

  test('an owner has no link to it, and no use of its address', async () => {
    const owner = await running.platform.signUp();
    const { page, open, logIn, complaints } = await running.visitor();
    await open('/console/accounts');
    await logIn(owner);
    await page.getByText('This page is not open to you').waitFor();
    expect(await page.getByRole('link', { name: 'Accounts', exact: true }).count()).toBe(0);
    expect(complaints).toEqual([]);
  });
});
