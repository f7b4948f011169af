/** AI assistants and co-authors in the console. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { TestUser } from '../support/platform.js';
import { fill, unit } from '../analytics/graphql/served.js';
import { accessibilityViolations } from './accessibility.js';
import { hasBrowser, startConsole, withoutBrowser, type RunningConsole, type Visitor } from './console.js';

const pictures = process.env['CONSOLE_PICTURES'];

describe.skipIf(!hasBrowser)(`AI assistants${withoutBrowser}`, () => {
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
      unit({ ...common, id: 'a', assistant: 'Claude', coAuthors: ['ada@example.com', 'grace'] }),
      unit({ ...common, id: 'b', assistant: 'Claude' }),
      unit({ ...common, id: 'c', assistant: 'Copilot' }),
      unit({ ...common, id: 'd', assistant: 'unassisted' }),
      unit({ ...common, id: 'e', workType: 'deployment' }),
    ]);
    if (pictures !== undefined) await mkdir(pictures, { recursive: true });
  });
  beforeEach(async () => {
    visitor = await running.visitor();
    return () => visitor.context.close();
  });
  afterAll(() => running.stop());

  test('are a dimension of Explore and a filter of the work units, which name co-authors', async () => {
    const { page, complaints } = visitor;
    await visitor.open('/console/explore?dimension=assistant');
    await visitor.logIn(owner);
    await page.getByRole('heading', { name: 'Work units by assistant' }).first().waitFor();
    const picture = async (name: string): Promise<void> => {
      if (pictures !== undefined) await page.screenshot({ path: join(pictures, `${name}.png`), fullPage: true });
    };
    await page.getByText('Claude').first().waitFor();
    await picture('assistants-explore');
    expect(await accessibilityViolations(page)).toEqual([]);

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

    await page.goto(`${running.platform.url}/console/work-units?assistant=Claude`);
    const rows = page.locator('.units tbody tr');
    await rows.first().waitFor();
    await page.getByRole('button', { name: 'Remove the filter Assistant: Claude' }).waitFor();
    const texts = await rows.allInnerTexts();
    expect(texts).toHaveLength(2);
    expect(texts.join('\n')).toContain('with ada@example.com, grace');
    for (const text of texts) expect(text).toContain('Assistant: Claude');
    await picture('assistants-work-units');
    expect(await accessibilityViolations(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });
});
