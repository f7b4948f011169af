import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fill, smallOrganization } from '../analytics/graphql/served.js';
import type { TestUser } from '../support/platform.js';
import { makeSuperuser } from '../support/superuser.js';
import { hasBrowser, startConsole, withoutBrowser, type RunningConsole, type Visitor } from './console.js';
import { lookAt, someAppearances, type Appearance } from './look.js';
import { preparePeople } from './people-data.js';
import { prepareServiceTokens } from './service-tokens-data.js';
import { prepareSources } from './sources-data.js';
import { prepareTeams } from './teams-data.js';
import { prepareWebhooks } from './webhooks-data.js';

/** Pages that ask the server for something, with a text that shows when they have it. */
const pages = [
  { name: 'overview', path: '/overview?range=custom&start=2026-01-01&end=2026-03-31', ready: 'Flow of work' },
  {
    name: 'delivery',
    path: '/delivery?range=custom&start=2026-01-01&end=2026-03-31',
    ready: 'No reviews are known in this period.',
  },
  { name: 'explore', path: '/explore?range=custom&start=2026-01-01&end=2026-03-31', ready: 'by theme, by week' },
  { name: 'work-units', path: '/work-units?range=custom&start=2026-01-01&end=2026-04-30', ready: '4 work units' },
  { name: 'sources', path: '/sources', ready: 'of 12 repositories' },
  { name: 'sync', path: '/sources/$sync', ready: 'The latest run failed' },
  { name: 'people', path: '/people', ready: '✓ accepted' },
  { name: 'teams', path: '/teams', ready: 'platform/operations' },
  { name: 'organization', path: '/organization', ready: 'Next:' },
  { name: 'audit-log', path: '/audit-log', ready: 'LOGIN' },
  { name: 'service-tokens', path: '/service-tokens', ready: '– revoked' },
  { name: 'webhooks', path: '/webhooks', ready: 'Slow reviews' },
  { name: 'accounts', path: '/accounts', ready: 'vic@example.com' },
  { name: 'installed-organizations', path: '/accounts/organizations', ready: 'owned by' },
  { name: 'installation-audit-log', path: '/installation/audit-log', ready: 'LOGIN' },
  { name: 'account-activity', path: '/account/activity', ready: 'LOGIN' },
  { name: 'account', path: '/account', ready: 'Last used' },
] as const;

/** The fate of the requests of pages: they are answered, stay unanswered, or fail to connect. */
type Network = 'answers' | 'is silent' | 'fails';

/** The session and the account: without them there is no page. */
const always = /\/auth\/(?:browser-session|me$)/;

describe.skipIf(!hasBrowser)(`The states of pages${withoutBrowser}`, () => {
  let running: RunningConsole;
  let owner: TestUser;
  let viewer: TestUser;
  let syncId = '';
  beforeAll(async () => {
    running = await startConsole();
    const { platform } = running;
    owner = await platform.signUp({ email: 'robin@example.com', organization: 'Quiet Rivers' });
    await fill(platform.databaseUri, owner.orgId, smallOrganization);
    for (const prepare of [prepareSources, preparePeople, prepareTeams, prepareServiceTokens, prepareWebhooks])
      await prepare(platform, owner);
    await makeSuperuser(platform, owner); // for the accounts of the server
    viewer = await platform.signUp({ email: 'vic@example.com', invitedBy: owner, role: 'viewer' });
    const [sync] = await platform.database.sql<{ id: string }[]>`
      select id from sync_configs where name = 'All services'`;
    syncId = sync?.id ?? '';
  });
  afterAll(() => running.stop());

  /** An owner at the log-in page, whose network the test decides on. */
  const visit = async (
    appearance: Appearance,
  ): Promise<
    Visitor & { readonly network: (state: Network) => void; readonly go: (path: string) => Promise<void> }
  > => {
    const visitor = await running.visitor(appearance);
    let network: Network = 'answers';
    visitor.provoke(/^net::ERR_FAILED /);
    await visitor.page.clock.install();
    await visitor.open('/console/account');
    await visitor.logIn(owner);
    await visitor.context.route(/\/(?:api\/v1|graphql)/, (route) => {
      if (network === 'answers' || always.test(route.request().url())) return route.continue();
      return network === 'fails' ? route.abort() : undefined;
    });
    return {
      ...visitor,
      network: (state) => (network = state),
      go: (path) => visitor.open(`/console${path.replace('$sync', syncId)}`),
    };
  };

  test('a page with truncated scripts says so, and loads with a click', async () => {
    const { page, context, open } = await running.visitor();
    await context.route(/\.js$/, (route) => route.abort());
    await open('/console/overview');
    await page.getByText('The page has not loaded').waitFor();
    await context.unroute(/\.js$/);
    await page.getByRole('link', { name: 'load it again' }).click();
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
    expect(await page.getByText('The page has not loaded').count()).toBe(0);
    await context.close();
  });

  describe.each(someAppearances)('in the $theme theme, $width pixels wide', (appearance) => {
    test('loading: placeholders', { timeout: 120_000 }, async () => {
      const visitor = await visit(appearance);
      visitor.network('is silent');
      for (const { name, path } of pages) {
        await visitor.go(path);
        await visitor.page.locator('main .skeleton').first().waitFor();
        await lookAt(visitor, `${name}-loading`, appearance);
      }
      await visitor.context.close();
    });

    test('problem: what happened, what to do, and a retry button', { timeout: 120_000 }, async () => {
      const visitor = await visit(appearance);
      visitor.network('fails');
      for (const { name, path } of pages) {
        await visitor.go(path);
        await visitor.page.getByText('The server cannot be reached').first().waitFor();
        await visitor.page.getByRole('button', { name: 'Try again' }).first().waitFor();
        await lookAt(visitor, `${name}-problem`, appearance);
      }
      await visitor.context.close();
    });

    test('stale: the old data below a banner', { timeout: 120_000 }, async () => {
      const visitor = await visit(appearance);
      const { page } = visitor;
      for (const { name, path, ready } of pages) {
        visitor.network('answers');
        await visitor.go(path);
        await page.getByText(ready).first().waitFor();
        visitor.network('fails');
        await page.clock.fastForward(20_000); // what was asked before counts as fresh for a while
        await page.evaluate(`document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))`); // back in the tab
        await page.getByText('as of').first().waitFor();
        expect(await page.getByText(ready).first().isVisible(), name).toBe(true);
        await lookAt(visitor, `${name}-stale`, appearance);
      }
      await visitor.context.close();
    });

    test('missing role: the required role, and whom to ask', async () => {
      const visitor = await running.visitor(appearance);
      await visitor.open('/console/audit-log');
      await visitor.logIn(viewer);
      await visitor.page.getByText('audit:read').waitFor();
      await lookAt(visitor, 'audit-log-forbidden', appearance);
      await visitor.context.close();
    });
  });
});
