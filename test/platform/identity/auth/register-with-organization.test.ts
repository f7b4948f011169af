import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestPlatform, type TestPlatform } from '../../../support/platform.js';
import { login, newEmail, register, simultaneously, verify } from './requests.js';
import { auditOf, storedMemberships, storedUser, storedUsers } from './stored.js';

describe('registration that also creates an organization', () => {
  let platform: TestPlatform;
  beforeAll(async () => {
    platform = await startTestPlatform({ environment: { AUTH_AUTO_CREATE_ORG_ON_REGISTER: 'true' } });
  });
  afterAll(() => platform.stop());

  it('creates a community organization and makes the user its owner', async () => {
    const reply = await register(platform, { email: newEmail(), org_name: '  Example Works ' });
    expect(reply.status).toBe(201);
    expect(await storedMemberships(platform, reply.body.user_id)).toEqual([
      { org_id: reply.body.org_id, org_name: 'Example Works', tier: 'community', role: 'owner' },
    ]);
  });

  it('records the user and the organization', async () => {
    const reply = await register(platform, { email: newEmail(), org_name: 'Example Works' });
    const { user_id: userId, org_id: orgId } = reply.body;
    expect(await auditOf(platform, reply)).toMatchObject([
      { action: 'REGISTER', resource_kind: 'USER', resource_id: userId, user_id: userId, org_id: orgId },
      { action: 'CREATE', resource_kind: 'ORGANIZATION', resource_id: orgId, user_id: userId, org_id: orgId },
    ]);
  });

  it('chooses a name for the organization when the request has none', async () => {
    const reply = await register(platform, { email: newEmail(), org_name: null });
    expect(await storedMemberships(platform, reply.body.user_id)).toMatchObject([{ org_name: 'My Organization' }]);
  });

  it('refuses a blank name and creates nothing', async () => {
    const email = newEmail();
    const reply = await register(platform, { email, org_name: ' \t ' });
    expect(reply).toMatchObject({
      status: 422,
      body: { type: '/problems/validation-failed', violations: [{ path: '/body/org_name' }] },
    });
    expect(await storedUsers(platform, email)).toEqual([]);
  });

  it('logs the verified user in as the owner, without onboarding', async () => {
    const email = newEmail();
    const { body } = await register(platform, { email, org_name: 'Example Works' });
    await verify(platform, (await platform.lastMail(email)).token);
    expect(await login(platform, email)).toMatchObject({
      status: 200,
      body: { needs_onboarding: false, user: { org_id: body.org_id, role: 'owner' } },
    });
  });

  it('creates one organization for fifty simultaneous registrations of an e-mail', async () => {
    const email = newEmail();
    const name = `Of ${email.slice(0, 8)}`;
    const replies = await simultaneously(50, () => register(platform, { email, org_name: name }));
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(await storedMemberships(platform, (await storedUser(platform, email)).id)).toHaveLength(1);
    expect(await platform.database.sql`select 1 from organizations where name = ${name}`).toHaveLength(1);
  });
});
