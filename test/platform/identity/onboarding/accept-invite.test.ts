import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestPlatform, type TestPlatform, type TestUser } from '../../../support/platform.js';
import { newEmail, refresh, simultaneously, withoutRequestId } from '../auth/requests.js';
import { auditOf, storedMemberships } from '../auth/stored.js';
import { acceptInvite, invite } from './requests.js';

const hour = 3600;

let platform: TestPlatform;
let owner: TestUser;
beforeAll(async () => {
  platform = await startTestPlatform();
  owner = await platform.signUp({ organization: 'Example Works' });
});
afterAll(() => platform.stop());

const newUser = (): Promise<TestUser> => platform.signUp({ organization: null });

const invalid = {
  type: '/problems/invalid-invite',
  title: 'Invalid invite',
  status: 400,
  message: 'Invalid or expired invite',
};

/** The owner again, after the clock was moved past the end of the access token. */
async function ownerAgain(): Promise<TestUser> {
  const { body } = await platform.json('POST', '/api/v1/auth/login', {
    body: { email: owner.email, password: owner.password },
  });
  return { ...owner, accessToken: String(body.access_token) };
}

async function expectRefused(user: TestUser, token: string): Promise<void> {
  const reply = await acceptInvite(platform, user.accessToken, token);
  expect(withoutRequestId(reply)).toEqual({ status: 400, body: invalid });
  expect(await storedMemberships(platform, user.userId)).toEqual([]);
  expect(await auditOf(platform, reply)).toEqual([]);
}

describe('an invite', () => {
  it('makes the caller a member in its role, with tokens for the organization', async () => {
    const user = await newUser();
    const { token } = await invite(platform, owner, user.email, 'admin');
    const { status, body } = await acceptInvite(platform, user.accessToken, token);
    expect(status).toBe(200);
    expect(body).toMatchObject({ org_id: owner.orgId, org_name: 'Example Works', role: 'admin' });
    expect(decodeJwt(body.tokens.access_token as string)).toMatchObject({ org_id: owner.orgId, role: 'admin' });
    expect((await refresh(platform, body.tokens.refresh_token)).body.user.role).toBe('admin');
    expect(await storedMemberships(platform, user.userId)).toMatchObject([{ org_id: owner.orgId, role: 'admin' }]);
  });

  it('is recorded as accepted', async () => {
    const user = await newUser();
    const { id, token } = await invite(platform, owner, user.email);
    const reply = await acceptInvite(platform, user.accessToken, token);
    expect(await auditOf(platform, reply)).toMatchObject([
      { action: 'MEMBER_JOINED', org_id: owner.orgId, user_id: user.userId, status: 'success' },
    ]);
    const [row] = await platform.database.sql`select accepted_at, accepted_by from invites where id = ${id}`;
    expect(row).toMatchObject({ accepted_by: user.userId, accepted_at: expect.any(Date) as Date });
  });

  it('finds its account by the e-mail in any case', async () => {
    const user = await newUser();
    const path = `/api/v1/organizations/${owner.orgId}/invites`;
    const body = { email: user.email.toUpperCase(), role: 'member' };
    await platform.json('POST', path, { token: owner.accessToken, body });
    const { token } = await platform.lastMail(user.email);
    expect((await acceptInvite(platform, user.accessToken, token)).status).toBe(200);
  });

  it('is refused to an account with another e-mail, and stays valid for its recipient', async () => {
    const [user, stranger] = [await newUser(), await newUser()];
    const { token } = await invite(platform, owner, user.email);
    await expectRefused(stranger, token);
    expect((await acceptInvite(platform, user.accessToken, token)).status).toBe(200);
  });

  it('is refused when it is unknown', async () => {
    await expectRefused(await newUser(), 'nD1zS0o3c6mYx2vR8kQ4tB7pW5hL9eG0uJaFiKsXdMc');
  });

  it('is refused after it was revoked', async () => {
    const user = await newUser();
    const { id, token } = await invite(platform, owner, user.email);
    const path = `/api/v1/organizations/${owner.orgId}/invites/${id}`;
    expect((await platform.json('DELETE', path, { token: owner.accessToken })).status).toBe(204);
    await expectRefused(user, token);
  });

  it('is refused after it was used', async () => {
    const user = await newUser();
    const { token } = await invite(platform, owner, user.email);
    await acceptInvite(platform, user.accessToken, token);
    const path = `/api/v1/organizations/${owner.orgId}/members/${user.userId}`;
    expect((await platform.json('DELETE', path, { token: owner.accessToken })).status).toBe(200);
    await expectRefused(user, token);
  });

  it('is not used up by a member, who gets an error', async () => {
    const user = await newUser();
    const { id, token } = await invite(platform, owner, user.email);
    await platform.database.sql`
      insert into memberships (user_id, org_id, role) values (${user.userId}, ${owner.orgId}, 'viewer')`;
    expect(await acceptInvite(platform, user.accessToken, token)).toMatchObject({
      status: 409,
      body: { type: '/problems/already-member' },
    });
    const [row] = await platform.database.sql`select accepted_at from invites where id = ${id}`;
    expect(row).toEqual({ accepted_at: null });
  });

  it('is valid for 72 hours', async () => {
    const email = newEmail();
    const { token } = await invite(platform, await ownerAgain(), email);
    platform.clock.advance(72 * hour - 60);
    const user = await platform.signUp({ email, organization: null });
    expect((await acceptInvite(platform, user.accessToken, token)).status).toBe(200);
  });

  it('is refused after 72 hours', async () => {
    const email = newEmail();
    const { token } = await invite(platform, await ownerAgain(), email);
    platform.clock.advance(72 * hour + 1);
    await expectRefused(await platform.signUp({ email, organization: null }), token);
  });

  it('is accepted once of fifty simultaneous calls', async () => {
    const user = await newUser();
    const { token } = await invite(platform, await ownerAgain(), user.email);
    const replies = await simultaneously(50, () => acceptInvite(platform, user.accessToken, token));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(replies.filter(({ status }) => status === 400)).toHaveLength(49);
    expect(await storedMemberships(platform, user.userId)).toHaveLength(1);
    expect(
      await platform.database.sql`
      select 1 from audit_log where action = 'MEMBER_JOINED' and user_id = ${user.userId}`,
    ).toHaveLength(1);
  });
});
