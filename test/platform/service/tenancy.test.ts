import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fill, unit } from '../../analytics/graphql/served.js';
import { startTestPlatform, type JsonReply, type TestPlatform, type TestUser } from '../../support/platform.js';
import { createServiceToken } from '../../support/service-token.js';
import { exampleDefinition } from '../views/definition.js';
import { exampleOf, named, platformExamples, sendExample } from './send-example.js';

/** One organization with something of everything. */
interface Tenant {
  readonly owner: TestUser;
  /** By the name of the path parameter. */
  readonly ids: Readonly<Record<string, string>>;
  /** Names, addresses and ids that no other organization may ever see. */
  readonly marks: readonly string[];
}

let platform: TestPlatform;
let own: Tenant;
let foreign: Tenant;
beforeAll(async () => {
  platform = await startTestPlatform();
  own = await createTenant('ownmark');
  foreign = await createTenant('foreignmark');
});
afterAll(() => platform.stop());

const pathParameters = (path: string): string[] => [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '');
const addressed = platformExamples.filter(({ path }) => pathParameters(path).length > 0);
const unaddressed = platformExamples.filter(
  ({ path, needsCredential }) => !path.includes('{') && needsCredential && path !== '/api/v1/service-tokens/current',
);

describe('A member of one organization cannot access another', () => {
  test.each(named(addressed))('$name with ids of another organization', async ({ example }) => {
    const names = pathParameters(example.path);
    const before = await everythingOf(foreign);
    // Each way to mix ids of both, except to use one's own alone.
    for (let mix = 1; mix < 2 ** names.length; mix++) {
      const parameters = Object.fromEntries(
        names.map((name, index) => [name, idOf((mix >> index) & 1 ? foreign : own, name)]),
      );
      const reply = await sendExample(platform, example, { token: own.owner.accessToken, parameters });
      expect([403, 404], JSON.stringify(parameters)).toContain(reply.status);
      expectNothingOf(foreign, reply, Object.values(parameters));
    }
    expect(await everythingOf(foreign)).toEqual(before);
  });

  test.each(named(unaddressed.filter(({ method }) => method === 'GET')))(
    '$name shows only the organization of the caller',
    async ({ example }) => {
      const reply = await sendExample(platform, example, { token: own.owner.accessToken });
      expect(reply.status).toBe(200);
      expectNothingOf(foreign, reply, []);
    },
  );

  test('the audit log cannot be filtered by a user of another organization', async () => {
    const path = `/api/v1/admin/audit-log?user_id=${foreign.owner.userId}`;
    const reply = await platform.json('GET', path, { token: own.owner.accessToken });
    expect(reply.body).toEqual({ items: [], next_cursor: null });
  });

  test('ids of another organization in a body are refused', async () => {
    const { accessToken: token } = own.owner;
    const before = await everythingOf(foreign);
    const elsewhere = { org_id: foreign.owner.orgId };
    const switched = await platform.json('POST', '/api/v1/auth/switch-org', { token, body: elsewhere });
    expect(switched.status).toBe(403);
    const { email, password } = own.owner;
    const login = await platform.json('POST', '/api/v1/auth/login', { body: { email, password, ...elsewhere } });
    expect(login.status).toBe(403);
    const body = { ...syncConfig('borrowed'), integration_id: foreign.ids['integration_id'] };
    const created = await platform.json('POST', '/api/v1/admin/sync-configs', { token, body });
    expect(created.status).toBe(422);
    const patch = `/api/v1/admin/sync-configs/${own.ids['sync_config_id']}`;
    const { integration_id } = body;
    expect((await platform.json('PATCH', patch, { token, body: { integration_id } })).status).toBe(422);
    for (const reply of [switched, login, created]) expectNothingOf(foreign, reply, []);
    expect(await everythingOf(foreign)).toEqual(before);
  });

  test('a superuser reads the organization of the token only', async () => {
    const { email, password, userId } = await platform.signUp({ organization: 'Operators' });
    await platform.database.sql`update users set is_superuser = true where id = ${userId}`;
    const login = await platform.json('POST', '/api/v1/auth/login', { body: { email, password } });
    const path = `/api/v1/organizations/${foreign.owner.orgId}/members`;
    expect((await platform.json('GET', path, { token: login.body.access_token })).status).toBe(403);
  });
});

function idOf(tenant: Tenant, name: string): string {
  const id = tenant.ids[name];
  if (id === undefined) throw new Error(`A tenant of this test has no ${name}`);
  return id;
}

function expectNothingOf({ marks }: Tenant, { body, headers }: JsonReply, sent: readonly string[]): void {
  const text = JSON.stringify([body, [...headers]]).toLowerCase();
  for (const mark of marks) if (!sent.includes(mark)) expect(text).not.toContain(mark.toLowerCase());
}

/** All rows of an organization, so that a write shows as well. */
async function everythingOf({ owner }: Tenant): Promise<unknown> {
  const { sql } = platform.database;
  const { orgId, userId } = owner;
  return Promise.all([
    sql`select * from organizations where id = ${orgId}`,
    sql`select * from memberships where org_id = ${orgId} order by user_id`,
    sql`select * from invites where org_id = ${orgId} order by id`,
    sql`select * from integrations where org_id = ${orgId} order by id`,
    sql`select * from sync_configs where org_id = ${orgId} order by id`,
    sql`select * from service_tokens where org_id = ${orgId} order by id`,
    sql`select * from saved_views where org_id = ${orgId} order by id`,
    sql`select * from sync_runs where org_id = ${orgId} order by id`,
    sql`select * from team_files where org_id = ${orgId}`,
    sql`select * from rule_files where org_id = ${orgId}`,
    sql`select * from author_files where org_id = ${orgId}`,
    sql`select * from work_unit_corrections where org_id = ${orgId}`,
    sql`select * from refresh_tokens where user_id = ${userId} order by created_at, token_hash`,
    sql`select * from audit_log where org_id = ${orgId} order by at, id`,
  ]);
}

async function createTenant(mark: string): Promise<Tenant> {
  const owner = await platform.signUp({ email: `owner@${mark}.example.com`, organization: `${mark} organization` });
  const member = await platform.signUp({ email: `member@${mark}.example.com`, invitedBy: owner });
  const create = async (path: string, body?: unknown): Promise<JsonReply['body']> => {
    const reply = await platform.json('POST', path, { token: owner.accessToken, body });
    if (reply.status >= 300) throw new Error(`${path}: ${reply.status} ${JSON.stringify(reply.body)}`);
    return reply.body;
  };
  const invited = { email: `invited@${mark}.example.com`, role: 'viewer' };
  const invite = await create(`/api/v1/organizations/${owner.orgId}/invites`, invited);
  const credential = {
    provider: 'host_a',
    name: `${mark} host`,
    token: `${mark}-secret`,
    base_url: 'http://127.0.0.1:9',
  };
  const integration = await create('/api/v1/admin/integrations', credential);
  const config = await create('/api/v1/admin/sync-configs', { ...syncConfig(mark), integration_id: integration.id });
  const run = await create(`/api/v1/admin/sync-configs/${config.id}/runs`);
  const team = await create(`/api/v1/organizations/${owner.orgId}/teams`, { id: mark, members: [`${mark}-member`] });
  const unitId = `${mark}-repo:commit:a`;
  await fill(platform.databaseUri, owner.orgId, [unit({ id: unitId })]);
  const corrected = await platform.json('PUT', `/api/v1/organizations/${owner.orgId}/corrections/${unitId}`, {
    ...{ token: owner.accessToken, body: { subcategory: 'quality.bugfix' } },
  });
  expect(corrected.status).toBe(200);
  const view = await create(`/api/v1/organizations/${owner.orgId}/views`, {
    name: `${mark} view`,
    definition: exampleDefinition,
  });
  const webhook = { url: `https://${mark}.example.com/events`, events: ['service_token.created'] };
  const webhooks = `/api/v1/organizations/${owner.orgId}/webhooks`;
  const webhookId = String((await create(webhooks, webhook)).webhook.id);
  const watched = {
    name: `${mark} threshold`,
    definition: Object(exampleOf('createThreshold').body?.value).definition,
  };
  const threshold = await create(`/api/v1/organizations/${owner.orgId}/thresholds`, watched);
  const machine = await createServiceToken(platform, owner, ['setup:read'], { name: `${mark} machine` });
  // One, of the event that the token has caused.
  const deliveries = await platform.json('GET', `${webhooks}/${webhookId}/deliveries`, { token: owner.accessToken });
  const sessions = await platform.json('GET', '/api/v1/auth/sessions', { token: owner.accessToken });
  const ids = {
    org_id: owner.orgId,
    user_id: member.userId,
    invite_id: String(invite.id),
    integration_id: String(integration.id),
    sync_config_id: String(config.id),
    run_id: String(run.id),
    team_id: String(team.id),
    unit_id: unitId,
    view_id: String(view.id),
    service_token_id: machine.id,
    session_id: String(sessions.body.items[0].id),
    webhook_id: webhookId,
    threshold_id: String(threshold.id),
    delivery_id: String(deliveries.body.items[0].id),
  };
  return { owner, ids, marks: [mark, owner.userId, ...Object.values(ids)] };
}

function syncConfig(name: string): { name: string; provider: string; targets: string[]; repositories: string[] } {
  return { name: `${name} configuration`, provider: 'host_a', targets: ['git'], repositories: [`${name}/*`] };
}
