import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { fill, smallOrganization } from '../analytics/graphql/served.js';
import { eventually } from '../platform/sources/sync-runs/jobs/queue.js';
import type { TestUser } from '../support/platform.js';
import { hasBrowser, startConsole, withoutBrowser, type RunningConsole, type Visitor } from './console.js';
import { colorsOf, stylesOf } from './picture-colors.js';

const march = '/console/explore?range=custom&start=2026-03-01&end=2026-03-31';

describe.skipIf(!hasBrowser)(`The Explore page${withoutBrowser}`, () => {
  let running: RunningConsole;
  let owner: TestUser;
  let visitor: Visitor;
  beforeAll(async () => {
    running = await startConsole();
    owner = await running.platform.signUp();
    await fill(running.platform.databaseUri, owner.orgId, smallOrganization);
  });
  beforeEach(async () => {
    visitor = await running.visitor();
    await visitor.open(march);
    await visitor.logIn(owner);
    return () => visitor.context.close();
  });
  afterAll(() => running.stop());

  test('shows the selection, keeps it in the URL, and links to the units', async () => {
    const { page, complaints } = visitor;
    await page.getByLabel('Measure').selectOption('Lines changed');
    await page.getByLabel('By', { exact: true }).selectOption('Team');
    await page.getByLabel('By main theme only').check();
    const chart = page.getByRole('region', { name: 'Lines changed by team', exact: true });
    await chart.getByText('web has the most: 30, 68% of what is shown.').waitFor();
    const tab = await visitor.newTab(page.url());
    await tab.getByText('web has the most: 30, 68% of what is shown.').waitFor();

    await chart.getByRole('link', { name: 'web' }).click();
    await page.getByRole('button', { name: 'Remove the filter Team: web' }).waitFor();
    await page.getByText(/^1 work unit\./).waitFor();
    expect(await page.locator('th[aria-sort=descending]').innerText()).toContain('Lines');
    expect(complaints).toEqual([]);
  });

  test('keeps a number that is being typed when the page is rendered again', async () => {
    const { page, complaints } = visitor;
    const field = page.getByLabel('Largest');
    const before = await field.inputValue();
    await field.press('ControlOrMeta+a');
    await field.pressSequentially('7');
    await page.evaluate(`
      history.replaceState(history.state, '', location.href + '&whole=yes');
      dispatchEvent(new PopStateEvent('popstate'));`);
    await page.getByRole('checkbox', { name: 'By main theme only', checked: true }).waitFor();
    expect(await field.inputValue()).toBe('7');
    await field.press('Enter');
    await page.waitForURL(/top=7/);
    await page.goBack();
    await eventually(() => field.inputValue()).toBe(before);
    expect(complaints).toEqual([]);
  });

  test('is saved under a name, opened by another member, renamed and deleted', async () => {
    const { page, complaints } = visitor;
    await page.getByLabel('By', { exact: true }).selectOption('Repository');
    await page.getByRole('button', { name: 'Save this view' }).click();
    await page.getByLabel('Name of the view').fill('Repositories in March');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Repositories in March is saved.').waitFor();

    const viewer = await running.visitor();
    await viewer.open('/console/explore');
    await viewer.logIn(await running.platform.signUp({ invitedBy: owner, role: 'viewer' }));
    await viewer.page.getByRole('link', { name: 'Repositories in March' }).click();
    await viewer.page.getByRole('region', { name: 'Work units by repository', exact: true }).waitFor();
    expect(new URL(viewer.page.url()).searchParams.get('start')).toBe('2026-03-01');
    expect(await viewer.page.getByRole('button', { name: 'Save this view' }).count()).toBe(0);

    await page.getByRole('button', { name: 'Rename or delete' }).click();
    await page.getByText('Rename', { exact: true }).click();
    await page.getByLabel('New name').fill('March');
    await page.getByRole('button', { name: 'Save the name' }).click();
    await page.getByText('The view is called March now.').waitFor();
    await page.getByRole('button', { name: 'Delete March' }).click();
    await page.getByText('March is deleted.').waitFor();
    await page.getByRole('button', { name: 'Close' }).click();
    await page.getByText('No view is saved yet').waitFor();
    expect([...complaints, ...viewer.complaints]).toEqual([]);
  });

  test('changes to a saved view are saved by its author, and undone by another member', async () => {
    const { page, complaints } = visitor;
    await page.getByRole('button', { name: 'Save this view' }).click();
    await page.getByLabel('Name of the view').fill('Ours');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Ours is saved.').waitFor();
    expect(await page.getByText('This differs from the saved view').count()).toBe(0);
    await page.getByLabel('Measure').selectOption('Lines changed');
    await page.getByRole('button', { name: 'Save the changes' }).click();
    await page.getByText('The changes to Ours are saved.').waitFor();
    await page.getByText('This differs from the saved view').waitFor({ state: 'detached' });

    const other = await running.visitor();
    await other.open('/console/explore');
    await other.logIn(await running.platform.signUp({ invitedBy: owner, role: 'member' }));
    await other.page.getByRole('link', { name: 'Ours' }).click();
    const saved = other.page.getByRole('region', { name: 'Lines changed by theme', exact: true });
    await saved.waitFor();
    await other.page.getByLabel('Measure').selectOption('Work units');
    await other.page.getByText('This differs from the saved view').waitFor();
    expect(await other.page.getByRole('button', { name: 'Save the changes' }).count()).toBe(0);
    await other.page.getByRole('link', { name: 'Undo the changes' }).click();
    await saved.waitFor();
    expect([...complaints, ...other.complaints]).toEqual([]);

    await page.getByRole('button', { name: 'Rename or delete' }).click();
    await page.getByRole('button', { name: 'Delete Ours' }).click();
    await page.getByText('Ours is deleted.').waitFor();
  });

  test('shows quarters, and accepts a leap year and calendar periods', async () => {
    const { page, complaints } = visitor;
    const show = (query: string): Promise<unknown> =>
      page.goto(new URL(`/console/explore?range=custom&${query}`, page.url()).href);
    await show('start=2026-01-01&end=2026-12-31&interval=quarter');
    await page.getByRole('region', { name: 'Work units by theme, by quarter', exact: true }).waitFor();
    const interval = page.getByLabel('Interval').locator('option', { hasText: 'Quarter (4 points)' });
    await interval.waitFor({ state: 'attached' });
    await show('start=2024-01-01&end=2024-12-31&interval=year');
    await page.getByText('No work in this period').waitFor();
    await page.getByLabel('Period').selectOption('Last quarter');
    await page.waitForURL(/range=last_quarter/);
    await page
      .getByLabel('Interval')
      .locator('option', { hasText: 'Quarter (1 point)' })
      .waitFor({ state: 'attached' });
    expect(complaints).toEqual([]);
  });

  test('reports invalid input without a request to the server', async () => {
    const { page, complaints } = visitor;
    await page.getByRole('region', { name: 'Work units by theme', exact: true }).waitFor();
    await page.getByLabel('Period').selectOption('Last 12 months');
    const days = page.getByLabel('Interval').locator('option').first();
    await page.getByText('Day (365 points, too many)').waitFor({ state: 'attached' });
    expect(await days.isDisabled()).toBe(true);
    const address = new URL('/console/explore?range=365d&interval=day', page.url()).href;
    // The page that is left may still be asking for the last 12 months.
    await page.goto('about:blank');
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.headers()['x-persisted-query-id'] ?? ''));
    await page.goto(address);
    await page.getByText('The period has 365 days, and at most 100 points can be asked for.').waitFor();
    expect(asked).toContain('catalog-limits');
    expect(asked).not.toContain('explore');
    expect(complaints).toEqual([]);
  });

  test('exports bars and lines as CSV and PNG, and shows the query for programs', async () => {
    const { page, complaints } = visitor;
    for (const name of ['Work units by theme', 'Work units by theme, by week']) {
      const csv = page.waitForEvent('download');
      await page.getByRole('button', { name: `Download ${name} as CSV`, exact: true }).click();
      expect(await readFile(await (await csv).path(), 'utf8')).toContain('Quality');
      const png = page.waitForEvent('download');
      await page.getByRole('button', { name: `Download ${name} as PNG`, exact: true }).click();
      const picture = await (await png).path();
      expect((await readFile(picture)).subarray(1, 4).toString()).toBe('PNG');
      if (name.endsWith('week')) {
        // The legend is at the bottom of the picture, which is twice as large as the page.
        const [color] = await stylesOf(page, '.legend line', 'stroke');
        expect(await colorsOf(page, picture, 100)).toContain(color);
      }
    }
    await page.getByRole('button', { name: 'Show the query', exact: true }).click();
    const curl = await page.getByRole('dialog').locator('pre').first().innerText();
    expect(curl).toContain("-H 'X-Persisted-Query-Id: explore'");
    expect(complaints).toEqual([]);
  });
});
