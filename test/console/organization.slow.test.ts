import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasBrowser, startConsole, withoutBrowser, type RunningConsole } from './console.js';

/** For runs and removals, each of which is a process: milliseconds on a busy machine. */
const patience = 90_000;

describe.skipIf(!hasBrowser)(`In the console${withoutBrowser}`, () => {
  let running: RunningConsole;
  beforeAll(async () => {
    running = await startConsole({ environment: { SYNC_JOBS: '1' } });
  });
  afterAll(() => running.stop());

  test(
    'onboarding fills an organization with demo data, and one click removes them again',
    async () => {
      const user = await running.platform.signUp({ organization: 'Quiet Rivers' });
      const { page, open, logIn, complaints } = await running.visitor();
      await open('/console/onboarding');
      await logIn(user);
      await page.getByRole('button', { name: 'Fill with demo data' }).click();
      await page.getByRole('heading', { name: 'Overview' }).waitFor();
      await page.getByRole('link', { name: 'Organization' }).click();
      await page.getByText('The organization has demo data').waitFor({ timeout: patience });
      await page.getByRole('button', { name: 'Remove the demo data' }).click();
      await page.getByText('The organization has no demo data').waitFor({ timeout: patience });
      expect(complaints).toEqual([]);
    },
    4 * patience,
  );

  test('names of the account and of the organization can be changed', async () => {
    const user = await running.platform.signUp({ organization: 'Quiet Rivers' });
    const { page, open, logIn, complaints } = await running.visitor();
    await open('/console/account');
    await logIn(user);
    await page.getByText('Change the name').click();
    await page.getByLabel('Name', { exact: true }).fill('Robin Example');
    await page.getByRole('button', { name: 'Save the name' }).click();
    await page.getByText('Your name is saved').waitFor();
    await page.getByRole('definition').filter({ hasText: 'Robin Example' }).waitFor();
    await page.getByRole('link', { name: 'Organization' }).click();
    await page.getByText('Rename').click();
    await page.getByLabel('Name of the organization').fill('Loud Mountains');
    await page.getByRole('button', { name: 'Save the name' }).click();
    await page.getByRole('definition').filter({ hasText: 'Loud Mountains' }).waitFor();
    expect(complaints).toEqual([]);
  });

  test('the audit log is filtered, read page by page, and downloaded as CSV', async () => {
    const { platform } = running;
    const owner = await platform.signUp({ email: 'olga@example.com', organization: 'Quiet Rivers' });
    const settings = { token: owner.accessToken, body: { name: 'Quiet Rivers' } };
    for (let count = 0; count < 60; count++) {
      await platform.json('PATCH', `/api/v1/organizations/${owner.orgId}`, settings);
    }
    const { page, open, logIn, complaints } = await running.visitor();
    await open('/console/audit-log');
    await logIn(owner);
    const rows = page.getByRole('region', { name: 'Records' }).getByRole('row');
    await expect.poll(() => rows.count()).toBe(51);
    await page.getByRole('button', { name: 'Show older records' }).click();
    await expect.poll(() => rows.count()).toBeGreaterThan(60);
    await page.getByLabel('Action').fill('update');
    await page.getByLabel('Kind of resource').fill('organization');
    await page.getByRole('button', { name: 'Apply' }).click();
    await expect.poll(() => rows.count()).toBe(51);
    expect(new URL(page.url()).search).toBe('?action=UPDATE&resource_kind=ORGANIZATION');
    expect(await rows.nth(1).innerText()).toContain('olga@example.com');

    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download as CSV' }).click(),
    ]);
    const [head, ...lines] = (await readFile(await file.path(), 'utf8')).trimEnd().split('\r\n');
    expect(head).toBe('at,action,resource_kind,resource_id,status,user_id,ip,user_agent,request_id,note,id');
    expect(lines).toHaveLength(60);
    expect(complaints).toEqual([]);
  });
});
