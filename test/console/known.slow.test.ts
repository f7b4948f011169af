import { readFile } from 'node:fs/promises';
import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { WorkUnit } from '../../src/analytics/work-unit.js';
import { fill, unit } from '../analytics/graphql/served.js';
import { writeHistory } from '../support/git-history.js';
import type { TestUser } from '../support/platform.js';
import { hasBrowser, pick, startConsole, withoutBrowser, type RunningConsole, type Visitor } from './console.js';
import { clone as cloneOf } from '../sync/daily-commits.js';
import { sync } from '../sync/harness.js';
import { lookAt, someAppearances } from './look.js';

/** What a clone of a project tells that squashes its requests: one commit each, with one time. */
const squashed = Array.from({ length: 30 }, (_, index): WorkUnit => {
  const day = new Date(Date.parse('2026-02-04') + index * 86_400_000).toISOString().slice(0, 10);
  const at = Date.parse(`${day}T10:00:00Z`);
  return unit({ id: `request ${index}`, workType: 'pull_request', day, startedAt: at, completedAt: at });
});

/** More repositories than a list has values; the last ones have the fewest units. */
const many = Array.from({ length: 121 }, (_, index) =>
  unit({ id: `of ${index}`, repo: `acme/service-${String(index).padStart(3, '0')}`, day: '2026-02-10' }),
);

/** In pixels, of the PNG file of a chart. */
async function pictureHeight(chart: Locator): Promise<number> {
  const picture = chart.page().waitForEvent('download');
  await chart.getByRole('button', { name: /as PNG$/ }).click();
  return (await readFile(await (await picture).path())).readUInt32BE(20);
}

const period = 'range=custom&start=2026-01-28&end=2026-03-01';

describe.skipIf(!hasBrowser)(`What the console knows${withoutBrowser}`, () => {
  let running: RunningConsole;
  let clone: TestUser;
  let large: TestUser;
  let visitor: Visitor;
  beforeAll(async () => {
    running = await startConsole();
    clone = await running.platform.signUp({ organization: 'Clone' });
    large = await running.platform.signUp({ organization: 'Large' });
    await fill(running.platform.databaseUri, clone.orgId, squashed);
    await fill(running.platform.databaseUri, large.orgId, many);
  });
  beforeEach(async () => {
    visitor = await running.visitor();
  });
  afterEach(async () => {
    expect(visitor.complaints).toEqual([]);
    await visitor.context.close();
  });
  afterAll(() => running.stop());

  const open = async (user: TestUser, path: string): Promise<Page> => {
    await visitor.open(`/console/${path}`);
    await visitor.logIn(user);
    return visitor.page;
  };

  test('a cycle time that a clone does not tell is not shown as 0', async () => {
    const page = await open(clone, `overview?${period}`);
    const card = page.locator('.totals div', { hasText: 'Cycle time of pull requests' });
    await card.getByText('–', { exact: true }).waitFor();
    await card.getByText('not known: no first commit to measure from').waitFor();
    await page.getByText('When the work of this period began is not known').waitFor();
    await page.getByText('Nothing is known of this period.').waitFor();
    expect(await page.locator('.totals').innerText()).not.toContain('0 h');
  });

  test('reviews and deployments that a clone does not tell are not said to be none', async () => {
    const page = await open(clone, `delivery?${period}`);
    await page.getByText('No reviews are known in this period. Code hosts report them; a clone has none.').waitFor();
    await page.getByText('no deployments to production are known').first().waitFor();
    expect(await page.getByText('No request was merged').count()).toBe(0);
    // The charts of deployments, lead times and open requests have no invented axes.
    await expect.poll(() => page.getByText('Nothing is known of this period.').count()).toBe(3);
  });

  test('a period before that is known in part only is not compared with', async () => {
    const page = await open(clone, 'overview?range=custom&start=2026-02-16&end=2026-03-05');
    await page.getByText('known since 4 Feb 2026: nothing to compare with').waitFor();
    await page.getByLabel('First day').fill('2026-02-21');
    await page.getByText('than the period before').waitFor();
  });

  test('a period of which days are in the future is not compared', async () => {
    const page = await open(clone, 'overview?range=custom&start=2026-02-21&end=2026-03-05');
    await page.getByText('than the period before').waitFor();
    await page.clock.setFixedTime('2026-03-04T12:00:00Z');
    await page.getByLabel('First day').fill('2026-02-22');
    await page.getByText('not over yet: nothing to compare with').waitFor();
  });

  test.each(someAppearances)(
    'partial weeks are marked in the chart, its table and its file ($theme, $width)',
    async (appearance) => {
      await visitor.context.close();
      visitor = await running.visitor(appearance);
      const page = await open(
        clone,
        'explore?dimension=work_type&interval=week&range=custom&start=2026-01-20&end=2026-03-04',
      );
      const chart = page.getByRole('region', { name: 'Work units by type of work, by week', exact: true });
      await chart.getByText('only a part of the days').waitFor();
      // The week of the first known day, and that of the last one.
      expect(await chart.locator('svg[role] rect.partial').count()).toBe(2);
      await lookAt(visitor, 'explore-partial', appearance);
      const csv = page.waitForEvent('download');
      await chart.getByRole('button', { name: /as CSV$/ }).click();
      const lines = (await readFile(await (await csv).path(), 'utf8')).split('\r\n');
      expect(lines).toEqual([
        '\uFEFFFrom,Pull request,Days,Known since',
        '2026-01-19,,not known,2026-02-04',
        '2026-01-26,,not known,2026-02-04',
        '2026-02-02,5,partial,2026-02-04',
        '2026-02-09,7,all,2026-02-04',
        '2026-02-16,7,all,2026-02-04',
        '2026-02-23,7,all,2026-02-04',
        '2026-03-02,3,partial,2026-02-04',
        '',
      ]);
    },
  );

  test('charts, files and pictures say that a sync read only the later commits of a repository', async () => {
    const user = await running.platform.signUp({ organization: 'Limited' });
    const { databaseUri: db } = running.platform;
    await fill(db, user.orgId, [unit({ id: 'old', workType: 'pull_request', day: '2025-12-01' })]);
    const repoPath = cloneOf('busy', [5, 6, 7, 8, 9]);
    await sync({ target: 'git', provider: 'local', db, org: user.orgId, repoPath, maxCommitsPerRepo: '3' });
    const page = await open(user, 'explore?dimension=repo&interval=week&range=custom&start=2025-12-29&end=2026-01-15');
    const chart = page.getByRole('region', { name: 'Work units by repository', exact: true });
    const sentence = /Not all work before .*7.* is known: syncs read only the later commits of busy\./;
    await chart.getByText(sentence).waitFor();
    const csv = page.waitForEvent('download');
    await chart.getByRole('button', { name: /as CSV$/ }).click();
    expect(await readFile(await (await csv).path(), 'utf8')).toBe(
      '\uFEFFRepository,Work units,Known since\r\nbusy,3,2026-01-07\r\n',
    );
    const height = await pictureHeight(chart);
    await page.goto(page.url().replace('2025-12-29', '2026-01-07'));
    await chart.waitFor();
    expect(await page.getByText(sentence).count()).toBe(0);
    // A picture has a line more.
    expect(height).toBe((await pictureHeight(chart)) + 40);
    await page.goto(page.url().replace('explore', 'overview').replace('2026-01-07', '2025-12-29'));
    await expect.poll(() => page.getByText(sentence).count()).toBeGreaterThan(3);
    // Requests, deployments and incidents are known.
    await page.goto(page.url().replace('overview', 'delivery'));
    await page.getByText('no deployments to production are known').first().waitFor();
    expect(await page.getByText(sentence).count()).toBe(0);
  });

  test('charts, files and totals say when the last sync was, if the period ends later', async () => {
    const user = await running.platform.signUp({ organization: 'Read once' });
    const repoPath = cloneOf('once', [5, 6, 7, 8, 9, 12, 13]);
    await sync({ target: 'git', provider: 'local', db: running.platform.databaseUri, org: user.orgId, repoPath });
    const page = await open(user, 'overview?range=custom&start=2026-01-11&end=2026-01-15');
    await page.getByText('than the period before').waitFor();
    await page.getByLabel('Last day').fill('2026-01-16');
    await page.getByText('known until 14 Jan 2026: nothing to compare with').waitFor();
    await page.goto(page.url().replace('overview?', 'explore?dimension=repo&interval=week&'));
    const chart = page.getByRole('region', { name: 'Work units by repository', exact: true });
    await chart.getByText('Known until 14 Jan 2026, the day of the last sync.').waitFor();
    const csv = page.waitForEvent('download');
    await chart.getByRole('button', { name: /as CSV$/ }).click();
    expect(await readFile(await (await csv).path(), 'utf8')).toBe(
      '\uFEFFRepository,Work units,Known until\r\nonce,2,2026-01-14\r\n',
    );
  });

  test('the risk of directories says from how many commits it is known', async () => {
    const user = await running.platform.signUp({ organization: 'Files' });
    const repoPath = cloneOf('files', []);
    await writeHistory(repoPath, 60);
    await sync({ target: 'git', provider: 'local', db: running.platform.databaseUri, org: user.orgId, repoPath });
    const page = await open(user, 'delivery?scope=REPO%3Afiles&range=custom&start=2017-07-01&end=2017-07-31');
    const banner = page.getByRole('note');
    await banner.getByText('files and directories are ranked by 50 of 60 commits').waitFor();
    expect(await banner.innerText()).toMatch(/^Known since .*14.*2017: .* whose changed files are known \(83\s?%\)\.$/);
  });

  test('any of more repositories than a list has can be searched and chosen', async () => {
    const page = await open(large, `overview?${period}`);
    const show = page.getByRole('combobox', { name: 'Show' });
    await show.click();
    await page.getByText('There are more. Type to find them.').waitFor();
    expect(await page.getByRole('option', { name: 'acme/service-120' }).count()).toBe(0);
    await show.fill('SERVICE-12');
    await page.getByRole('option', { name: 'acme/service-120' }).waitFor();
    await lookAt(visitor, 'overview-picker', { theme: 'light', width: 1280 });
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await expect.poll(() => show.inputValue()).toBe('acme/service-120');
    expect(new URL(page.url()).searchParams.get('scope')).toBe('REPO:acme/service-120');
    await page.locator('.totals dd', { hasText: /^1$/ }).first().waitFor();
    await pick(page, 'Show', 'The whole organization');
    await page.locator('.totals dd', { hasText: /^121$/ }).first().waitFor();
  });
});
