import { afterAll, beforeAll, expect, it } from 'vitest';
import { exampleRequests, initOf, urlOf, type ExampleRequest } from '../../../support/examples.js';
import { startTestPlatform, type TestPlatform, type TestUser } from '../../../support/platform.js';

/** Every operation that works on an organization, with a valid request for each. */
const operations = exampleRequests('platform').filter(({ path }) => /^\/api\/v1\/(?:admin|organizations)\//.test(path));

let platform: TestPlatform;
let owner: TestUser;
let viewer: TestUser;
let orgless: TestUser;
let stranger: TestUser;

beforeAll(async () => {
  platform = await startTestPlatform();
  owner = await platform.signUp();
  viewer = await platform.signUp({ invitedBy: owner, role: 'viewer' });
  orgless = await platform.signUp({ organization: null });
  stranger = await platform.signUp();
});

afterAll(() => platform.stop());

/** Sends the request as `by`, to the organization of `owner` where the path names one. */
async function send(example: ExampleRequest, by: TestUser): Promise<{ status: number; problem: unknown }> {
  const parameters = example.parameters.map((each) =>
    each.name === 'org_id' ? { ...each, value: owner.orgId } : each,
  );
  const init = initOf(example);
  const headers = new Headers(init.headers);
  headers.set('Authorization', `Bearer ${by.accessToken}`);
  const reply = await platform.fetch(platform.url + urlOf({ ...example, parameters }), { ...init, headers });
  const { type }: { type?: unknown } = Object(await reply.json());
  return { status: reply.status, problem: type };
}

/** How many rows there are of everything that an organization owns. */
async function rows(): Promise<unknown> {
  const [counts] = await platform.database.sql`
    select (select count(*) from memberships) as memberships, (select count(*) from invites) as invites,
      (select count(*) from integrations) as integrations, (select count(*) from sync_configs) as sync_configs,
      (select count(*) from sync_runs) as sync_runs, (select count(*) from pushed_records) as pushes, (select count(*) from outgoing_mails) as mails`;
  return counts;
}

it('covers the operations of organizations, freshness, teams, classification, views, provisioning, webhooks, thresholds, service tokens, SSO, integrations, sync, records, set-up and the audit log', () => {
  expect(operations).toHaveLength(88);
});

async function expectRefused(example: ExampleRequest, by: TestUser, problem: string): Promise<void> {
  const before = await rows();
  expect(await send(example, by)).toEqual({ status: 403, problem: `/problems/${problem}` });
  expect(await rows()).toEqual(before);
}

it.each(operations)('$operationId is refused to a token without an organization', async (example) => {
  await expectRefused(example, orgless, 'organization-required');
});

const forViewers = [
  ...['getOrganization', 'listMembers', 'listTeams', 'getTeam', 'getTeamAssignment', 'listViews', 'getFreshness'],
  ...['getRules', 'getAuthors', 'getAuthorSuggestions', 'getCalendar', 'listCorrections', 'listEnvironments'],
];
const forAdmins = operations.filter(({ operationId }) => !forViewers.includes(operationId));

it.each(forAdmins)('$operationId is refused to a viewer', async (example) => {
  await expectRefused(example, viewer, 'insufficient-role');
});

const namingOne = operations.filter(({ path }) => path.includes('{org_id}'));

it.each(namingOne)('$operationId is refused to the owner of another organization', async (example) => {
  await expectRefused(example, stranger, 'organization-mismatch');
});
