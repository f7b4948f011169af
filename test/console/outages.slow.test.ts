import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fill, smallOrganization } from '../analytics/graphql/served.js';
import type { TestUser } from '../support/platform.js';
import { hasBrowser, startConsole, withoutBrowser, type RunningConsole, type Visitor } from './console.js';

/** What nginx answers while the server behind it is away. */
const awayPage = { contentType: 'text/html', body: '<html><h1>Bad Gateway</h1><hr>nginx</html>' };
const overview = '/console/overview?range=custom&start=2026-01-01&end=2026-03-31';

describe.skipIf(!hasBrowser)(`The console in front of an unreliable server${withoutBrowser}`, () => {
  let running: RunningConsole;
  let owner: TestUser;
  beforeAll(async () => {
    running = await startConsole();
    owner = await running.platform.signUp({ organization: 'Quiet Rivers' });
    await fill(running.platform.databaseUri, owner.orgId, smallOrganization);
  });
  afterAll(() => running.stop());

  const visit = async (path: string): Promise<Visitor> => {
    const visitor = await running.visitor();
    await visitor.page.clock.install();
    await visitor.open(path);
    await visitor.logIn(owner);
    return visitor;
  };

  test.each([502, 503, 504])('recovers by itself from the error page of a proxy with status %i', async (status) => {
    const { page, context, open, provoke, complaints } = await visit('/console/account');
    provoke(`${status} /graphql`);
    await context.route(/\/graphql/, (route) => route.fulfill({ status, ...awayPage }));
    await open(overview);
    await page.getByText('The server is away').first().waitFor();
    expect(await page.getByText('is not in the contract').count()).toBe(0);
    await context.unroute(/\/graphql/);
    await page.clock.fastForward(6000);
    await page.getByText('Flow of work').first().waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });

  test('starts by itself after a proxy has answered its first request', async () => {
    const { page, context, open, provoke, complaints } = await visit('/console/account');
    await page.getByText('Last used').waitFor();
    provoke('502 /api/v1/auth/browser-session/refresh');
    const address = '**/api/v1/auth/browser-session/refresh';
    await context.route(address, (route) => route.fulfill({ status: 502, ...awayPage }));
    await open('/console/account');
    await page.getByText('The server is away').waitFor();
    await context.unroute(address);
    await page.clock.fastForward(6000);
    await page.getByText('Last used').waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });

  test('waits as long as a rate limit asks, and then asks again by itself', async () => {
    const { page, context, open, provoke, complaints } = await visit('/console/account');
    provoke('429 /graphql');
    let asked = 0;
    await context.route(/\/graphql/, (route) => {
      asked += 1;
      const error = { message: 'Too many requests.', extensions: { code: 'RATE_LIMITED', retry_after_seconds: 60 } };
      return route.fulfill({
        status: 429,
        headers: { 'retry-after': '60', 'content-type': 'application/graphql-response+json' },
        body: JSON.stringify({ errors: [error] }),
      });
    });
    await open(overview);
    await page.getByRole('heading', { name: 'Too many requests' }).waitFor();
    expect(await page.getByText('RATE_LIMITED').count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
    const before = asked;
    await page.clock.fastForward(50_000);
    expect(asked).toBe(before);
    await context.unroute(/\/graphql/);
    await page.clock.fastForward(15_000);
    await page.getByText('Flow of work').first().waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });

  test('loads a page by itself whose module failed while the server restarted', async () => {
    const { page, context, provoke, complaints } = await visit('/console/account');
    await page.getByText('Last used').waitFor();
    provoke(/^502 \//, /^net::ERR_/);
    const everything = /\/console\//;
    await context.route(everything, (route) => route.fulfill({ status: 502, ...awayPage }));
    await page.getByRole('link', { name: 'Teams' }).click();
    await page.getByText('The page could not be loaded').waitFor();
    await page.clock.fastForward(11_000);
    await page.getByText('The page could not be loaded').waitFor();
    await context.unroute(everything);
    await page.clock.fastForward(6000);
    await page.getByRole('button', { name: 'New team' }).waitFor();
    expect(complaints.filter((each) => !each.includes('dynamically imported module'))).toEqual([]);
    await context.close();
  });

  const endSessionOf = async ({ page, provoke }: Visitor, user: TestUser): Promise<void> => {
    provoke(/^401 /);
    await running.platform.json('DELETE', '/api/v1/auth/sessions', { token: user.accessToken });
    await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
    await page.getByText('Your session has ended').waitFor();
  };

  const enterTeam = async (page: Visitor['page']): Promise<void> => {
    await page.getByRole('button', { name: 'New team' }).first().click();
    await page.getByRole('dialog').getByLabel('Id', { exact: true }).fill('river-crew');
    await page.getByRole('dialog').getByLabel('Name', { exact: true }).fill('River crew');
    await page.getByRole('dialog').getByLabel('Members').fill('ada@example.com');
  };

  test('keeps what was entered in a form when the session ends, and sends it after the log-in', async () => {
    const user = await running.platform.signUp({ organization: 'Still Lakes' });
    const visitor = await running.visitor();
    const { page, context, open, logIn, complaints } = visitor;
    await open('/console/teams');
    await logIn(user);
    await enterTeam(page);
    await endSessionOf(visitor, user);
    expect(await page.getByText('River crew').isVisible()).toBe(false);
    await logIn(user);
    await page.getByText('Your session has ended').waitFor({ state: 'detached' });
    await page.getByText('River crew').first().waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(complaints).toEqual([]);
    await context.close();
  });

  test('shows nothing of a session that has ended to another user', async () => {
    const other = await running.platform.signUp({ email: 'lee@example.com', organization: 'Loud Hills' });
    const user = await running.platform.signUp({ organization: 'Still Lakes' });
    const visitor = await running.visitor();
    const { page, context, open, logIn, complaints } = visitor;
    await open('/console/teams');
    await logIn(user);
    await enterTeam(page);
    await endSessionOf(visitor, user);
    await logIn(other);
    await page.getByText('Loud Hills').first().waitFor();
    await page.getByRole('button', { name: 'New team' }).first().waitFor();
    expect(await page.locator('input[name=id]').count()).toBe(0);
    expect(await page.getByText('Still Lakes').count()).toBe(0);
    expect(complaints).toEqual([]);
    await context.close();
  });
});
