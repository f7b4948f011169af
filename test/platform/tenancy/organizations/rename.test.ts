import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestPlatform, type JsonReply, type TestPlatform, type TestUser } from '../../../support/platform.js';

let platform: TestPlatform;
let owner: TestUser;
beforeAll(async () => {
  platform = await startTestPlatform();
  owner = await platform.signUp({ organization: 'First Works' });
});
afterAll(() => platform.stop());

const rename = (by: TestUser, orgId: string, body: unknown): Promise<JsonReply> =>
  platform.json('PATCH', `/api/v1/organizations/${orgId}`, { token: by.accessToken, body });

it('An admin renames the organization, which the next request shows', async () => {
  const admin = await platform.signUp({ invitedBy: owner, role: 'admin' });
  const reply = await rename(admin, owner.orgId, { name: ' Second Works ' });
  expect(reply).toMatchObject({ status: 200, body: { id: owner.orgId, name: 'Second Works' } });
  const me = await platform.json('GET', '/api/v1/auth/me', { token: owner.accessToken });
  expect(me.body.org_name).toBe('Second Works');
  const records = await platform.database.sql`
    select action, note, user_id from audit_log where resource_kind = 'ORGANIZATION' and resource_id = ${owner.orgId}
      and action = 'UPDATE'`;
  expect([...records]).toEqual([{ action: 'UPDATE', note: 'name', user_id: admin.userId }]);
});

it('A rename is refused for a blank name, another organization, or a lower role', async () => {
  const stranger = await platform.signUp({ organization: 'Third Works' });
  const member = await platform.signUp({ invitedBy: owner, role: 'member' });
  expect((await rename(owner, owner.orgId, { name: ' ' })).status).toBe(422);
  expect((await rename(stranger, owner.orgId, { name: 'Mine' })).body.type).toBe('/problems/organization-mismatch');
  expect((await rename(member, owner.orgId, { name: 'Mine' })).body.type).toBe('/problems/insufficient-role');
});
