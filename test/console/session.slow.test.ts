import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Page } from 'playwright-core';
import { startTestPlatform, type TestUser } from '../support/platform.js';
import { createTestDatabase } from '../support/postgres.js';
import { hasBrowser, reload, startConsole, withoutBrowser, type RunningConsole, type Visitor } from './console.js';

describe.skipIf(!hasBrowser)(`The session of the console${withoutBrowser}`, () => {
  let running: RunningConsole;
  beforeAll(async () => {
    running = await startConsole();
  });
  afterAll(() => running.stop());

  const cookieUrl = (): string => `${running.platform.url}/api/v1/auth/browser-session`;

  /** Everything in which a script of the page could find a token. */
  function readableBy(page: Page): Promise<unknown> {
    return page.evaluate(`({ cookie: document.cookie, local: { ...localStorage }, session: { ...sessionStorage } })`);
  }
  const nothingOfTheSession = { cookie: '', local: { 'plumbline.theme': 'system' }, session: {} };
  const loggedIn = { ...nothingOfTheSession, local: { 'plumbline.theme': 'system', 'plumbline.logged-in': 'true' } };

  /** The clock of the server is moved, and that of the browser is not, which cannot renew its token in time then. */
  const expiredToken = /^401 \/(?:graphql$|api\/v1\/(?!auth\/browser-session))/;

  async function insider(path: string, user: TestUser): Promise<Visitor> {
    const visitor = await running.visitor();
    await visitor.open(path);
    await visitor.logIn(user);
    return visitor;
  }

  test('shows the login when it is ended from another browser, and then the same page', async () => {
    const user = await running.platform.signUp();
    const path = '/console/audit-log?action=LOGIN';
    const one = await insider(path, user);
    await one.page.getByRole('region', { name: 'Records' }).waitFor();
    const other = await insider('/console/account', user);
    one.provoke('401 /api/v1/admin/audit-log', '401 /api/v1/auth/browser-session/refresh');
    await other.page.getByText('✓ this session').waitFor();
    await other.page.getByRole('button', { name: 'End all others' }).click();
    await other.page
      .getByRole('dialog')
      .getByRole('button', { name: /End \d+ session/ })
      .click();
    await other.page.getByText(/session(s have| has) ended/).waitFor();

    await one.page.getByLabel('Kind of resource').fill('session');
    await one.page.getByRole('button', { name: 'Apply' }).click();
    await one.page.getByText('Your session has ended').waitFor();
    const address = `${running.platform.url}${path}&resource_kind=SESSION`;
    expect(one.page.url()).toBe(address);
    await one.logIn(user);
    await one.page.getByRole('region', { name: 'Records' }).waitFor();
    expect(one.page.url()).toBe(address);
    expect([...one.complaints, ...other.complaints]).toEqual([]);
  });

  test('an anonymous visitor causes no failing request, neither in a second tab nor after a logout', async () => {
    const user = await running.platform.signUp();
    const { page, open, newTab, logIn, complaints } = await running.visitor();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await open('/console/account');
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
    expect(asked.filter((path) => path.startsWith('/api/'))).toEqual([]);
    const tab = await newTab('/console/account');
    await tab.getByRole('heading', { name: 'Log in' }).waitFor();
    await logIn(user);
    await tab.getByText('Last used').waitFor();
    await tab.getByRole('button', { name: 'Log out' }).first().click();
    for (const each of [page, tab]) {
      await each.getByRole('heading', { name: 'Log in' }).waitFor();
      await reload(each);
      await each.getByRole('heading', { name: 'Log in' }).waitFor();
    }
    expect(complaints).toEqual([]);
  });

  test('an expired session is requested only once', async () => {
    const user = await running.platform.signUp();
    const { page, context, complaints } = await insider('/console/account', user);
    await page.getByText('Last used').waitFor();
    await context.clearCookies();
    for (let visits = 0; visits < 2; visits++) {
      await reload(page);
      await page.getByRole('heading', { name: 'Log in' }).waitFor();
    }
    expect(await readableBy(page)).toEqual(nothingOfTheSession);
    expect(complaints).toEqual(['failed: 401 /api/v1/auth/browser-session/refresh']);
  });

  test('an access token is renewed before it expires', async () => {
    const user = await running.platform.signUp();
    const { page, open, logIn, complaints } = await running.visitor();
    await page.clock.install();
    await open('/console/account');
    await logIn(user);
    await page.getByText('Last used').waitFor();
    running.platform.clock.advance(15 * 60 - 10);
    await page.clock.setSystemTime(Date.now() + (15 * 60 - 10) * 1000);
    const renewal = page.waitForResponse(/browser-session\/refresh$/);
    await page.getByRole('link', { name: 'Organization' }).click();
    expect((await renewal).status()).toBe(200);
    await page.getByText('Next:').waitFor();
    expect(complaints).toEqual([]);
  });

  test('log-out reaches the other tabs of the browser', async () => {
    const user = await running.platform.signUp();
    const { page, newTab, context } = await insider('/console/account', user);
    const tab = await newTab('/console/account');
    await tab.getByText('Last used').waitFor();
    await tab.getByRole('button', { name: 'Log out' }).first().click();
    for (const each of [page, tab]) await each.getByRole('heading', { name: 'Log in' }).waitFor();
    // The one that is left is that of the API client. The pages do not wait for the server to end the other.
    const sessions = async (): Promise<unknown[]> => {
      const reply = await running.platform.json('GET', '/api/v1/auth/sessions', { token: user.accessToken });
      return reply.body.items;
    };
    await expect.poll(sessions, { timeout: 20_000 }).toHaveLength(1);
    await expect.poll(() => context.cookies(cookieUrl())).toEqual([]);
    await reload(page);
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
  });

  test('a log-out that did not reach the server is repeated at the next start', async () => {
    const user = await running.platform.signUp();
    const { page, context } = await insider('/console/account', user);
    await page.getByText('Last used').waitFor();
    const address = '**/api/v1/auth/browser-session';
    await context.route(address, (route) => route.abort());
    await page.getByRole('button', { name: 'Log out' }).first().click();
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
    await reload(page);
    await page.getByRole('button', { name: 'Try again' }).waitFor();
    await context.unroute(address);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
    expect(await context.cookies(cookieUrl())).toEqual([]);
    expect(await readableBy(page)).toEqual(nothingOfTheSession);
  });

  test('a reload and a new tab are logged in, and no script can read the token', async () => {
    const user = await running.platform.signUp();
    const { page, newTab, context, complaints } = await insider('/console/account', user);
    await page.getByText('Last used').waitFor();
    const tab = await newTab('/console/account');
    await tab.getByText('Last used').waitFor();
    await reload(page);
    await page.getByText('Last used').waitFor();
    for (const each of [page, tab]) expect(await readableBy(each)).toEqual(loggedIn);
    expect(await context.cookies(cookieUrl())).toMatchObject([
      { name: 'plumbline_session', httpOnly: true, sameSite: 'Strict', path: '/api/v1/auth/browser-session' },
    ]);
    // The cookie does not go to any other address.
    expect(await context.cookies(`${running.platform.url}/console/`)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  test('many tabs that start at once are all logged in, and stay so', async () => {
    const user = await running.platform.signUp();
    const { newTab, complaints, provoke } = await insider('/console/account', user);
    provoke(expiredToken);
    const tabs = await Promise.all(Array.from({ length: 4 }, () => newTab('/console/account')));
    for (const each of tabs) await each.getByText('Last used').waitFor();
    running.platform.clock.advance(16 * 60);
    await Promise.all(tabs.map((each) => each.getByRole('link', { name: 'Organization' }).click()));
    for (const each of tabs) await each.getByText('Next:').waitFor();
    expect(complaints).toEqual([]);
  });

  test('log-in in one tab logs in the other tabs', async () => {
    const user = await running.platform.signUp();
    const { open, page, newTab, logIn } = await running.visitor();
    await open('/console/account');
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
    const tab = await newTab('/console/account');
    await logIn(user, tab);
    await page.getByText('Last used').waitFor();
  });

  test('a change of the organization reaches the other tabs, and stays after a reload', async () => {
    const owner = await running.platform.signUp({ organization: 'Loud Mountains' });
    const user = await running.platform.signUp({ organization: 'Quiet Rivers' });
    const invite = { token: owner.accessToken, body: { email: user.email, role: 'admin' } };
    await running.platform.json('POST', `/api/v1/organizations/${owner.orgId}/invites`, invite);
    const { token } = await running.platform.lastMail(user.email);
    await running.platform.json('POST', '/api/v1/auth/accept-invite', { token: user.accessToken, body: { token } });
    const { page, newTab, complaints, provoke } = await insider('/console/account', user);
    provoke(expiredToken);
    const tab = await newTab('/console/organization');
    const named = async (each: Page): Promise<string> => (await each.getByRole('banner').textContent()) ?? '';
    await tab.getByText('Next:').waitFor();
    const before = await named(tab);
    await page
      .getByRole('listitem')
      .getByRole('button', { name: /Use|Switch/ })
      .first()
      .click();
    await expect.poll(() => named(tab)).not.toBe(before);
    const after = await named(tab);
    running.platform.clock.advance(3600);
    await reload(page);
    await expect.poll(() => named(page)).toBe(after);
    expect(complaints).toEqual([]);
  });

  test('continues after the access token has expired, with many requests at once', async () => {
    const user = await running.platform.signUp();
    const { page, complaints, provoke } = await insider('/console/account', user);
    provoke(expiredToken);
    await page.getByText('Last used').waitFor();
    running.platform.clock.advance(16 * 60);
    await page.getByRole('link', { name: 'Organization' }).click();
    await page.getByText('Next:').waitFor();
    await page.getByRole('link', { name: 'Audit log' }).click();
    await page.getByRole('region', { name: 'Records' }).waitFor();
    expect(complaints).toEqual([]);
  });

  test('continues after the access token has expired in a browser without locks, as without TLS', async () => {
    const user = await running.platform.signUp();
    const visitor = await running.visitor();
    await visitor.context.addInitScript('delete Navigator.prototype.locks');
    await visitor.open('/console/account');
    await visitor.logIn(user);
    visitor.provoke(expiredToken);
    await visitor.page.getByText('Last used').waitFor();
    running.platform.clock.advance(16 * 60);
    await visitor.page.getByRole('link', { name: 'Organization' }).click();
    await visitor.page.getByText('Next:').waitFor();
    expect(visitor.complaints).toEqual([]);
  });

  test('a page opened offline says so, and loads when the connection is back', async () => {
    const user = await running.platform.signUp();
    const { page, context, complaints, provoke } = await insider('/console/account', user);
    await page.getByText('Last used').waitFor();
    provoke(/^net::ERR_INTERNET_DISCONNECTED /);
    await context.setOffline(true);
    await page.getByRole('link', { name: 'Audit log' }).click();
    await page.getByText('The page could not be loaded').waitFor();
    await page.getByText('Check the connection').waitFor();
    await context.setOffline(false);
    await page.getByRole('region', { name: 'Records' }).waitFor();
    expect(complaints).toEqual([]);
  });

  test('changing the password keeps this session and says so', async () => {
    const user = await running.platform.signUp();
    const { page, complaints, provoke } = await insider('/console/account', user);
    provoke('403 /api/v1/auth/change-password');
    await page.getByLabel('Current password').fill('not the password 1');
    await page.getByLabel('New password', { exact: true }).fill('nine loud mountains 9');
    await page.getByRole('button', { name: 'Change the password' }).click();
    await page.getByRole('alert').waitFor();
    await page.getByLabel('Current password').fill(user.password);
    await page.getByRole('button', { name: 'Change the password' }).click();
    await page.locator('.toast').waitFor();
    await reload(page);
    await page.getByText('Last used').waitFor();
    expect(complaints).toEqual([]);
  });
});

test.skipIf(!hasBrowser)(
  `A page keeps its data while the server restarts, and recovers by itself${withoutBrowser}`,
  async () => {
    const database = await createTestDatabase();
    const running = await startConsole({ databaseUri: database.uri });
    const environment = { PORT: new URL(running.platform.url).port };
    const user = await running.platform.signUp({ organization: 'Quiet Rivers' });
    const { page, open, logIn } = await running.visitor();
    try {
      await page.clock.install();
      await open('/console/account');
      await logIn(user);
      await page.getByText('Last used').waitFor();
      await page.getByRole('link', { name: 'Organization' }).click();
      await page.getByText('Next:').waitFor();
      await running.platform.running.stop();
      await page.getByRole('link', { name: 'Account' }).click();
      await page.clock.fastForward(20_000); // what was asked before counts as fresh for a while
      await page.getByRole('link', { name: 'Organization' }).click();
      await page.getByText('The server cannot be reached').first().waitFor();
      await page.getByText('Next:').waitFor(); // the data stay

      const restarted = await startTestPlatform({ environment, databaseUri: database.uri });
      try {
        await page.clock.fastForward(6000);
        await page.getByText('The server cannot be reached').first().waitFor({ state: 'detached' });
        await page.getByText('Next:').waitFor();
      } finally {
        await restarted.stop();
      }
    } finally {
      await running.stop();
      await database.drop();
    }
  },
);
