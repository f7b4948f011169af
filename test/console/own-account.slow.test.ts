import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeSuperuser } from '../support/superuser.js';
import { hasBrowser, startConsole, withoutBrowser, type RunningConsole } from './console.js';

describe.skipIf(!hasBrowser)(`With their own account${withoutBrowser}`, () => {
  let running: RunningConsole;
  beforeAll(async () => {
    running = await startConsole();
  });
  afterAll(() => running.stop());

  test('a user changes its address by the links of both mails', async () => {
    const { platform } = running;
    const user = await platform.signUp();
    const { page, open, logIn, complaints } = await running.visitor();
    await open('/console/account');
    await logIn(user);
    await page.getByRole('button', { name: 'Change the e-mail address' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('New e-mail address').fill('vera@example.org');
    await dialog.getByLabel('Current password', { exact: true }).fill(user.password);
    await dialog.getByRole('button', { name: 'Send the mails' }).click();
    await dialog.getByText('Follow the links in the mails to both addresses').waitFor();
    for (const [address, message] of [
      ['vera@example.org', 'The address is confirmed'],
      [user.email, 'Your e-mail address has been changed'],
    ] as const) {
      const { text } = await platform.lastMail(address);
      await open(/\/confirm-email\?token=[\w-]+/.exec(text)?.[0] ?? '');
      await page.getByRole('button', { name: 'Confirm the change' }).click();
      await page.getByText(message).waitFor();
      expect(page.url()).toBe(`${platform.url}/console/confirm-email`); // the token is gone from the address
    }
    await page.getByRole('link', { name: 'Go to the account' }).click();
    await page.getByRole('definition').filter({ hasText: 'vera@example.org' }).waitFor();
    expect(complaints).toEqual([]);
  });

  test('the holder of the current address refuses a change', async () => {
    const { platform } = running;
    const user = await platform.signUp();
    const body = { new_email: 'mallory@example.org', current_password: user.password };
    await platform.json('POST', '/api/v1/auth/change-email', { token: user.accessToken, body });
    const { text } = await platform.lastMail(user.email);
    const { page, open, complaints } = await running.visitor();
    await open(/\/confirm-email\?token=[\w-]+/.exec(text)?.[0] ?? '');
    await page.getByRole('button', { name: 'Refuse the change' }).click();
    await page.getByText('The account keeps its address').waitFor();
    expect(complaints).toEqual([]);
  });

  test('a user downloads the data, and then deletes the account once another owner is there', async () => {
    const { platform } = running;
    const user = await platform.signUp({ organization: 'Quiet Rivers' });
    const colleague = await platform.signUp({ invitedBy: user });
    const { page, open, logIn, complaints, provoke } = await running.visitor();
    await open('/console/account');
    await logIn(user);
    await page.getByRole('button', { name: 'Download your data' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Current password', { exact: true }).fill(user.password);
    const saving = page.waitForEvent('download');
    await dialog.getByRole('button', { name: 'Download' }).click();
    const saved = await saving;
    expect(saved.suggestedFilename()).toBe('plumbline-account.json');
    const data: unknown = JSON.parse(await readFile(await saved.path(), 'utf8'));
    expect(data).toMatchObject({ account: { email: user.email }, memberships: [{ name: 'Quiet Rivers' }] });

    provoke(/^409 /);
    await page.getByRole('button', { name: 'Delete the account' }).click();
    await dialog.getByLabel('Current password', { exact: true }).fill(user.password);
    const confirm = dialog.getByRole('button', { name: 'Delete the account for good' });
    await confirm.click();
    await dialog.getByText('The account is the only owner of Quiet Rivers').waitFor();
    const path = `/api/v1/organizations/${user.orgId}/members/${colleague.userId}`;
    await platform.json('PATCH', path, { token: user.accessToken, body: { role: 'owner' } });
    await confirm.click();
    await page.getByText('Your account has been deleted').waitFor();
    await page.getByLabel('E-mail address').waitFor();
    expect(complaints).toEqual([]);
  });

  test('a superuser deletes the account of somebody else', async () => {
    const { platform } = running;
    const superuser = await platform.signUp({ organization: null });
    await makeSuperuser(platform, superuser);
    const user = await platform.signUp();
    const { page, open, logIn, complaints } = await running.visitor();
    await open('/console/accounts');
    await logIn(superuser);
    await page.getByRole('button', { name: `Delete ${user.email}` }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText(`${user.email} is deleted`).waitFor();
    await expect.poll(() => page.getByRole('button', { name: `Delete ${user.email}` }).count()).toBe(0);
    expect(await page.getByRole('button', { name: `Delete ${superuser.email}` }).count()).toBe(0);
    expect(complaints).toEqual([]);
  });
});
