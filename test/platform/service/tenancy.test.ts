import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestPlatform, type JsonReply, type TestPlatform } from '../../support/platform.js';
import { makeSuperuser } from '../../support/superuser.js';
import { named, onlyServiceTokens, platformExamples, sendExample } from './send-example.js';
import { createTenant, idOf, pathParameters, syncConfig, type Tenant } from './tenant.js';

let platform: TestPlatform;
let own: Tenant;
let foreign: Tenant;
beforeAll(async () => {
  platform = await startTestPlatform();
  own = await createTenant(platform, 'ownmark');
  foreign = await createTenant(platform, 'foreignmark');
});
afterAll(() => platform.stop());

/** The token of the caller's organization that an operation takes. */
function tokenFor({ operationId }: { readonly operationId: string }): string {
  return onlyServiceTokens.has(operationId) ? own.serviceToken : own.owner.accessToken;
}

// Identity providers are named by the operator, and belong to no organization. Everybody may begin a log-in by SSO.
const ofNobody = ['provider', 'sso_org_id'];
const addressed = platformExamples.filter(({ path }) => pathParameters(path).some((name) => !ofNobody.includes(name)));
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
      const reply = await sendExample(platform, example, { token: tokenFor(example), parameters });
      expect([403, 404], JSON.stringify(parameters)).toContain(reply.status);
      expectNothingOf(foreign, reply, Object.values(parameters));
    }
    expect(await everythingOf(foreign)).toEqual(before);
  });

  test.each(named(unaddressed.filter(({ method }) => method === 'GET')))(
    '$name shows only the organization of the caller',
    async ({ example }) => {
      const reply = await sendExample(platform, example, { token: tokenFor(example) });
      // Only superusers read what belongs to no organization.
      expect(reply.status).toBe(example.path.startsWith('/api/v1/installation/') ? 403 : 200);
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
    await makeSuperuser(platform, { userId });
    const login = await platform.json('POST', '/api/v1/auth/login', { body: { email, password } });
    const path = `/api/v1/organizations/${foreign.owner.orgId}/members`;
    expect((await platform.json('GET', path, { token: login.body.access_token })).status).toBe(403);
  });
});

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
    sql`select * from sso_connections where org_id = ${orgId}`,
    sql`select * from sso_domains where org_id = ${orgId}`,
    sql`select * from scim_users where org_id = ${orgId} order by id`,
    sql`select * from scim_groups where org_id = ${orgId} order by id`,
    sql`select * from scim_group_members where org_id = ${orgId} order by group_id, person_id`,
    sql`select * from team_files where org_id = ${orgId}`,
    sql`select * from rule_files where org_id = ${orgId}`,
    sql`select * from author_files where org_id = ${orgId}`,
    sql`select * from calendar_files where org_id = ${orgId}`,
    sql`select * from work_unit_corrections where org_id = ${orgId}`,
    sql`select * from refresh_tokens where user_id = ${userId} order by created_at, token_hash`,
    sql`select * from audit_log where org_id = ${orgId} order by at, id`,
  ]);
}
