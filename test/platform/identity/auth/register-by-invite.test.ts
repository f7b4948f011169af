import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestPlatform, type TestPlatform, type TestUser } from '../../../support/platform.js';
import { invite } from '../onboarding/requests.js';
import { login, newEmail, register, simultaneously } from './requests.js';
import { auditOf, storedMemberships, storedUser, storedUsers } from './stored.js';

let platform: TestPlatform;
let owner: TestUser;
beforeAll(async () => {
  // The default: a registration without an invite creates an organization.
  platform = await startTestPlatform({ environment: { AUTH_AUTO_CREATE_ORG_ON_REGISTER: 'true' } });
  owner = await platform.signUp();
});
afterAll(() => platform.stop());

describe('a registration with an invite', () => {
  it('joins at once, verified, without another mail and without an own organization', async () => {
    const email = newEmail();
    const { token } = await invite(platform, owner, email, 'admin');
    const reply = await register(platform, { email: email.toUpperCase(), full_name: 'Sam', invite_token: token });
    expect(reply).toMatchObject({ status: 201, body: { org_id: owner.orgId } });
    expect(await storedMemberships(platform, reply.body.user_id)).toMatchObject([
      { org_id: owner.orgId, role: 'admin' },
    ]);
    expect(await auditOf(platform, reply)).toMatchObject([
      { action: 'MEMBER_JOINED', org_id: owner.orgId, user_id: reply.body.user_id },
      { action: 'REGISTER', org_id: owner.orgId, user_id: reply.body.user_id },
    ]);
    expect(await login(platform, email)).toMatchObject({
      status: 200,
      body: { needs_onboarding: false, user: { org_id: owner.orgId, role: 'admin', is_verified: true } },
    });
    expect(platform.mailbox.to(email)).toHaveLength(1); // the invite
  });

  it('refuses a password that is the name of the inviting organization with a year', async () => {
    const path = `/api/v1/organizations/${owner.orgId}`;
    await platform.json('PATCH', path, { token: owner.accessToken, body: { name: 'Qvorlix' } });
    const email = newEmail();
    const { token } = await invite(platform, owner, email);
    const reply = await register(platform, { email, password: 'Qvorlix2026!!!', invite_token: token });
    expect(reply).toMatchObject({ status: 422, body: { violations: [{ rule: 'common' }] } });
  });

  it.each([
    ['that is unknown', () => Promise.resolve({ email: newEmail(), invite_token: 'x' })],
    [
      'that was sent to another address',
      async () => ({ email: newEmail(), invite_token: (await invite(platform, owner, newEmail())).token }),
    ],
    [
      'that was revoked',
      async () => {
        const email = newEmail();
        const { id, token } = await invite(platform, owner, email);
        const path = `/api/v1/organizations/${owner.orgId}/invites/${id}`;
        await platform.json('DELETE', path, { token: owner.accessToken });
        return { email, invite_token: token };
      },
    ],
    [
      'whose inviter was removed',
      async () => {
        const [email, admin] = [newEmail(), await platform.signUp({ invitedBy: owner, role: 'admin' })];
        const { token } = await invite(platform, admin, email);
        const path = `/api/v1/organizations/${owner.orgId}/members/${admin.userId}`;
        await platform.json('DELETE', path, { token: owner.accessToken });
        return { email, invite_token: token };
      },
    ],
  ])('%s creates nothing', async (_which, prepare) => {
    const body = await prepare();
    const reply = await register(platform, body);
    expect(reply).toMatchObject({ status: 400, body: { type: '/problems/invalid-invite' } });
    expect(await storedUsers(platform, body.email)).toEqual([]);
    expect(await auditOf(platform, reply)).toEqual([]);
  });

  it('of an address that has an account is refused, and the invite stays', async () => {
    const user = await platform.signUp();
    const { token } = await invite(platform, owner, user.email);
    const reply = await register(platform, { email: user.email, invite_token: token });
    expect(reply).toMatchObject({ status: 400, body: { type: '/problems/email-already-registered' } });
    const accepted = { token: user.accessToken, body: { token } };
    expect((await platform.json('POST', '/api/v1/auth/accept-invite', accepted)).status).toBe(200);
  });

  it('twenty times at once creates one account and one membership', async () => {
    const email = newEmail();
    const { token } = await invite(platform, owner, email);
    const replies = await simultaneously(20, () => register(platform, { email, invite_token: token }));
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(replies.filter(({ status }) => status === 400)).toHaveLength(19);
    expect(await storedMemberships(platform, (await storedUser(platform, email)).id)).toHaveLength(1);
  });
});
