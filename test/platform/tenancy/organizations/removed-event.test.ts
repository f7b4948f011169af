/** What the audit log and webhooks say when a membership ends, in each way in which it can end. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestPlatform, testPassword, type TestPlatform, type TestUser } from '../../../support/platform.js';
import { createServiceToken } from '../../../support/service-token.js';
import { makeSuperuser } from '../../../support/superuser.js';
import { createScimClient, type ScimClient } from '../../identity/scim/scim-client.js';

let platform: TestPlatform;
let owner: TestUser;
let superuser: TestUser;
let scim: ScimClient;
let leaver: TestUser;

beforeAll(async () => {
  platform = await startTestPlatform();
  owner = await platform.signUp();
  superuser = await platform.signUp({ organization: null });
  await makeSuperuser(platform, superuser);
  scim = await createScimClient(platform, owner);
  await platform.database.sql`
    insert into webhooks (id, org_id, url, events, sealed_secret)
    values (${randomUUID()}, ${owner.orgId}, 'https://hooks.example.com/', ${['member.removed']}, '')`;
});
afterAll(() => platform.stop());

const membership = (query = ''): string =>
  `/api/v1/organizations/${owner.orgId}/members/${leaver.userId}${query === '' ? '' : `?${query}`}`;
const send = (method: string, path: string, token: string, body?: object): Promise<{ readonly status: number }> =>
  platform.json(method, path, { token, ...(body !== undefined && { body }) });

/**
 * An admin who has created two tokens that work and one that was revoked, an active webhook and an inactive one, and an
 * integration.
 */
async function signUpLeaver(): Promise<TestUser> {
  const admin = await platform.signUp({ invitedBy: owner, role: 'admin' });
  for (const name of [randomUUID(), randomUUID()]) await createServiceToken(platform, admin, ['views:read'], { name });
  const { id } = await createServiceToken(platform, admin, ['views:read'], { name: randomUUID() });
  await send('DELETE', `/api/v1/organizations/${owner.orgId}/service-tokens/${id}`, admin.accessToken);
  for (const isActive of [true, false]) {
    await platform.database.sql`
      insert into webhooks (id, org_id, url, events, sealed_secret, created_by, is_active)
      values (${randomUUID()}, ${owner.orgId}, 'https://hooks.example.com/mine', ${['member.joined']}, '',
        ${admin.userId}, ${isActive})`;
  }
  await platform.json('POST', '/api/v1/admin/integrations', {
    token: admin.accessToken,
    body: { provider: 'host_a', name: randomUUID(), token: 'example-access-token' },
  });
  return admin;
}

describe('The end of a membership', () => {
  it.each<[string, string, object, () => Promise<{ readonly status: number }>]>([
    [
      'removal by an admin',
      'was admin; remaining: 2 service tokens, 1 webhook, 1 integration',
      { service_tokens: 2, webhooks: 1, integrations: 1 },
      () => send('DELETE', membership(), owner.accessToken),
    ],
    [
      'removal that revokes and deactivates',
      'was admin; remaining: 1 integration',
      { service_tokens: 0, webhooks: 0, integrations: 1 },
      () => send('DELETE', membership('revoke_service_tokens=true&deactivate_webhooks=true'), owner.accessToken),
    ],
    [
      'leaving',
      'left, was admin; remaining: 2 service tokens, 1 webhook, 1 integration',
      { service_tokens: 2, webhooks: 1, integrations: 1 },
      () => send('DELETE', membership(), leaver.accessToken),
    ],
    [
      'disabling by SCIM',
      'was admin, by the identity provider; remaining: 2 service tokens, 1 webhook, 1 integration',
      { service_tokens: 2, webhooks: 1, integrations: 1 },
      () => scim.patch(`/Users/${leaver.userId}`, { op: 'replace', value: { active: false } }),
    ],
    [
      'deletion by SCIM',
      'was admin, by the identity provider; remaining: 2 service tokens, 1 webhook, 1 integration',
      { service_tokens: 2, webhooks: 1, integrations: 1 },
      () => scim('DELETE', `/Users/${leaver.userId}`),
    ],
    [
      'deletion of the account by its holder',
      'account deleted, was admin; remaining: 2 service tokens, 1 webhook, 1 integration',
      { service_tokens: 2, webhooks: 1, integrations: 1 },
      () => send('POST', '/api/v1/auth/account-deletion', leaver.accessToken, { current_password: testPassword }),
    ],
    [
      'deletion of the account by a superuser',
      'account deleted, was admin; remaining: 2 service tokens, 1 webhook, 1 integration',
      { service_tokens: 2, webhooks: 1, integrations: 1 },
      () => send('DELETE', `/api/v1/installation/users/${leaver.userId}`, superuser.accessToken),
    ],
  ])('by %s counts what the member created and what continues to work', async (_way, note, counts, end) => {
    leaver = await signUpLeaver();
    expect((await end()).status).toBeLessThan(300);
    const { sql } = platform.database;
    const records = await sql<{ note: string }[]>`
      select note from audit_log where action = 'MEMBER_REMOVED' and resource_id = ${leaver.userId}`;
    expect(records.map((record) => record.note)).toEqual([note]);
    const events = await sql<{ data: string }[]>`
      select data from webhook_deliveries where event = 'member.removed' and subject = ${`member ${leaver.userId}`}`;
    expect(events.map(({ data }): unknown => JSON.parse(data))).toEqual([
      expect.objectContaining({ user_id: leaver.userId, ...counts }),
    ]);
  });
});
