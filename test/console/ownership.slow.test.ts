import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeSuperuser } from '../support/superuser.js';
import { mark } from '../platform/tenancy/deletion/requests.js';
import { hasBrowser, startConsole, withoutBrowser, type RunningConsole } from './console.js';
import { appearances, lookAt } from './look.js';

describe.skipIf(!hasBrowser)(`In the console${withoutBrowser}`, () => {
  let running: RunningConsole;
  beforeAll(async () => {
    running = await startConsole();
  });
  afterAll(() => running.stop());

  test('an owner creates another organization, and comes to its onboarding', async () => {
    const owner = await running.platform.signUp();
    const { page, open, logIn, complaints } = await running.visitor();
    await open('/console/account');
    await logIn(owner);
    await page.getByRole('button', { name: 'New organization' }).click();
    await page.getByLabel('Name of the organization').fill('Second Works');
    await page.getByRole('button', { name: 'Create and switch' }).click();
    await page.getByText('Second Works needs data.').waitFor();
    expect(complaints).toEqual([]);
  });

  test('an owner marks the organization for deletion by its name and the password, and takes it back', async () => {
    const owner = await running.platform.signUp({ organization: 'Quiet Rivers' });
    const { page, open, logIn, complaints, provoke } = await running.visitor();
    await open('/console/organization');
    await logIn(owner);
    await page.getByRole('button', { name: 'Delete the organization' }).click();
    const dialog = page.getByRole('dialog');
    const send = dialog.getByRole('button', { name: 'Delete in 7 days' });
    await dialog.getByLabel('Your password', { exact: true }).fill('five green lanterns 5');
    expect(await send.getAttribute('aria-disabled')).toBe('true');
    await dialog.getByLabel('Name of the organization').fill('Quiet Rivers');
    provoke(/^403 .*\/deletion$/);
    await send.click();
    await dialog.getByText('The current password is wrong.').waitFor();
    await dialog.getByLabel('Your password', { exact: true }).fill(owner.password);
    await send.click();
    await page.getByText('Quiet Rivers will be deleted').waitFor();

    await page.getByRole('link', { name: 'People' }).click();
    await page.getByText('Quiet Rivers will be deleted').waitFor();
    await page.getByRole('link', { name: 'About the organization' }).click();
    await page.getByRole('button', { name: 'Take the deletion back' }).click();
    await page.getByRole('button', { name: 'Delete the organization' }).waitFor();
    expect(await page.getByText('Quiet Rivers will be deleted').count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  test.each(appearances)('a marked organization is named on its pages ($theme, $width)', async ({ theme, width }) => {
    const owner = await running.platform.signUp({ organization: 'Quiet Rivers' });
    await mark(running.platform, owner);
    const visitor = await running.visitor({ theme, width });
    await visitor.open('/console/organization');
    await visitor.logIn(owner);
    await visitor.page.getByText('Quiet Rivers will be deleted').waitFor();
    await visitor.page.getByRole('button', { name: 'Take the deletion back' }).waitFor();
    await lookAt(visitor, 'organization-marked', { theme, width });
    await visitor.context.close();
  });

  test('an owner hands the organization over, and has no ownership to decide about afterwards', async () => {
    const owner = await running.platform.signUp();
    const member = await running.platform.signUp({ invitedBy: owner });
    const { page, open, logIn, complaints } = await running.visitor();
    await open('/console/organization');
    await logIn(owner);
    await page.getByRole('button', { name: 'Hand over' }).click();
    await page.getByLabel('New owner').selectOption(member.userId);
    await page.getByRole('dialog').getByRole('button', { name: 'Hand over' }).click();
    await page.getByText(`${member.email} is an owner now`).waitFor();
    await expect.poll(() => page.getByRole('heading', { name: 'Ownership' }).count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  test('a superuser finds the organizations of the server from the Accounts page', async () => {
    const { platform } = running;
    const superuser = await platform.signUp({ organization: null });
    await makeSuperuser(platform, superuser);
    const owner = await platform.signUp({ organization: 'Loud Harbours' });
    const { page, open, logIn, complaints } = await running.visitor();
    await open('/console/accounts');
    await logIn(superuser);
    await page.getByRole('link', { name: 'Organizations' }).click();
    await page.getByLabel('Name or id').fill('LOUD');
    await page.getByRole('button', { name: 'Apply' }).click();
    const rows = page.getByRole('list', { name: 'Organizations' }).getByRole('listitem');
    await expect.poll(() => rows.count()).toBe(1);
    expect(await rows.innerText()).toContain(`owned by ${owner.email}`);
    await page.getByLabel('State').selectOption('marked');
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('No organization matches').waitFor();
    await page.getByRole('button', { name: 'Show all organizations' }).click();
    await expect.poll(() => rows.count()).toBeGreaterThan(1);
    expect(complaints).toEqual([]);
  });
});
