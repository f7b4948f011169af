import { fill, smallOrganization } from '../analytics/graphql/served.js';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { exampleDefinition } from '../platform/figures/views/definition.js';
import type { TestPlatform, TestUser } from '../support/platform.js';
import { deliveredWork } from './delivery-data.js';
import { preparePeople } from './people-data.js';
import { prepareProvisioning } from './provisioning-data.js';
import { prepareServiceTokens } from './service-tokens-data.js';
import { prepareSources } from './sources-data.js';
import { prepareSso } from './sso-data.js';
import { prepareTeams } from './teams-data.js';
import { deadUrl, prepareWebhooks } from './webhooks-data.js';

/** A page of the console as the walk of `pages.slow.test.ts` visits it. Add each new page, and each state that looks different. */
export interface ConsoleRoute {
  /** Names the test, and the picture. */
  readonly name: string;
  /** Below `/console`. */
  readonly path: string;
  /** `visitor`: nobody is logged in. `newcomer`: an account without an organization. `founder`: an owner who has not connected a code host yet. `superuser`: one without an organization. */
  readonly as: ConsoleRole;
  /** A text that shows when the page has what it asked the server for. */
  readonly ready: string | RegExp;
  /** Prepares what the page shows, once, before any page is visited. */
  readonly prepare?: (platform: TestPlatform, owner: TestUser) => Promise<void>;
  /** What to do before looking: open a dialog, submit a form. */
  readonly act?: (page: Page) => Promise<void>;
  /** The request of the page, or of `act`, that the server refuses, as `Visitor.provoke` names it. */
  readonly provokes?: string | RegExp;
}

export const consoleRoles = ['visitor', 'newcomer', 'founder', 'owner', 'superuser'] as const;
export type ConsoleRole = (typeof consoleRoles)[number];

/** Fills in fields by their labels, and presses a button. */
const submit =
  (fields: Readonly<Record<string, string>>, button: string, then: string | RegExp) =>
  async (page: Page): Promise<void> => {
    for (const [label, value] of Object.entries(fields)) await page.getByLabel(label, { exact: true }).fill(value);
    await page.getByRole('button', { name: button, exact: true }).click();
    await page.getByText(then).first().waitFor();
  };

export const consoleRoutes: readonly ConsoleRoute[] = [
  { name: 'log-in', path: '/overview', as: 'visitor', ready: 'Log in' },
  { name: 'sso', path: '/login/sso', as: 'visitor', ready: 'Continue' },
  {
    name: 'sso-of-an-unknown-domain',
    path: '/login/sso',
    as: 'visitor',
    ready: 'Continue',
    act: submit({ 'E-mail address': 'robin@unknown.example' }, 'Continue', 'unknown.example has no SSO here'),
  },
  {
    name: 'sso-of-an-unknown-organization',
    path: '/login/sso/b6d3a7c8-1e2f-4b5a-8c9d-3e4f5a6b7c03',
    as: 'visitor',
    ready: 'The organization has no SSO',
    provokes: '404 /api/v1/auth/sso/b6d3a7c8-1e2f-4b5a-8c9d-3e4f5a6b7c03/start',
  },
  {
    name: 'sso-that-has-expired',
    path: '/login/sso/b6d3a7c8-1e2f-4b5a-8c9d-3e4f5a6b7c03/callback#code=a&state=b',
    as: 'visitor',
    ready: 'The organization has no SSO',
    provokes: '404 /api/v1/auth/sso/b6d3a7c8-1e2f-4b5a-8c9d-3e4f5a6b7c03/login',
  },
  { name: 'quarter', path: '/quarter?range=this_year', as: 'owner', ready: 'Compared with' },
  {
    name: 'overview',
    path: '/overview?range=custom&start=2026-01-01&end=2026-03-31',
    as: 'owner',
    ready: 'Flow of work',
    prepare: (platform, owner) => fill(platform.databaseUri, owner.orgId, smallOrganization),
  },
  {
    name: 'overview-as-tables',
    path: '/overview?range=custom&start=2026-01-01&end=2026-03-31&scope=TEAM%3Aweb',
    as: 'owner',
    ready: 'Flow of work',
    act: async (page) => {
      const chart = page.getByRole('button', { name: 'As a table' });
      while ((await chart.count()) > 0) await chart.first().click();
    },
  },
  {
    name: 'overview-query',
    path: '/overview?range=custom&start=2026-01-01&end=2026-03-31',
    as: 'owner',
    ready: 'Flow of work',
    act: (page) => page.getByRole('button', { name: 'Show the query', exact: true }).click(),
  },
  {
    name: 'overview-empty',
    path: '/overview?range=custom&start=2020-01-01&end=2020-03-31',
    as: 'owner',
    ready: 'No work in this period',
  },
  {
    name: 'delivery',
    path: '/delivery?range=custom&start=2025-11-01&end=2025-11-30',
    as: 'owner',
    ready: 'Four keys by team',
    prepare: (platform, owner) => fill(platform.databaseUri, owner.orgId, deliveredWork),
  },
  {
    name: 'delivery-as-tables',
    path: '/delivery?range=custom&start=2025-11-01&end=2025-11-30&scope=REPO%3Aexample%2Fapi',
    as: 'owner',
    ready: 'No commits in this period',
    act: async (page) => {
      await page.getByText('Open pull requests').first().waitFor();
      const chart = page.getByRole('button', { name: 'As a table' });
      while ((await chart.count()) > 0) await chart.first().click();
    },
  },
  {
    name: 'explore',
    path: '/explore?range=custom&start=2026-01-01&end=2026-03-31&dimension=team&measure=throughput&theme=quality',
    as: 'owner',
    ready: 'Completed work units by team, by week',
  },
  {
    name: 'explore-views',
    path: '/explore?range=custom&start=2026-01-01&end=2026-03-31',
    as: 'owner',
    ready: 'Quality by team',
    prepare: async (platform, owner) => {
      const path = `/api/v1/organizations/${owner.orgId}/views`;
      const body = { name: 'Quality by team', definition: exampleDefinition };
      await platform.json('POST', path, { token: owner.accessToken, body });
    },
    act: async (page) => {
      await page.getByRole('button', { name: 'Rename or delete' }).click();
      await page.getByText('Rename', { exact: true }).click();
    },
  },
  {
    name: 'explore-limit',
    path: '/explore?range=365d&interval=day',
    as: 'owner',
    ready: 'at most 100 points can be asked for',
  },
  {
    name: 'work-units',
    path: '/work-units?range=custom&start=2026-01-01&end=2026-04-30&theme=quality&theme=risk&author=robin%40example.com&author=kim%40example.com',
    as: 'owner',
    ready: 'Add a filter',
    act: (page) => page.getByText('Add a filter').click(),
  },
  {
    name: 'work-unit-without-records',
    path: '/work-units?range=custom&start=2026-01-01&end=2026-04-30&why=b',
    as: 'owner',
    ready: 'The records of this unit are gone',
  },
  { name: 'work-units-empty', path: '/work-units?author=nobody', as: 'owner', ready: 'No work unit matches' },
  {
    name: 'log-in-refused',
    path: '/login',
    as: 'visitor',
    provokes: '401 /api/v1/auth/login',
    ready: 'Log in',
    act: submit({ 'E-mail address': 'nobody@example.com', Password: 'wrong' }, 'Log in', 'Details'),
  },
  { name: 'register', path: '/register', as: 'visitor', ready: 'Create account' },
  {
    name: 'register-violations',
    path: '/register',
    as: 'visitor',
    provokes: '422 /api/v1/auth/register',
    ready: 'Create account',
    act: submit(
      { 'E-mail address': 'sam@example.com', Password: 'qwertyuiop12' },
      'Create account',
      'Correct the marked fields',
    ),
  },
  {
    name: 'check-mail',
    path: '/register',
    as: 'visitor',
    ready: 'Create account',
    act: async (page) => {
      const email = `walk-${Date.now()}@example.com`;
      await submit({ 'E-mail address': email, Password: 'seven quiet rivers 7' }, 'Create account', 'Look into')(page);
    },
  },
  { name: 'verify-without-token', path: '/verify', as: 'visitor', ready: 'Open the link of the mail again' },
  { name: 'verify', path: '/verify#token=nothing', as: 'visitor', ready: 'Verify the address' },
  {
    name: 'verify-refused',
    path: '/verify#token=nothing',
    as: 'visitor',
    provokes: '400 /api/v1/auth/verify',
    ready: 'Verify the address',
    act: submit({}, 'Verify the address', 'Details'),
  },
  { name: 'not-me', path: '/not-me#token=abc', as: 'visitor', ready: 'Delete the account' },
  { name: 'not-me-without-token', path: '/not-me', as: 'visitor', ready: 'Open the link of the mail again' },
  {
    name: 'not-me-refused',
    path: '/not-me#token=abc',
    as: 'visitor',
    provokes: '400 /api/v1/auth/disown',
    ready: 'Delete the account',
    act: submit({}, 'Delete the account', 'Details'),
  },
  { name: 'confirm-email', path: '/confirm-email#token=abc', as: 'visitor', ready: 'Confirm the change' },
  {
    name: 'confirm-email-without-token',
    path: '/confirm-email',
    as: 'visitor',
    ready: 'Open the link of the mail again',
  },
  {
    name: 'confirm-email-refused',
    path: '/confirm-email#token=abc',
    as: 'visitor',
    provokes: '400 /api/v1/auth/change-email/verify',
    ready: 'Confirm the change',
    act: submit({}, 'Confirm the change', 'Details'),
  },
  { name: 'secure-account', path: '/secure-account#token=abc', as: 'visitor', ready: 'Secure my account' },
  {
    name: 'secure-account-refused',
    path: '/secure-account#token=abc',
    as: 'visitor',
    provokes: '400 /api/v1/auth/secure-account',
    ready: 'Secure my account',
    act: submit({}, 'Secure my account', 'Details'),
  },
  {
    name: 'provider-callback-refused',
    path: '/login/callback/github#code=a&state=b',
    as: 'visitor',
    provokes: '400 /api/v1/auth/providers/github/login',
    ready: 'Start again',
  },
  { name: 'forgot-password', path: '/forgot-password', as: 'visitor', ready: 'Send the link' },
  { name: 'reset-password', path: '/reset-password#token=abc', as: 'visitor', ready: 'Change the password' },
  { name: 'accept-invite', path: '/accept-invite#token=abc', as: 'visitor', ready: 'Create an account' },
  { name: 'onboarding-workspace', path: '/onboarding', as: 'newcomer', ready: 'Name of the organization' },
  { name: 'onboarding-integration', path: '/onboarding', as: 'founder', ready: 'Connect and test' },
  {
    name: 'keyboard-help',
    path: '/overview',
    as: 'owner',
    ready: 'Overview',
    act: async (page) => {
      await page.keyboard.press('?');
      await page.getByRole('dialog').waitFor();
    },
  },
  { name: 'sources', path: '/sources', as: 'owner', ready: 'of 12 repositories', prepare: prepareSources },
  { name: 'sources-empty', path: '/sources', as: 'founder', ready: 'No code host is connected' },
  {
    name: 'sources-connect',
    path: '/sources',
    as: 'founder',
    provokes: '422 /api/v1/admin/integrations',
    ready: 'No code host is connected',
    act: async (page) => {
      await page.getByRole('button', { name: 'Connect a code host' }).click();
      await submit({ Name: ' ', 'Access token': 'x' }, 'Connect and test', 'Correct the marked fields')(page);
    },
  },
  {
    name: 'sources-new-sync',
    path: '/sources',
    as: 'founder',
    provokes: '422 /api/v1/admin/sync-configs',
    ready: 'Nothing is read yet',
    act: async (page) => {
      await page.getByRole('button', { name: 'New sync' }).click();
      await page.getByLabel('Read from').selectOption('Made-up data');
      const targets = page.getByRole('group', { name: 'What to read' }).getByRole('checkbox');
      for (const target of await targets.all()) await target.uncheck();
      await submit({ Name: 'All', Repositories: 'acme/api' }, 'Create', 'Correct the marked fields')(page);
    },
  },
  {
    name: 'sources-choose',
    path: '/sources',
    as: 'founder',
    ready: 'Nothing is read yet',
    act: async (page) => {
      await page.getByRole('button', { name: 'New sync' }).click();
      await page.getByLabel('Read from').selectOption('Made-up data');
      await page.getByText('Choose from a list').click();
      await page.getByLabel('acme/web-shop').check();
    },
  },
  {
    name: 'sync-failed',
    path: '/sources',
    as: 'owner',
    ready: 'All services',
    act: async (page) => {
      await page.getByRole('link', { name: 'All services' }).click();
      await page.getByText('The latest run failed').waitFor();
    },
  },
  {
    name: 'sync-running',
    path: '/sources',
    as: 'owner',
    ready: 'Web',
    act: async (page) => {
      await page.getByRole('link', { name: 'Web', exact: true }).click();
      await page.getByRole('progressbar').waitFor();
    },
  },
  { name: 'people', path: '/people', as: 'owner', ready: '✓ accepted', prepare: preparePeople },
  {
    name: 'people-refused',
    path: '/people',
    as: 'owner',
    provokes: /^409 .*\/invites$/,
    ready: '✓ accepted',
    act: async (page) => {
      await page.getByText('What each role may do').click();
      await submit({ 'E-mail address': 'vera@example.com' }, 'Invite', 'Details')(page);
    },
  },
  {
    name: 'people-leave',
    path: '/people',
    as: 'founder',
    ready: 'Nobody has been invited yet',
    act: async (page) => {
      await page.getByRole('button', { name: /^Leave/ }).click();
      await page.getByRole('dialog').waitFor();
    },
  },
  { name: 'app-installation', path: '/app-installation', as: 'owner', ready: 'Begin again' },
  {
    name: 'rules',
    path: '/rules',
    as: 'owner',
    ready: 'Rules file',
    act: async (page) => {
      await page.getByLabel('Patterns of production').fill('eu-*');
      await page.getByRole('button', { name: 'Preview' }).click();
      await page.getByText('This is a preview.').waitFor();
    },
  },
  { name: 'teams', path: '/teams', as: 'owner', ready: 'platform/operations', prepare: prepareTeams },
  {
    name: 'teams-edit',
    path: '/teams',
    as: 'owner',
    provokes: /^422 .*\/teams\/payments$/,
    ready: 'platform/operations',
    act: async (page) => {
      await page.getByRole('button', { name: 'Edit payments' }).click();
      await submit({ Repositories: '' }, 'Save', 'neither members nor repositories')(page);
    },
  },
  { name: 'teams-empty', path: '/teams', as: 'founder', ready: 'There are no teams yet' },
  {
    name: 'teams-import-refused',
    path: '/teams',
    as: 'founder',
    provokes: /^422 .*\/teams$/,
    ready: 'There are no teams yet',
    act: async (page) => {
      await page.getByRole('button', { name: 'Import a file' }).click();
      const file = 'teams:\n  - id: web\n    color: red\n  - members: ada\n';
      await submit({ 'Content of the file': file }, 'Import', 'Line 4')(page);
    },
  },
  { name: 'organization', path: '/organization', as: 'owner', ready: 'Next:' },
  {
    name: 'organization-sso',
    path: '/organization',
    as: 'owner',
    ready: 'idp.example.com',
    prepare: prepareSso,
    act: async (page) => {
      await page.getByText('Change', { exact: true }).click();
      await page.getByLabel('Recovery owner').waitFor();
    },
  },
  {
    name: 'account-link-sso',
    path: '/account?sso=b6d3a7c8-1e2f-4b5a-8c9d-3e4f5a6b7c03',
    as: 'owner',
    ready: 'Link the SSO',
  },
  {
    name: 'organization-delete',
    path: '/organization',
    as: 'founder',
    ready: 'Ownership',
    act: async (page) => {
      await page.getByRole('button', { name: 'Delete the organization' }).click();
      await page.getByRole('dialog').waitFor();
    },
  },
  {
    name: 'organization-hand-over',
    path: '/organization',
    as: 'owner',
    ready: 'Ownership',
    act: async (page) => {
      await page.getByRole('button', { name: 'Hand over' }).click();
      await page.getByLabel('New owner').waitFor();
    },
  },
  {
    name: 'audit-log',
    path: '/audit-log',
    as: 'owner',
    ready: 'LOGIN',
    act: async (page) => {
      const records = `document.querySelector('[aria-label="Records"]')`;
      expect(await page.evaluate(`${records}.scrollWidth - ${records}.clientWidth`), 'pixels beyond the card').toBe(0);
    },
  },
  {
    name: 'accounts',
    path: '/accounts',
    as: 'superuser',
    ready: 'robin@example.com',
    act: async (page) => {
      await page.getByRole('button', { name: 'Disable robin@example.com' }).click();
      await page.getByRole('dialog').waitFor();
    },
  },
  {
    name: 'installed-organizations',
    path: '/accounts/organizations',
    as: 'superuser',
    ready: 'owned by robin@example.com',
  },
  {
    name: 'installed-organizations-empty',
    path: '/accounts/organizations?search=nothing-like-this',
    as: 'superuser',
    ready: 'No organization matches',
  },
  { name: 'accounts-empty', path: '/accounts?search=nobody%40', as: 'superuser', ready: 'No account matches' },
  { name: 'installation-audit-log', path: '/installation/audit-log', as: 'superuser', ready: 'LOGIN' },
  { name: 'audit-log-empty', path: '/audit-log?action=NO_SUCH_THING', as: 'owner', ready: 'No record matches' },
  {
    name: 'api',
    path: '/api',
    as: 'owner',
    ready: 'timeseries-weekly',
    act: (page) => page.getByText('catalog-limits', { exact: true }).click(),
  },
  {
    name: 'service-tokens',
    path: '/service-tokens',
    as: 'owner',
    ready: '– revoked',
    prepare: prepareServiceTokens,
  },
  {
    name: 'provisioning',
    path: '/provisioning',
    as: 'owner',
    ready: 'Developers',
    prepare: prepareProvisioning,
  },
  { name: 'provisioning-empty', path: '/provisioning', as: 'founder', ready: 'There are no groups yet' },
  { name: 'service-tokens-empty', path: '/service-tokens', as: 'founder', ready: 'There are no service tokens yet' },
  {
    name: 'service-tokens-refused',
    path: '/service-tokens',
    as: 'owner',
    provokes: /^422 .*\/service-tokens$/,
    ready: '– revoked',
    act: async (page) => {
      await page.getByRole('button', { name: 'New token' }).click();
      await submit({ Name: 'Nightly export' }, 'Create', 'Choose or enter at least one')(page);
    },
  },
  {
    name: 'service-tokens-secret',
    path: '/service-tokens',
    as: 'owner',
    ready: '– revoked',
    act: async (page) => {
      await page.getByRole('button', { name: 'Rotate Nightly export' }).click();
      // One more secret with an overlap per appearance would exceed the limit.
      await page.getByLabel('Accept earlier secrets for').selectOption('Not at all');
      await submit({}, 'Rotate', 'Copy the secret now')(page);
    },
  },
  { name: 'webhooks', path: '/webhooks', as: 'owner', ready: 'Slow reviews', prepare: prepareWebhooks },
  { name: 'webhooks-empty', path: '/webhooks', as: 'founder', ready: 'There are no thresholds yet' },
  {
    name: 'webhooks-refused',
    path: '/webhooks',
    as: 'owner',
    provokes: /^422 .*\/webhooks$/,
    ready: 'Slow reviews',
    act: async (page) => {
      await page.getByRole('button', { name: 'New webhook' }).click();
      await submit({ URL: 'https://hooks.example.com/' }, 'Create', 'Choose or enter at least one')(page);
    },
  },
  {
    name: 'webhooks-secret',
    path: '/webhooks',
    as: 'owner',
    ready: 'Slow reviews',
    act: async (page) => {
      await page.getByRole('button', { name: `Rotate ${deadUrl}`, exact: true }).click();
      // One more overlapping secret per appearance would exceed the limit.
      await page.getByLabel('Also sign with the previous secret for').selectOption('Not at all');
      await submit({}, 'Rotate', 'Copy the secret now')(page);
    },
  },
  {
    name: 'webhooks-edit',
    path: '/webhooks',
    as: 'owner',
    ready: 'Slow reviews',
    act: async (page) => {
      await page.getByRole('button', { name: `Edit ${deadUrl}`, exact: true }).click();
      await page.getByRole('dialog').waitFor();
    },
  },
  {
    name: 'webhooks-deliveries',
    path: '/webhooks',
    as: 'owner',
    ready: 'Slow reviews',
    act: async (page) => {
      await page.getByRole('button', { name: `Deliveries ${deadUrl}`, exact: true }).click();
      await page.getByText('Payload').first().click();
    },
  },
  {
    name: 'thresholds-new',
    path: '/webhooks',
    as: 'owner',
    ready: 'Slow reviews',
    act: async (page) => {
      await page.getByRole('button', { name: 'New threshold' }).click();
      await page.getByText('Add a filter').click();
    },
  },
  { name: 'account', path: '/account', as: 'owner', ready: 'Last used' },
  ...['Change the e-mail address', 'Download your data', 'Delete the account'].map((task) => ({
    name: `account-${task.toLowerCase().replaceAll(' ', '-')}`,
    path: '/account',
    as: 'owner' as const,
    ready: 'Last used',
    act: async (page: Page) => {
      await page.getByRole('button', { name: task }).click();
      await page.getByRole('dialog').waitFor();
    },
  })),
  { name: 'account-activity', path: '/account/activity', as: 'owner', ready: 'LOGIN' },
  { name: 'account-without-organization', path: '/account', as: 'newcomer', ready: 'You belong to no organization' },
  { name: 'no-such-page', path: '/nothing', as: 'owner', ready: 'There is no such page' },
];
