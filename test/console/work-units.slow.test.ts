import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { executeHere } from '../../src/platform/sources/sync-runs/jobs/execute-here.js';
import { systemClock } from '../../src/sync/clock.js';
import { systemRandom } from '../../src/sync/random.js';
import { eventually, queueOf } from '../platform/sources/sync-runs/jobs/queue.js';
import type { TestUser } from '../support/platform.js';
import { accessibilityViolations } from './accessibility.js';
import {
  hasBrowser,
  pick,
  reload,
  startConsole,
  withoutBrowser,
  type RunningConsole,
  type Visitor,
} from './console.js';

const pictures = process.env['CONSOLE_PICTURES'];

describe.skipIf(!hasBrowser)(`The work units${withoutBrowser}`, () => {
  let running: RunningConsole;
  let owner: TestUser;
  let visitor: Visitor;
  beforeAll(async () => {
    running = await startConsole({
      environment: { SYNC_JOBS: '1' },
      executeSync: (job, report) =>
        executeHere(job, report, { ...systemClock, ...systemRandom, environment: process.env }),
    });
    owner = await running.platform.signUp();
    const queue = queueOf(running.platform, owner);
    const targets = ['git', 'prs', 'deployments', 'incidents'];
    const config = await queue.configure({ targets, repositories: ['example/api', 'example/web'] });
    const run = await queue.start(config);
    await vi.waitFor(async () => {
      expect((await queue.read(config, run)).status).toBe('complete');
    }, 100_000);
    if (pictures !== undefined) await mkdir(pictures, { recursive: true });
  });
  beforeEach(async () => {
    visitor = await running.visitor();
    await visitor.open('/console/overview');
    await visitor.logIn(owner);
    return () => visitor.context.close();
  });
  afterAll(() => running.stop());

  const heldBack = (): { readonly released: Promise<void>; readonly release: () => void } => {
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    return { released, release };
  };
  const units = (page: Page): ReturnType<Page['locator']> => page.locator('.units tbody tr');
  const title = (page: Page): Promise<string> => units(page).first().locator('.unit-name > :first-child').innerText();

  test('of a flow are listed by a click on it, each with the reason for its theme', async () => {
    const { page, complaints } = visitor;
    const flow = page.getByRole('group', { name: /^Flow of work/ });
    await flow.getByRole('link', { name: /^Quality to example\/api: / }).dispatchEvent('click');
    await page.getByRole('heading', { name: 'Work units', exact: true }).waitFor();
    const address = new URL(page.url());
    expect(address.pathname).toBe('/console/work-units');
    expect(address.searchParams.getAll('theme')).toEqual(['quality']);
    expect(address.searchParams.getAll('repo')).toEqual(['example/api']);
    await units(page).first().waitFor();
    for (const row of await units(page).allInnerTexts()) {
      expect(row).toContain('Quality:');
      expect(row).toContain('example/api');
    }

    const name = await title(page);
    await page
      .getByRole('button', { name: `Why this theme: ${name}` })
      .first()
      .click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Quality:').first().waitFor();
    expect(await dialog.innerText()).toContain(name);
    expect(await dialog.locator('tbody tr').count()).toBeGreaterThan(0);

    for (const theme of ['light', 'dark'] as const) {
      for (const width of [1280, 390]) {
        await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' }); // colours change at once
        await page.setViewportSize({ width, height: 900 });
        if (pictures !== undefined) {
          await page.screenshot({ path: join(pictures, `work-unit-why-${theme}-${width}.png`) });
        }
        expect(await accessibilityViolations(page)).toEqual([]);
      }
    }
    const tab = await visitor.newTab(page.url()); // the address alone shows the same
    await tab.getByRole('dialog').getByText('Quality:').first().waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    expect(new URL(page.url()).searchParams.has('why')).toBe(false);
    expect(complaints).toEqual([]);
  });

  test('are corrected by an admin, with a reason that others see, until the correction is withdrawn', async () => {
    const { page, complaints } = visitor;
    await page.getByRole('link', { name: 'Work units', exact: true }).click();
    await units(page).first().waitFor();
    const name = await title(page);
    const why = page.getByRole('button', { name: `Why this theme: ${name}` }).first();
    const theme = units(page).first().locator('.unit-theme');
    const before = await theme.innerText();
    await why.click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Correct the theme').click();
    await dialog.getByLabel('Theme and subcategory').selectOption('Risk: Compliance');
    await dialog.getByLabel('Reason').fill('The auditor asked for it.');
    await dialog.getByRole('button', { name: 'Save the correction' }).click();
    await dialog.getByText(`Corrected by ${owner.email}`).waitFor();
    await dialog.getByText('“The auditor asked for it.”').waitFor();
    await dialog.locator('details:not([open]) > summary:focus').waitFor();
    await eventually(() => theme.innerText()).toContain('Risk: Compliance');

    await dialog.getByText('Change or withdraw the correction').click();
    expect(await dialog.getByLabel('Reason').inputValue()).toBe('The auditor asked for it.');
    expect(await dialog.getByLabel('Theme and subcategory').inputValue()).toBe('risk.compliance');
    for (const scheme of ['light', 'dark'] as const) {
      for (const width of [1280, 390]) {
        await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
        await page.setViewportSize({ width, height: 900 });
        if (pictures !== undefined) {
          await page.screenshot({ path: join(pictures, `work-unit-corrected-${scheme}-${width}.png`) });
        }
        expect(await accessibilityViolations(page)).toEqual([]);
      }
    }

    const viewer = await running.visitor();
    await viewer.open(page.url());
    await viewer.logIn(await running.platform.signUp({ invitedBy: owner, role: 'viewer' }));
    await viewer.page.getByRole('dialog').getByText('“The auditor asked for it.”').waitFor();
    expect(await viewer.page.getByText('Change or withdraw the correction').count()).toBe(0);
    await viewer.context.close();

    await dialog.getByRole('button', { name: 'Withdraw the correction' }).click();
    await dialog.getByText('Correct the theme').waitFor();
    expect(await dialog.getByText('Corrected by').count()).toBe(0);
    await page.setViewportSize({ width: 1280, height: 900 });
    await eventually(() => theme.innerText()).toBe(before);
    expect([...complaints, ...viewer.complaints]).toEqual([]);
  });

  test('become a rule once one is corrected, which is previewed before it is stored', async () => {
    const { page, complaints, provoke } = visitor;
    provoke(/^409 .*\/rules$/);
    await page.getByRole('link', { name: 'Work units', exact: true }).click();
    await units(page).first().waitFor();
    const name = await title(page);
    await page
      .getByRole('button', { name: `Why this theme: ${name}` })
      .first()
      .click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Correct the theme').click();
    expect(await dialog.getByText('Always classify like this').count()).toBe(0);
    await dialog.getByLabel('Theme and subcategory').selectOption('Risk: Compliance');
    await dialog.getByRole('button', { name: 'Save the correction' }).click();
    await dialog.getByText(`Corrected by ${owner.email}`).waitFor();

    // By the keyboard alone.
    await dialog.locator('summary:focus', { hasText: 'Change or withdraw' }).waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    const choice = dialog.getByLabel('Work that is like this has');
    await choice.waitFor();
    await dialog.getByText(/ work units since .* would change\./).waitFor();
    const first = await choice.inputValue();
    await page.keyboard.press('Tab');
    await page.keyboard.press('ArrowDown');
    await eventually(() => choice.inputValue()).not.toBe(first);
    const button = dialog.getByRole('button', { name: 'Store the rule' });
    await button.waitFor();
    for (const scheme of ['light', 'dark'] as const) {
      for (const width of [1280, 390]) {
        await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
        await page.setViewportSize({ width, height: 900 });
        await button.scrollIntoViewIfNeeded();
        if (pictures !== undefined) {
          await page.screenshot({ path: join(pictures, `work-unit-always-${scheme}-${width}.png`) });
        }
        expect(await accessibilityViolations(page)).toEqual([]);
      }
    }

    const rules = `/api/v1/organizations/${owner.orgId}/rules`;
    const send = (method: string, body?: unknown): ReturnType<typeof running.platform.json> =>
      running.platform.json(method, rules, { token: owner.accessToken, ...(body === undefined ? {} : { body }) });
    await send('PUT', { file: 'rules: [] # of another admin\n' });
    await button.click();
    await dialog.getByText('Other rules have been stored since the file was made.').waitFor();
    await button.click(); // once the preview is about the new rules
    await page.getByText('The rule is stored.').first().waitFor();
    expect((await send('GET')).body.file).toMatch(/^rules: \[.*risk\.compliance.*\] # of another admin$/m);
    await dialog.locator('summary:focus', { hasText: 'Always classify like this' }).waitFor();
    await send('PUT', { file: 'rules: []' });
    await dialog.getByText('Change or withdraw the correction').click();
    await dialog.getByRole('button', { name: 'Withdraw the correction' }).click();
    await dialog.getByText('Correct the theme').waitFor();
    expect(complaints).toEqual([]);
  });

  test('keep what is being entered when another admin corrects the same unit, and save it once', async () => {
    const { page, complaints } = visitor;
    await page.getByRole('link', { name: 'Work units', exact: true }).click();
    await page
      .getByRole('button', { name: /^Why this theme/ })
      .first()
      .click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Correct the theme').click();
    await dialog.getByLabel('Theme and subcategory').selectOption('Risk: Compliance');

    // The list answers later than the explanation: nothing is said about figures until both are known.
    const lists = heldBack();
    await page.route('**/*', async (route) => {
      const sent = `${route.request().url()} ${route.request().postData() ?? ''}`;
      if (sent.includes('dateRange')) await lists.released;
      await route.continue();
    });
    await dialog.getByRole('button', { name: 'Save the correction' }).click();
    await dialog.getByText(`Corrected by ${owner.email}`).waitFor();
    const warning = dialog.getByText('Figures still count other shares');
    expect(await warning.count()).toBe(0);
    lists.release();
    await eventually(() => units(page).first().locator('.unit-theme').innerText()).toContain('Risk: Compliance');
    expect(await warning.count()).toBe(0);
    await page.unrouteAll({ behavior: 'wait' });

    await dialog.getByText('Change or withdraw the correction').click();
    await dialog.getByLabel('Reason').fill('Being entered');
    const id = new URL(page.url()).searchParams.get('why') ?? '';
    const path = `/api/v1/organizations/${owner.orgId}/corrections/${encodeURIComponent(id)}`;
    const body = { subcategory: 'quality.testing', note: 'Of somebody else' };
    expect((await running.platform.json('PUT', path, { token: owner.accessToken, body })).status).toBeLessThan(300);
    // What was asked is stale later, so that coming back to the page asks again.
    await page.evaluate(`{
      const now = Date.now;
      Date.now = () => now() + 20_000;
      window.dispatchEvent(new Event('visibilitychange'));
    }`);
    await dialog.getByText('“Of somebody else”').waitFor({ timeout: 8000 });
    await dialog.getByText('The correction has changed since you opened this form.').waitFor();
    expect(await dialog.getByLabel('Reason').inputValue()).toBe('Being entered');
    expect(await dialog.getByLabel('Theme and subcategory').inputValue()).toBe('risk.compliance');

    const deletion = heldBack();
    const sent: string[] = [];
    await page.route('**/corrections/**', async (route) => {
      sent.push(route.request().method());
      await deletion.released;
      await route.continue();
    });
    const withdraw = dialog.getByRole('button', { name: 'Withdraw the correction' });
    await withdraw.focus();
    await page.keyboard.press('Enter');
    await dialog.locator('button[aria-disabled=true]:focus', { hasText: 'Withdraw the correction' }).waitFor();
    await dialog.getByRole('button', { name: 'Save the correction' }).dispatchEvent('click');
    await withdraw.dispatchEvent('click');
    deletion.release();
    await dialog.getByText('Correct the theme').waitFor();
    expect(sent).toEqual(['DELETE']);
    expect(complaints).toEqual([]);
  });

  test('of a table cell or a point of a line are those that the figure counts', async () => {
    const { page, complaints } = visitor;
    const bars = page.getByRole('region', { name: 'Work by theme', exact: true });
    await bars.getByRole('button', { name: 'As a table' }).click();
    await bars
      .getByRole('row', { name: /^Quality/ })
      .getByRole('link')
      .click();
    await page.getByRole('button', { name: 'Remove the filter Theme: Quality' }).waitFor();
    await page.goBack();

    const lines = page.getByRole('region', { name: /^Completed by/ });
    await lines.locator('.hit').nth(5).hover();
    const point = lines.locator('.point').first();
    const [, value = ''] = /: (\d+)$/.exec((await point.getAttribute('aria-label')) ?? '') ?? [];
    await point.dispatchEvent('click');
    await page.getByText(new RegExp(`^${value} work units?\\.`)).waitFor();
    expect(await page.getByLabel('Only completed units').isChecked()).toBe(true);
    expect(complaints).toEqual([]);
  });

  test('are sorted by a click on a heading, and shown page by page', async () => {
    const { page, complaints } = visitor;
    await page.getByRole('link', { name: 'Work units', exact: true }).click();
    await page.getByText(/^50 of /).waitFor();
    const latest = await title(page);
    await page.getByRole('button', { name: 'Lines' }).click();
    await page.locator('th[aria-sort=descending]', { hasText: 'Lines' }).waitFor();
    await eventually(() => title(page)).not.toBe(latest);
    const lines = (await page.locator('.units tbody tr td:last-child').allInnerTexts()).map((text) =>
      Number(text.replaceAll(',', '')),
    );
    expect(lines).toEqual([...lines].sort((a, b) => b - a));
    await page.getByRole('button', { name: 'Show more work units' }).click();
    await page.getByText(/^100 of /).waitFor();
    await reload(page);
    await page.locator('th[aria-sort=descending]', { hasText: 'Lines' }).waitFor();
    expect(complaints).toEqual([]);
  });

  test('are filtered by adding and removing filters, and the query for programs is shown', async () => {
    const { page, complaints } = visitor;
    await page.goto(new URL('/console/work-units', running.platform.url).href);
    await page.getByText('Add a filter').click();
    await page.getByLabel('Filter by').selectOption('Type of work');
    await pick(page, 'Value', 'Incident');
    const chip = page.getByRole('button', { name: 'Remove the filter Type of work: Incident' });
    await chip.waitFor();
    await eventually(async () => new Set(await page.locator('.unit-name .muted').allInnerTexts())).toEqual(
      new Set(['Incident · example/api', 'Incident · example/web']),
    );
    await page.getByRole('button', { name: 'Show the query', exact: true }).click();
    const curl = await page.getByRole('dialog').locator('pre').first().innerText();
    expect(curl).toContain("-H 'X-Persisted-Query-Id: work-units'");
    expect(curl).toContain('"filters":{"workTypes":["incident"]}');
    await page.keyboard.press('Escape');
    await chip.click();
    await page.getByText(/^50 of /).waitFor();
    expect(complaints).toEqual([]);
  });
});
