/** AI assistants, co-authors and epics in the console: as dimensions of Explore, filters, and in the list of work units. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { TestUser } from '../support/platform.js';
import { fill, unit } from '../analytics/graphql/served.js';
import { accessibilityViolations } from './accessibility.js';
import { hasBrowser, startConsole, withoutBrowser, type RunningConsole, type Visitor } from './console.js';

const pictures = process.env['CONSOLE_PICTURES'];

describe.skipIf(!hasBrowser)(`Dimensions${withoutBrowser}`, () => {
  let running: RunningConsole;
  let owner: TestUser;
  let visitor: Visitor;
  beforeAll(async () => {
    running = await startConsole();
    if (pictures !== undefined) await mkdir(pictures, { recursive: true });
  });
  beforeEach(async () => {
    owner = await running.platform.signUp();
    visitor = await running.visitor();
    return () => visitor.context.close();
  });
  afterAll(() => running.stop());

  /** Stores units of today, and opens a page as their owner. */
  async function openWith(path: string, units: readonly Partial<Parameters<typeof unit>[0]>[]): Promise<void> {
    const day = running.platform.clock.now().toISOString().slice(0, 10);
    const startedAt = Date.parse(`${day}T00:00:00Z`);
    const common = { day, startedAt, completedAt: startedAt + 1000 };
    await fill(
      running.platform.databaseUri,
      owner.orgId,
      units.map((each, index) => unit({ ...common, id: `unit-${index}`, ...each })),
    );
    await visitor.open(path);
    await visitor.logIn(owner);
  }

  const title = (text: string): Promise<void> =>
    visitor.page
      .getByRole('heading', { name: `Work units by ${text}` })
      .first()
      .waitFor();

  /** Looks at the page: nothing may be inaccessible. */
  async function look(name: string): Promise<void> {
    const { page } = visitor;
    if (pictures !== undefined) await page.screenshot({ path: join(pictures, `${name}.png`), fullPage: true });
    expect(await accessibilityViolations(page)).toEqual([]);
  }

  /** The rows of the list that a filter leaves. */
  async function filtered(query: string, label: string): Promise<readonly string[]> {
    const { page } = visitor;
    await page.goto(`${running.platform.url}/console/work-units?${query}`);
    const rows = page.locator('.units tbody tr');
    await rows.first().waitFor();
    await page.getByRole('button', { name: `Remove the filter ${label}` }).waitFor();
    return rows.allInnerTexts();
  }

  test('assistants are a dimension of Explore and a filter of the work units, which name co-authors', async () => {
    const { page, complaints } = visitor;
    await openWith('/console/explore?dimension=assistant', [
      { assistant: 'Claude', coAuthors: ['ada@example.com', 'grace'] },
      { assistant: 'Claude' },
      { assistant: 'Copilot' },
      { assistant: 'unassisted' },
      { workType: 'deployment' },
    ]);
    await title('assistant');
    await page.getByText('Claude').first().waitFor();
    await look('assistants-explore');

    await page.goto(`${running.platform.url}/console/explore?dimension=assistant&assistant=Claude`);
    await page.getByRole('button', { name: 'Save this view' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name of the view').fill('With Claude');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('link', { name: 'With Claude' }).waitFor();
    const views = await running.platform.json('GET', `/api/v1/organizations/${owner.orgId}/views`, {
      token: owner.accessToken,
    });
    expect(views.body.items).toMatchObject([
      { definition: { dimension: 'assistant', filters: { assistants: ['Claude'], authors: [] } } },
    ]);

    const texts = await filtered('assistant=Claude', 'Assistant: Claude');
    expect(texts).toHaveLength(2);
    expect(texts.join('\n')).toContain('with ada@example.com, grace');
    for (const text of texts) expect(text).toContain('Assistant: Claude');
    await look('assistants-work-units');
    expect(complaints).toEqual([]);
  });

  test('epics are dimensions of Explore and filters of the work units, as are planned and unplanned', async () => {
    const { page, complaints } = visitor;
    await openWith('/console/explore?dimension=epic', [
      { epic: 'New checkout', initiative: 'Growth' },
      { epic: 'New checkout', initiative: 'Growth' },
      { epic: 'Search' },
      { epic: 'unplanned', initiative: 'unplanned' },
      { workType: 'deployment' },
    ]);
    await title('epic');
    await page.getByText('New checkout').first().waitFor();
    await page.getByRole('button', { name: 'Save this view' }).waitFor();
    await look('epics-explore');

    await page.goto(`${running.platform.url}/console/explore?dimension=plan`);
    await title('planned or unplanned');
    await page.getByText('Planned', { exact: true }).first().waitFor();
    await page.getByText('Unplanned', { exact: true }).first().waitFor();

    const texts = await filtered('plan=planned', 'Planned or unplanned: Planned');
    expect(texts).toHaveLength(3);
    expect(texts.filter((text) => text.includes('Epic: New checkout'))).toHaveLength(2);
    expect(texts.filter((text) => text.includes('Epic: Search'))).toHaveLength(1);
    await look('epics-work-units');
    expect(complaints).toEqual([]);
  });
});
