import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fill, smallOrganization } from '../analytics/graphql/served.js';
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

  test('weeks begin on another day, and charts say so', async () => {
    const user = await running.platform.signUp({ organization: 'Quiet Rivers' });
    await fill(running.platform.databaseUri, user.orgId, smallOrganization);
    const { page, open, logIn, complaints } = await running.visitor();
    await open('/console/organization');
    await logIn(user);
    await page.getByLabel('Weeks begin on').selectOption('Sunday');
    await page.getByRole('button', { name: 'Save the calendar' }).click();
    await page.getByText('The calendar is saved.').waitFor();
    await page.goto(
      new URL('/console/explore?range=custom&start=2026-03-01&end=2026-03-31&interval=week', page.url()).href,
    );
    const chart = page.getByRole('region', { name: 'Work units by theme, by week', exact: true });
    await chart.getByText('Weeks begin on Sunday.').waitFor();
    await page.getByLabel('Interval').locator('option', { hasText: 'Week (5 points)' }).waitFor({ state: 'attached' });
    const csv = page.waitForEvent('download');
    await chart.getByRole('button', { name: /as CSV$/ }).click();
    const [head, first] = (await readFile(await (await csv).path(), 'utf8')).split('\r\n');
    expect(head).toMatch(/,Weeks from$/);
    expect(first).toMatch(/^2026-03-01,.*,Sunday$/);
    expect(complaints).toEqual([]);
  });

  test('days are those of another time zone, and charts say so', async () => {
    const user = await running.platform.signUp({ organization: 'Quiet Rivers' });
    await fill(running.platform.databaseUri, user.orgId, smallOrganization);
    const { page, open, logIn, complaints } = await running.visitor();
    await open('/console/organization');
    await logIn(user);
    const field = page.getByLabel('Time zone');
    expect(await field.inputValue()).toBe('UTC');
    const list = await field.getAttribute('list');
    await page.locator(`[id="${list}"] option[value="Pacific/Auckland"]`).waitFor({ state: 'attached' });
    await field.fill('Pacific/Nowhere');
    await page.getByRole('button', { name: 'Save the calendar' }).click();
    await page.getByText('must be the name of a time zone').waitFor();
    await field.fill('Pacific/Auckland');
    await page.getByRole('button', { name: 'Save the calendar' }).click();
    await page.getByText('The calendar is saved.').waitFor();
    // In Auckland it is already April.
    await page.clock.setFixedTime('2026-03-31T18:00:00Z');
    const april = '"startDate":"2026-04-01","endDate":"2026-04-01"';
    const asked = page.waitForRequest((request) => request.postData()?.includes(april) === true);
    await page.goto(new URL('/console/explore?range=this_month&interval=day', page.url()).href);
    await asked;
    const chart = page.getByRole('region', { name: 'Work units by theme, by day', exact: true });
    await chart.getByText('Days are those of Pacific/Auckland.').waitFor();
    const csv = page.waitForEvent('download');
    await chart.getByRole('button', { name: /as CSV$/ }).click();
    const [head, first] = (await readFile(await (await csv).path(), 'utf8')).split('\r\n');
    expect(head).toMatch(/,Time zone$/);
    expect(first).toMatch(/,Pacific\/Auckland$/);
    expect(complaints.filter((each) => !each.includes('422'))).toEqual([]);
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
