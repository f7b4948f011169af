/** What superusers do with the accounts of the installation. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestPlatform, type JsonReply, type TestPlatform, type TestUser } from '../../../support/platform.js';
import { createServiceToken } from '../../../support/service-token.js';
import { makeSuperuser } from '../../../support/superuser.js';
import { forgot, login, me, newEmail, refresh, register, reset, verify } from '../auth/requests.js';
import { auditOf } from '../auth/stored.js';
import { acceptInvite, invite } from '../onboarding/requests.js';

let platform: TestPlatform;
let superuser: TestUser;
let owner: TestUser;

beforeAll(async () => {
  platform = await startTestPlatform();
  superuser = await platform.signUp({ organization: null });
  await makeSuperuser(platform, superuser);
  owner = await platform.signUp();
});
afterAll(() => platform.stop());

function list(filters: Readonly<Record<string, string>> = {}, by = superuser): Promise<JsonReply> {
  const query = new URLSearchParams(filters).toString();
  return platform.json('GET', `/api/v1/installation/users?${query}`, { token: by.accessToken });
}

async function emails(filters: Readonly<Record<string, string>>): Promise<string[]> {
  const { status, body } = await list({ limit: '200', ...filters });
  expect(status).toBe(200);
  return (body.items as { email: string }[]).map(({ email }) => email);
}

function change(userId: string, isActive: boolean, by = superuser): Promise<JsonReply> {
  const request = { token: by.accessToken, body: { is_active: isActive } };
  return platform.json('PATCH', `/api/v1/installation/users/${userId}`, request);
}

async function inNewSession(user: TestUser): Promise<TestUser> {
  return { ...user, accessToken: String((await login(platform, user.email)).body.access_token) };
}

describe('the list of accounts', () => {
  it('has the newest first, with their organizations', async () => {
    const user = await platform.signUp({ invitedBy: owner, role: 'viewer' });
    const { body } = await list({ limit: '1' });
    expect(body.items).toMatchObject([
      {
        id: user.userId,
        email: user.email,
        is_active: true,
        is_verified: true,
        is_superuser: false,
        auth_provider: 'local',
        organizations: [{ id: owner.orgId, role: 'viewer' }],
      },
    ]);
  });

  it('comes page by page, without a repetition', async () => {
    await platform.signUp({ organization: null });
    const first = await list({ limit: '2' });
    const second = await list({ limit: '2', cursor: String(first.body.next_cursor) });
    const ids = [first, second].flatMap(({ body }) => (body.items as { id: string }[]).map(({ id }) => id));
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.length).toBeGreaterThan(2);
    expect((await list({ cursor: 'bm9uZQ' })).status).toBe(422);
  });

  it('can be searched by a part of the address or of the name, whose signs are not patterns', async () => {
    const marked = randomUUID();
    const user = await platform.signUp({ email: `vera.${marked}@example.com`, organization: null });
    const named = { token: user.accessToken, body: { full_name: `Zoë 100% ${marked}` } };
    expect((await platform.json('PATCH', '/api/v1/auth/me', named)).status).toBe(200);
    for (const search of [marked, `VERA.${marked}`, `zoë 100% ${marked}`]) {
      expect(await emails({ search })).toEqual([user.email]);
    }
    expect(await emails({ search: `%${marked}` })).toEqual([]);
    expect(await emails({ search: `${marked}_` })).toEqual([]);
  });

  it('can be that of the disabled, or of the active accounts', async () => {
    const user = await platform.signUp({ organization: null });
    const counts = async (): Promise<number[]> =>
      Promise.all(['active', 'disabled'].map(async (state) => (await emails({ search: user.email, state })).length));
    expect(await counts()).toEqual([1, 0]);
    await change(user.userId, false);
    expect(await counts()).toEqual([0, 1]);
  });

  it('is for superusers, not for owners', async () => {
    for (const reply of [await list({}, owner), await change(superuser.userId, false, owner)]) {
      expect(reply).toMatchObject({ status: 403, body: { type: '/problems/superuser-required' } });
    }
  });
});

describe('a disabled account', () => {
  it('has no sessions and cannot log in, until it is enabled', async () => {
    const user = await platform.signUp();
    expect(await change(user.userId, false)).toMatchObject({ status: 200, body: { is_active: false } });
    expect((await me(platform, user.accessToken)).status).toBe(401);
    expect((await refresh(platform, user.refreshToken)).status).toBe(401);
    expect((await login(platform, user.email)).status).toBe(401);
    expect(await change(user.userId, true)).toMatchObject({ status: 200, body: { is_active: true } });
    expect((await me(platform, user.accessToken)).status).toBe(401); // its session has ended
    expect((await login(platform, user.email)).status).toBe(200);
  });

  it('has no use of the links of earlier mails, also after it is enabled', async () => {
    const user = await platform.signUp({ organization: null });
    await forgot(platform, user.email);
    const sent = await platform.lastMail(user.email);
    await platform.database.sql`
      insert into token_requests (kind, email, requested_at) values ('reset', ${user.email}, ${platform.clock.now()})`;
    await change(user.userId, false);
    await change(user.userId, true);
    expect((await reset(platform, sent.token, 'five green lanterns 5')).status).toBe(400);
    expect(await platform.lastMail(user.email)).toEqual(sent);
  });

  it('that was not verified stays so', async () => {
    const email = newEmail();
    const { body } = await register(platform, { email });
    const { token } = await platform.lastMail(email);
    await change(String(body.user_id), false);
    expect((await verify(platform, token)).status).toBe(400);
  });

  it('ends the pending invites that it sent, which the log records', async () => {
    const sender = await platform.signUp();
    const guest = await platform.signUp({ organization: null });
    const { token } = await invite(platform, sender, guest.email);
    const reply = await change(sender.userId, false);
    expect((await acceptInvite(platform, guest.accessToken, token)).status).not.toBe(200);
    expect(await auditOf(platform, reply)).toMatchObject([
      { action: 'USER_DISABLED', resource_id: sender.userId, org_id: sender.orgId, user_id: superuser.userId },
      { action: 'INVITE_REVOKED', org_id: sender.orgId, user_id: superuser.userId },
    ]);
  });

  it('leaves the service tokens of its organizations', async () => {
    const user = await platform.signUp();
    const { token } = await createServiceToken(platform, user, ['members:read']);
    await change(user.userId, false);
    const path = `/api/v1/organizations/${user.orgId}/members`;
    expect((await platform.json('GET', path, { token })).status).toBe(200);
  });

  it('is recorded once in each of its organizations, and a repetition changes nothing', async () => {
    const user = await platform.signUp({ invitedBy: owner });
    const enabled = async (): Promise<unknown[]> => auditOf(platform, await change(user.userId, true));
    expect(await enabled()).toEqual([]);
    await change(user.userId, false);
    expect(await auditOf(platform, await change(user.userId, false))).toEqual([]);
    expect(await enabled()).toMatchObject([{ action: 'USER_ENABLED', org_id: owner.orgId }]);
  });
});

describe('a change of an account', () => {
  it('is refused for your own account, which can be enabled all the same', async () => {
    const refused = await change(superuser.userId, false);
    expect(refused).toMatchObject({ status: 409, body: { type: '/problems/own-account' } });
    expect((await change(superuser.userId, true)).status).toBe(200);
  });

  it('needs a proof of the last 10 minutes', async () => {
    const user = await platform.signUp({ organization: null });
    const inOldSession = await inNewSession(superuser);
    platform.clock.advance(601);
    for (const isActive of [false, true]) {
      const refused = { status: 403, body: { type: '/problems/recent-login-required' } };
      expect(await change(user.userId, isActive, inOldSession)).toMatchObject(refused);
    }
    expect((await login(platform, user.email)).status).toBe(200);
    superuser = await inNewSession(superuser);
    owner = await inNewSession(owner);
  });

  it('is 404 for an account that does not exist', async () => {
    expect(await change(randomUUID(), false)).toMatchObject({
      status: 404,
      body: { type: '/problems/user-not-found' },
    });
  });

  it('of two superusers who disable each other at once happens once', async () => {
    const pair = await Promise.all([
      platform.signUp({ organization: null }),
      platform.signUp({ organization: null }),
    ] as const);
    await Promise.all(pair.map((user) => makeSuperuser(platform, user)));
    const [one, other] = pair;
    const replies = await Promise.all([change(other.userId, false, one), change(one.userId, false, other)]);
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(await emails({ search: one.email, state: 'active' })).toHaveLength(
      (await emails({ search: other.email, state: 'active' })).length === 0 ? 1 : 0,
    );
  });
});
