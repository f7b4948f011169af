/** Epics, and planned against unplanned work, in the console. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { TestUser } from '../support/platform.js';
import { fill, unit } from '../analytics/graphql/served.js';
import { accessibilityViolations } from './accessibility.js';
import { hasBrowser, startConsole, withoutBrowser, type RunningConsole, type Visitor } from './console.js';

const pictures = process.env['CONSOLE_PICTURES'];

describe.skipIf(!hasBrowser)(`Epics${withoutBrowser}`, () => {
  let running: RunningConsole;
  let owner: TestUser;
  let visitor: Visitor;
  beforeAll(async () => {
    running = await startConsole();
    owner = await running.platform.signUp();
    const day = running.platform.clock.now().toISOString().slice(0, 10);
    const startedAt = Date.parse(`${day}T00:00:00Z`);
    const common = { day, startedAt, completedAt: startedAt + 1000 };
    await fill(running.platform.databaseUri, owner.orgId, [
      unit({ ...common, id: 'a', epic: 'New checkout', initiative: 'Growth' }),
      unit({ ...common, id: 'b', epic: 'New checkout', initiative: 'Growth' }),
      unit({ ...common, id: 'c', epic: 'Search' }),
      unit({ ...common, id: 'd', epic: 'unplanned', initiative: 'unplanned' }),
      unit({ ...common, id: 'e', workType: 'deployment' }),
    ]);
    if (pictures !== undefined) await mkdir(pictures, { recursive: true });
  });
  beforeEach(async () => {
    visitor = await running.visitor();
    return () => visitor.context.close();
  });
  afterAll(() => running.stop());

  test('are dimensions of Explore and filters of the work units, as are planned and unplanned', async () => {
    const { page, complaints } = visitor;
    await visitor.open('/console/explore?dimension=epic');
    await visitor.logIn(owner);
    await page.getByRole('heading', { name: 'Work units by epic' }).first().waitFor();
    const picture = async (name: string): Promise<void> => {
      if (pictures !== undefined) await page.screenshot({ path: join(pictures, `${name}.png`), fullPage: true });
    };
    await page.getByText('New checkout').first().waitFor();
    await page.getByRole('button', { name: 'Save this view' }).waitFor();
    await picture('epics-explore');
    expect(await accessibilityViolations(page)).toEqual([]);

    await page.goto(`${running.platform.url}/console/explore?dimension=plan`);
    await page.getByRole('heading', { name: 'Work units by planned or unplanned' }).first().waitFor();
    await page.getByText('Planned', { exact: true }).first().waitFor();
    await page.getByText('Unplanned', { exact: true }).first().waitFor();

    await page.goto(`${running.platform.url}/console/work-units?plan=planned`);
    const rows = page.locator('.units tbody tr');
    await rows.first().waitFor();
    await page.getByRole('button', { name: 'Remove the filter Planned or unplanned: Planned' }).waitFor();
    const texts = await rows.allInnerTexts();
    expect(texts).toHaveLength(3);
    expect(texts.filter((text) => text.includes('Epic: New checkout'))).toHaveLength(2);
    expect(texts.filter((text) => text.includes('Epic: Search'))).toHaveLength(1);
    await picture('epics-work-units');
    expect(await accessibilityViolations(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });
});
