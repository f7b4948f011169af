import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { WorkUnit } from '../../../src/analytics/work-unit.js';
import { fill, unit } from '../../analytics/graphql/served.js';
import type { TestUser } from '../../support/platform.js';
import { hasBrowser, startConsole, withoutBrowser, type RunningConsole, type Visitor } from '../console.js';
import { lookAtBothThemes } from '../look.js';

const bugfix = { theme: 'quality', subcategory: 'quality.bugfix' } as const;
const feature = { theme: 'feature_delivery', subcategory: 'feature_delivery.roadmap' } as const;

/** Units on a day, with running numbers. */
function many(amount: number, day: string, given: Partial<WorkUnit>): readonly WorkUnit[] {
  const subcategory = given.subcategory ?? bugfix.subcategory;
  return Array.from({ length: amount }, (_, at) =>
    unit({ ...given, id: `${day} ${given.repo} ${subcategory} ${at}`, day, shares: [{ subcategory, share: 1 }] }),
  );
}

/**
 * The first quarter of 2026 has 40 units: 20 on quality, all of them in example/api, and 20 on features in example/web. The
 * quarter before has 20, of which 5 are on quality.
 */
const quarters: readonly WorkUnit[] = [
  unit({
    id: 'first',
    day: '2025-10-01',
    repo: 'example/web',
    team: 'web',
    ...feature,
    shares: [{ subcategory: feature.subcategory, share: 1 }],
  }),
  ...many(14, '2025-11-03', { repo: 'example/web', team: 'web', ...feature }),
  ...many(5, '2025-11-04', { repo: 'example/api', team: 'core', ...bugfix }),
  ...many(20, '2026-02-02', { repo: 'example/web', team: 'web', ...feature }),
  ...many(20, '2026-02-03', { repo: 'example/api', team: 'core', workType: 'pull_request', ...bugfix }),
];

const path = '/console/quarter?range=last_quarter';

describe.skipIf(!hasBrowser)(`The page of the quarter${withoutBrowser}`, () => {
  let running: RunningConsole;
  let owner: TestUser;
  let visitor: Visitor;
  beforeAll(async () => {
    running = await startConsole();
    owner = await running.platform.signUp();
    const { accessToken: token } = owner;
    await running.platform.json('POST', '/api/v1/auth/onboarding/skip-integration', { token });
    await fill(running.platform.databaseUri, owner.orgId, quarters);
    visitor = await running.visitor();
    await visitor.page.clock.setFixedTime('2026-05-10T12:00:00Z');
    await visitor.open('/console/');
    await visitor.logIn(owner);
  });
  afterAll(() => running.stop());

  test('opens after log-in where there is work, and leads with the answer', async () => {
    const { page } = visitor;
    await page.getByRole('heading', { name: 'Your quarter' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/console/quarter');
    await visitor.open(path);
    const where = page.getByRole('region', { name: 'Where the work went' });
    await where.getByText('40 work units, 100% more than the quarter before (20).').waitFor();
    expect(await where.locator('.bar-sentence').allInnerTexts()).toEqual([
      'Feature delivery took 50% of the work, 75% the quarter before.',
      'Work on quality took 50% of the work, 25% the quarter before.',
    ]);
    const why = page.getByRole('region', { name: 'Why it changed' });
    await why
      .getByText('Most of the additional work is in example/api: 20 work units, 5 the quarter before.')
      .waitFor();
    const teams = page.getByRole('region', { name: 'Teams', exact: true }).first();
    expect(await teams.locator('tbody td:first-child').allInnerTexts()).toEqual(['core', 'web']);
    expect(await page.getByText('robin@example.com', { exact: true }).count(), 'names of authors').toBe(0);
    expect(visitor.complaints).toEqual([]);
  });

  test('names what is not known, and compares nothing with it', async () => {
    await visitor.open(`${path}&compare=year_ago`);
    await visitor.page.getByText(/^Not all work before 1 Oct 2025 is known, so nothing is compared\.$/).waitFor();
    await visitor.page.getByText('40 work units count in this period.').waitFor();
    await visitor.page.getByText('How many deployments failed is not known.').waitFor();
  });

  test('leads from a figure to the units behind it', async () => {
    await visitor.open(path);
    await visitor.page.getByRole('link', { name: '40 work units', exact: true }).click();
    await visitor.page.getByText(/^40 work units/).waitFor();
    expect(visitor.complaints).toEqual([]);
  });

  test.each([1280, 390, 1920])('looks well %i pixels wide, in both themes', async (width) => {
    await visitor.open(path);
    await visitor.page.setViewportSize({ width, height: 900 });
    await visitor.page.getByText('What is at risk').waitFor();
    await lookAtBothThemes(visitor, 'quarter', { theme: 'light', width });
  });
});
