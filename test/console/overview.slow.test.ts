import { readFile } from 'node:fs/promises';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { fill, halfKnown, smallOrganization } from '../analytics/graphql/served.js';
import { TAXONOMY, type Subcategory, type Theme } from '../../src/analytics/vocabulary.js';
import type { TestUser } from '../support/platform.js';
import { hasBrowser, pick, startConsole, withoutBrowser, type RunningConsole, type Visitor } from './console.js';
import { colorsOf, stylesOf } from './picture-colors.js';

/** The parts of the reply that charts show. */
interface Overview {
  readonly breakdowns: readonly { readonly dimension: string; readonly items: unknown }[];
  readonly timeseries: readonly { readonly dimension: string }[];
  readonly sankey: unknown;
}

const march = '/console/overview?range=custom&start=2026-03-01&end=2026-03-31';

describe.skipIf(!hasBrowser)(`The overview${withoutBrowser}`, () => {
  let running: RunningConsole;
  let owner: TestUser;
  let visitor: Visitor;
  beforeAll(async () => {
    running = await startConsole();
    owner = await running.platform.signUp();
    await fill(running.platform.databaseUri, owner.orgId, [...smallOrganization, ...halfKnown]);
  });
  beforeEach(async () => {
    visitor = await running.visitor();
    await visitor.open(march);
    await visitor.logIn(owner);
    return () => visitor.context.close();
  });
  afterAll(() => running.stop());

  const total = (name: string): Promise<string> =>
    visitor.page.locator('.totals div', { hasText: name }).locator('dd').first().innerText();

  test('shows the totals of the period in the address', async () => {
    expect(await total('Work units')).toBe('3');
    expect(await total('Cycle time of pull requests')).toBe('30 h');
    expect(visitor.complaints).toEqual([]);
  });

  test('shows the shares of unclassified work and of work with known lines', async () => {
    await visitor.page.getByText('All work is classified.').waitFor();
    await visitor.page.goto(
      new URL(march.replaceAll('2026-03', '2026-02').replace('31', '28'), visitor.page.url()).href,
    );
    await visitor.page.getByText('50% of 2 work units. 50% is unclassified.').waitFor();
    await visitor.page.getByText('added and deleted, known for 50% of the work').waitFor();
    await visitor.page.getByText('50% of the work has a theme, 100% a repository, and 100% a team.').waitFor();
    expect(visitor.complaints).toEqual([]);
  });

  test('keeps the filter in the URL, so that a link shows the same', async () => {
    await pick(visitor.page, 'Show', 'web');
    await visitor.page.locator('.totals dd', { hasText: /^1$/ }).first().waitFor();
    const tab = await visitor.context.newPage();
    await tab.goto(visitor.page.url());
    await tab.locator('.totals dd', { hasText: /^1$/ }).first().waitFor();
    expect(await tab.getByRole('combobox', { name: 'Show' }).inputValue()).toBe('web');
  });

  test('refuses an invalid period with the reason', async () => {
    await visitor.page.locator('.totals').waitFor(); // the limits of the server are known then
    await visitor.page.getByLabel('First day').fill('2024-01-01');
    await visitor.page.getByText('At most 365 days can be shown; these are 821.').waitFor();
    expect(visitor.page.url()).toContain('start=2026-03-01');
  });

  test('shows each chart as a table, and downloads it as CSV and PNG', async () => {
    const flow = visitor.page.getByRole('region', { name: 'Flow of work', exact: true });
    const csv = visitor.page.waitForEvent('download');
    await flow.getByRole('button', { name: 'Download Flow of work as CSV' }).click();
    const lines = (await readFile(await (await csv).path(), 'utf8')).split('\r\n');
    expect(lines[0]).toBe('\uFEFFFrom,To,Work units');
    expect(lines).toContain('Risk,example/web,0.75');

    const png = visitor.page.waitForEvent('download');
    await flow.getByRole('button', { name: 'Download Flow of work as PNG' }).click();
    const picture = await (await png).path();
    expect((await readFile(picture)).subarray(1, 4).toString()).toBe('PNG');
    const colors = await colorsOf(visitor.page, picture);
    expect(colors[0]).toBe((await stylesOf(visitor.page, '.card', 'background-color'))[0]);
    const nodes = await stylesOf(visitor.page, '.flow rect', 'fill');
    expect(nodes.length).toBeGreaterThan(2);
    expect(colors).toEqual(expect.arrayContaining([...nodes]));

    await flow.getByRole('button', { name: 'As a table' }).click();
    expect(await flow.getByRole('row', { name: 'Risk example/web 0.75' }).count()).toBe(1);
    const days = visitor.page.getByRole('region', { name: 'Work units by day', exact: true });
    await days.getByRole('button', { name: 'As a table' }).click();
    expect(await days.getByRole('row', { name: /^4 Mar 2026/ }).count()).toBe(1);
    expect(visitor.complaints).toEqual([]);
  });

  test('shows each subcategory as a share of all work, including work that is not drawn', async () => {
    const [example] = smallOrganization;
    if (example === undefined) throw new Error('there is no example of a unit');
    const other = await running.platform.signUp();
    const units = Object.entries(TAXONOMY).flatMap(([theme, names]) =>
      names.map((name) => {
        const subcategory = `${theme}.${name}` as Subcategory; // Joined as the taxonomy pairs them.
        return { ...example, id: subcategory, theme: theme as Theme, subcategory, shares: [{ subcategory, share: 1 }] };
      }),
    );
    await fill(running.platform.databaseUri, other.orgId, units);
    const { page, open, logIn } = await running.visitor();
    await open(march);
    await logIn(other);
    const card = page.getByRole('region', { name: 'Work by subcategory', exact: true });
    await card.getByText(`The table and the CSV file have ${units.length}.`).waitFor();
    expect(await card.locator('.bar-value').allInnerTexts()).toEqual(Array.from({ length: 10 }, () => '1 · 6.3%'));
  });

  test('shows the query of the page and of each chart for programs', async () => {
    const { page } = visitor;
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'Show the query', exact: true }).click();
    expect(await dialog.locator('pre').first().innerText()).toContain("-H 'X-Persisted-Query-Id: overview'");
    await page.keyboard.press('Escape');
    expect(await dialog.isVisible()).toBe(false);

    const charts = page.locator('section.chart');
    const start = '2026-03-02';
    const reply = page.waitForResponse((response) => response.request().postData()?.includes(start) ?? false);
    await page.getByLabel('First day').fill(start);
    const { analytics: data } = ((await (await reply).json()) as { data: { analytics: Overview } }).data;
    await charts.first().waitFor();
    const parts: unknown[] = [];
    for (const card of await charts.all()) {
      await card.getByRole('button', { name: /^Query of / }).click();
      await dialog.getByText('SDK', { exact: true }).click();
      const line = (await dialog.locator('pre').nth(1).innerText()).split('\n').at(-1) ?? '';
      const figures = /^const figures = (data\.analytics\..*);$/.exec(line)?.[1] ?? '';
      parts.push(runInNewContext(figures, { data: { analytics: data } }));
      await page.keyboard.press('Escape');
    }
    const lines = (dimension: string): unknown => data.timeseries.filter((each) => each.dimension === dimension);
    expect(JSON.parse(JSON.stringify(parts))).toEqual([
      data.breakdowns.find((each) => each.dimension === 'THEME')?.items,
      data.breakdowns.find((each) => each.dimension === 'SUBCATEGORY')?.items,
      data.sankey,
      ...['THEME', 'TEAM', 'WORK_TYPE'].map(lines),
    ]);
    expect(visitor.complaints).toEqual([]);
  });
});
