import { afterAll, beforeAll, expect, it } from 'vitest';
import { createServiceToken } from '../../../support/service-token.js';
import {
  startTestPlatform,
  testPassword,
  type JsonReply,
  type TestPlatform,
  type TestUser,
} from '../../../support/platform.js';
import { acceptInvite, invite, joinOrganization } from '../../identity/onboarding/requests.js';
import { noFilters } from '../../figures/views/definition.js';

let platform: TestPlatform;
let owner: TestUser;
let leaver: TestUser;
let organization: string;

beforeAll(async () => {
  platform = await startTestPlatform();
  owner = await platform.signUp();
  leaver = await platform.signUp({ invitedBy: owner, role: 'admin' });
  organization = `/api/v1/organizations/${owner.orgId}`;
});

afterAll(() => platform.stop());

const call = (method: string, path: string, token: string, body?: object): Promise<JsonReply> =>
  platform.json(method, path, { token, ...(body !== undefined && { body }) });

const definition = {
  ...{ dimension: 'team', measure: 'count', interval: 'week', top: 10, whole_units: false, period: { preset: '90d' } },
  filters: noFilters,
};

/** What the leaver tries with an access token; whether each thing succeeds. */
async function attempts(token: string, viewId: string): Promise<Record<string, boolean>> {
  const view = `${organization}/views/${viewId}`;
  const tries: readonly (readonly [string, string, string, object?])[] = [
    ['members', 'GET', `${organization}/members`],
    ['invites', 'GET', `${organization}/invites`],
    ['new invite', 'POST', `${organization}/invites`, { email: `${crypto.randomUUID()}@example.com`, role: 'viewer' }],
    ['views', 'GET', `${organization}/views`],
    ['own view', 'PATCH', view, { name: `View ${crypto.randomUUID()}` }],
    ['webhooks', 'GET', `${organization}/webhooks`],
    ['service tokens', 'GET', `${organization}/service-tokens`],
    ['integrations', 'GET', '/api/v1/admin/integrations'],
    ['audit log', 'GET', '/api/v1/admin/audit-log'],
  ];
  const outcomes: Record<string, boolean> = {};
  for (const [name, method, path, body] of tries) {
    outcomes[name] = (await call(method, path, token, body)).status < 300;
  }
  return outcomes;
}

const allOf = (outcomes: Record<string, boolean>, value: boolean): Record<string, boolean> =>
  Object.fromEntries(Object.keys(outcomes).map((name) => [name, value]));

it('Somebody who is removed has nothing left after one request', async () => {
  const { email, password } = leaver;
  const login = { email, password, org_id: owner.orgId };
  const phone = (await platform.json('POST', '/api/v1/auth/login', { body: login })).body;
  const friend = await platform.signUp({ organization: null });
  const { token: inviteToken } = await invite(platform, leaver, friend.email, 'admin');
  const stranger = 'nobody-yet@example.com';
  const { token: strangersToken } = await invite(platform, leaver, stranger, 'member');
  const { token: serviceToken } = await createServiceToken(platform, leaver, ['views:read']);
  const hook = { url: 'https://hooks.example.com/of-the-leaver', events: ['member.joined', 'member.removed'] };
  const created = await call('POST', `${organization}/webhooks`, leaver.accessToken, hook);
  const hookId = String(created.body.webhook.id);
  const saved = await call('POST', `${organization}/views`, leaver.accessToken, { name: 'Mine', definition });
  const viewId = String(saved.body.id);
  const host = { provider: 'host_a', name: 'of the leaver', token: 'example-access-token' };
  expect((await call('POST', '/api/v1/admin/integrations', leaver.accessToken, host)).status).toBe(201);
  const usesServiceToken = async (): Promise<number> =>
    (await call('GET', `${organization}/views`, serviceToken)).status;
  const devices = [leaver.accessToken, String(phone.access_token)];

  // All of it works before, so that each refusal below is due to the removal.
  for (const token of devices) {
    const outcomes = await attempts(token, viewId);
    expect(outcomes).toEqual(allOf(outcomes, true));
  }
  expect(await usesServiceToken()).toBe(200);

  const query = '?revoke_service_tokens=true&deactivate_webhooks=true';
  const removed = await call('DELETE', `${organization}/members/${leaver.userId}${query}`, owner.accessToken);
  expect(removed).toMatchObject({
    status: 200,
    body: {
      service_tokens: [{ status: 'revoked' }],
      webhooks: [{ id: hookId, is_active: false }],
      integrations: [{ name: 'of the leaver', created_by: leaver.userId, is_active: true }],
    },
  });

  for (const token of devices) {
    const outcomes = await attempts(token, viewId);
    expect(outcomes).toEqual(allOf(outcomes, false));
  }
  for (const refresh_token of [leaver.refreshToken, String(phone.refresh_token)]) {
    const renewed = await platform.json('POST', '/api/v1/auth/refresh', { body: { refresh_token } });
    expect(renewed).toMatchObject({ status: 200, body: { user: { org_id: null, role: null } } });
    const outcomes = await attempts(String(renewed.body.access_token), viewId);
    expect(outcomes).toEqual(allOf(outcomes, false));
  }
  expect((await platform.json('POST', '/api/v1/auth/login', { body: login })).status).not.toBe(200);
  expect(await usesServiceToken()).toBe(401);
  expect((await acceptInvite(platform, friend.accessToken, inviteToken)).body.type).toBe('/problems/invalid-invite');
  expect((await joinOrganization(platform, leaver.accessToken, inviteToken)).status).not.toBe(200);
  const register = { email: stranger, password: testPassword, invite_token: strangersToken };
  expect((await platform.json('POST', '/api/v1/auth/register', { body: register })).status).toBe(400);

  // The webhook gets neither the removal nor what happens later.
  await platform.signUp({ invitedBy: owner });
  const deliveries = await platform.database.sql`select 1 from webhook_deliveries where webhook_id = ${hookId}`;
  expect(deliveries).toHaveLength(0);
  const audit = await platform.database.sql`
    select action, note from audit_log where resource_id = ${hookId} and action = 'UPDATE'`;
  expect([...audit]).toEqual([{ action: 'UPDATE', note: 'is_active: the member who created it is removed' }]);
});

it('Webhooks are deactivated by admins only, and one that is inactive stays as it is', async () => {
  const admin = await platform.signUp({ invitedBy: owner, role: 'admin' });
  const hook = { url: 'https://hooks.example.com/in', events: ['member.joined'] };
  const { body } = await call('POST', `${organization}/webhooks`, admin.accessToken, hook);
  await call('PATCH', `${organization}/webhooks/${String(body.webhook.id)}`, owner.accessToken, { is_active: false });
  const member = `${organization}/members/${admin.userId}`;
  await call('PATCH', member, owner.accessToken, { role: 'viewer' });
  const leave = `${member}?deactivate_webhooks=true`;
  expect((await call('DELETE', leave, admin.accessToken)).body).toMatchObject({
    ...{ type: '/problems/insufficient-role', required_role: 'admin' },
  });
  expect((await call('DELETE', leave, owner.accessToken)).body.webhooks).toMatchObject([{ is_active: false }]);
  const audit = await platform.database.sql`
    select 1 from audit_log where resource_id = ${String(body.webhook.id)} and action = 'UPDATE'`;
  expect(audit).toHaveLength(1);
});
