import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { TestUser } from '../support/platform.js';
import { hasBrowser, reload, startConsole, withoutBrowser, type RunningConsole, type Visitor } from './console.js';

describe.skipIf(!hasBrowser)(`With the keyboard${withoutBrowser}`, () => {
  let running: RunningConsole;
  let owner: TestUser;
  let visitor: Visitor;
  beforeAll(async () => {
    running = await startConsole();
    owner = await running.platform.signUp();
  });
  beforeEach(async () => {
    visitor = await running.visitor();
    await visitor.open('/console/account');
    await visitor.logIn(owner);
    await visitor.page.getByText('Last used').waitFor();
    return () => visitor.context.close();
  });
  afterAll(() => running.stop());

  /** The element that has the focus: its tag and its text. */
  const focused = (): Promise<unknown> =>
    visitor.page.evaluate(`[document.activeElement.tagName, document.activeElement.innerText]`);

  test('the first tab stop is a link that skips the navigation', async () => {
    const { page } = visitor;
    await reload(page);
    await page.getByText('Last used').waitFor();
    await page.keyboard.press('Tab');
    expect(await focused()).toEqual(['A', 'Skip to the content']);
    await page.keyboard.press('Enter');
    expect(await page.evaluate('document.activeElement.id')).toBe('main');
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.closest("main") !== null')).toBe(true);
  });

  test('the heading of a page has the focus after navigation', async () => {
    const { page } = visitor;
    for (const name of ['Overview', 'Sources', 'Teams', 'Audit log', 'API']) {
      await page.getByRole('navigation').getByRole('link', { name, exact: true }).focus();
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name, level: 1 }).waitFor();
      await expect.poll(focused).toEqual(['H1', name]);
      expect(await page.title()).toBe(`${name} · Plumbline`);
    }
  });

  test('a slash focuses the search or the filter of the page, and is text in a field', async () => {
    const { page } = visitor;
    for (const [path, label] of [
      ['overview', 'Period'],
      ['explore', 'Measure'],
      ['work-units', 'Period'],
      ['audit-log', 'Action'],
    ] as const) {
      await visitor.open(`/console/${path}`);
      const field = page.locator('main :is(input, select)').and(page.getByLabel(label, { exact: true }));
      await field.waitFor();
      await page.keyboard.press('/');
      expect(await page.locator(':focus').getAttribute('id')).toBe(await field.getAttribute('id'));
    }
    await page.keyboard.type('/');
    expect(await page.getByLabel('Action', { exact: true }).inputValue()).toBe('/');
  });

  test('a key right after Esc opens the dialog again', async () => {
    const { page } = visitor;
    const dialog = page.getByRole('dialog', { name: 'Download your data' });
    await page.getByRole('button', { name: 'Download your data' }).press('Enter');
    for (let times = 0; times < 20; times++) {
      await dialog.waitFor();
      await Promise.all([page.keyboard.press('Escape'), page.keyboard.press('Enter')]);
    }
    await dialog.waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
  });

  test('what is typed into a filter stays when the page is rendered again', async () => {
    const { page, context } = visitor;
    let answer: (() => void) | undefined;
    const waits = new Promise<void>((resolve) => (answer = resolve));
    await context.route('**/audit-log*', async (route) => {
      if (new URL(route.request().url()).pathname.startsWith('/api/')) await waits;
      await route.continue();
    });
    await visitor.open('/console/audit-log');
    const field = page.getByLabel('Action', { exact: true });
    await field.pressSequentially('LOG');
    answer?.();
    await page.getByRole('table').waitFor();
    expect(await field.inputValue()).toBe('LOG');
    await context.unroute('**/audit-log*');
  });

  test('a question mark opens the help, and Esc closes it and restores the focus', async () => {
    const { page, complaints } = visitor;
    const link = page.getByRole('navigation').getByRole('link', { name: 'Account' });
    await link.focus();
    await page.keyboard.press('?');
    const dialog = page.getByRole('dialog', { name: 'Keyboard' });
    await dialog.waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    expect(await focused()).toEqual(['A', 'Account']);
    expect(complaints).toEqual([]);
  });

  test('a question mark opens the help as soon as the page is rendered', async () => {
    const { page } = visitor;
    await page.addInitScript(`new MutationObserver((_changes, observer) => {
      if (document.querySelector('nav') === null) return;
      observer.disconnect();
      dispatchEvent(new KeyboardEvent('keydown', { key: '?' }));
    }).observe(document, { childList: true, subtree: true })`);
    await reload(page);
    await page.getByRole('dialog', { name: 'Keyboard' }).waitFor();
  });

  test('the focused element is outlined', async () => {
    const { page } = visitor;
    await page.getByRole('button', { name: 'Log out' }).first().focus();
    await page.keyboard.press('Tab');
    expect(
      await page.evaluate(`(() => {
        const { outlineStyle, outlineWidth } = getComputedStyle(document.activeElement);
        return outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2;
      })()`),
    ).toBe(true);
  });

  test('nothing moves with prefers-reduced-motion', async () => {
    const { page, context } = visitor;
    await page.emulateMedia({ reducedMotion: 'reduce' });
    let answer: (() => void) | undefined;
    const waits = new Promise<void>((resolve) => (answer = resolve));
    await context.route('**/graphql**', async (route) => {
      await waits;
      await route.continue();
    });
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByText('Loading the overview').waitFor({ state: 'attached' });
    const endless = `document.getAnimations().filter((each) => each.effect.getComputedTiming().iterations === Infinity).length`;
    expect(await page.evaluate(endless)).toBe(0);
    await page.emulateMedia({ reducedMotion: 'no-preference' });
    expect(await page.evaluate(endless)).toBeGreaterThan(0);
    answer?.();
    await page.getByText('No work in this period').waitFor();
  });
});
