import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { fill, smallOrganization } from '../analytics/graphql/served.js';
import type { TestUser } from '../support/platform.js';
import { hasBrowser, pick, startConsole, withoutBrowser, type RunningConsole, type Visitor } from './console.js';
import { deliveredWork } from './delivery-data.js';

const november = '/console/delivery?range=custom&start=2025-11-01&end=2025-11-30';

describe.skipIf(!hasBrowser)(`The Delivery page${withoutBrowser}`, () => {
  let running: RunningConsole;
  let owner: TestUser;
  let visitor: Visitor;
  beforeAll(async () => {
    running = await startConsole();
    owner = await running.platform.signUp();
    await fill(running.platform.databaseUri, owner.orgId, [...deliveredWork, ...smallOrganization]);
  });
  beforeEach(async () => {
    visitor = await running.visitor();
    await visitor.open(november);
    await visitor.logIn(owner);
    await visitor.page.getByText('Four keys by team').first().waitFor();
    return () => visitor.context.close();
  });
  afterAll(() => running.stop());

  /** The lines of one of the four keys: its name and band, its value, and what it is made of. */
  const key = async (name: string): Promise<string[]> =>
    (await visitor.page.locator('.totals div', { hasText: name }).innerText())
      .split('\n')
      .filter((line) => line !== '');

  test('shows the four keys with their bands, and links to the units behind them', async () => {
    expect(await key('Deployment frequency')).toEqual([
      'Deployment frequency moderate',
      '4.06 per month',
      '4 deployments to production',
    ]);
    expect(await key('Lead time for changes')).toEqual([
      'Lead time for changes strong',
      '30 h',
      'median of 2 requests, 100% of the merged ones',
    ]);
    expect(await key('Change failure rate')).toEqual(['Change failure rate moderate', '25%', '1 of 4 deployments']);
    expect(await key('Time to restore')).toEqual(['Time to restore strong', '3 h', 'median of 1 resolved incident']);
    await visitor.page.getByRole('link', { name: '4.06 per month' }).click();
    await visitor.page.getByText(/^4 work units\./).waitFor();
    expect(visitor.complaints).toEqual([]);
  });

  test('shows where requests spend their time, who reviews them in numbers, and which are open', async () => {
    const { page } = visitor;
    const phases = page.getByRole('region', { name: 'Phases of pull requests', exact: true });
    await phases.getByText('Medians. Deploy takes longest; it is known for 50% of the merged requests.').waitFor();
    expect(await phases.locator('.bar-name').allInnerTexts()).toEqual([
      'Coding',
      'Pickup',
      'Review',
      'Merge',
      'Deploy',
    ]);
    expect(await phases.locator('.bar-value').allInnerTexts()).toEqual(['5 h', '2 h', '1 h', '1 h', '21 h']);
    await page
      .getByText('50% of 2 merged requests had a review, by 1 person; 1 of them did half of the reviews.')
      .waitFor();
    await page.getByText('1 request was open at the end of the period: half of them for 11 days or longer').waitFor();
    expect(await page.getByText('lee').count(), 'names of people').toBe(0);
    expect(visitor.complaints).toEqual([]);
  });

  test('has a table and a CSV file with all keys of each team', async () => {
    const teams = visitor.page.getByRole('region', { name: 'Four keys by team', exact: true });
    await teams.getByRole('button', { name: 'As a table' }).click();
    expect(await teams.getByRole('row', { name: 'core 4 0.13 30 25 3' }).count()).toBe(1);
    const csv = visitor.page.waitForEvent('download');
    await teams.getByRole('button', { name: 'Download Four keys by team as CSV' }).click();
    const [head] = (await readFile(await (await csv).path(), 'utf8')).split('\r\n');
    expect(head).toBe(
      '\uFEFFTeam,Deployments,Deployments per day,Median lead time (h),Change failure rate (%),Median time to restore (h),Known since',
    );
  });

  test('can be narrowed down to a team or a repository, not to a person', async () => {
    const { page } = visitor;
    await page.getByRole('combobox', { name: 'Show' }).click();
    await page.getByRole('option', { name: 'example/api' }).waitFor();
    const groups = await page.getByRole('listbox').getByRole('group').all();
    expect(await Promise.all(groups.map((group) => group.getAttribute('aria-label')))).toEqual([
      'Teams',
      'Repositories',
    ]);
    await pick(page, 'Show', 'web');
    await page.locator('.totals', { hasText: 'no deployments to production are known' }).waitFor();
    await pick(page, 'Show', 'example/api');
    await page.getByText('No commits in this period').waitFor();
    await page.goto(new URL(`${november}&scope=AUTHOR:robin@example.com`, page.url()).href);
    await page.getByText('4 deployments to production').waitFor();
    expect(visitor.complaints).toEqual([]);
  });

  test('says what is not known in a period without work', async () => {
    const { page } = visitor;
    await page.goto(new URL(november.replaceAll('2025-11', '2020-11'), page.url()).href);
    await page.getByText('no deployments to production are known').first().waitFor();
    expect(await page.locator('.totals dd:nth-of-type(1)').allInnerTexts()).toEqual(['–', '–', '–', '–']);
    await page.getByText(/^No phase of a merged request is known in this period/).waitFor();
    await page.getByText(/^No reviews are known in this period/).waitFor();
    expect(visitor.complaints).toEqual([]);
  });
});
