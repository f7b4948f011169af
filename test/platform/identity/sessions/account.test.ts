import { randomUUID } from 'node:crypto';
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestPlatform, type JsonReply, type TestPlatform, type TestUser } from '../../../support/platform.js';
import { makeSuperuser } from '../../../support/superuser.js';
import { me, refresh, withoutRequestId } from '../auth/requests.js';
import { auditOf, storedMemberships } from '../auth/stored.js';

let platform: TestPlatform;
let owner: TestUser;
beforeAll(async () => {
  platform = await startTestPlatform();
  owner = await platform.signUp({ organization: 'First Works' });
});
afterAll(() => platform.stop());

const organizations = (token: string): Promise<JsonReply> =>
  platform.json('GET', '/api/v1/auth/me/organizations', { token });
const switchTo = (token: string, orgId: string): Promise<JsonReply> =>
  platform.json('POST', '/api/v1/auth/switch-org', { token, body: { org_id: orgId } });

/** A user with an organization who then joins that of `owner`. */
async function memberOfTwo(): Promise<TestUser & { readonly joinedToken: string }> {
  const user = await platform.signUp({ organization: 'Second Works' });
  const body = { email: user.email, role: 'member' };
  await platform.json('POST', `/api/v1/organizations/${owner.orgId}/invites`, { token: owner.accessToken, body });
  const { token } = await platform.lastMail(user.email);
  platform.clock.advance(1);
  const joined = await platform.json('POST', '/api/v1/auth/accept-invite', {
    token: user.accessToken,
    body: { token },
  });
  expect(joined.status).toBe(200);
  return { ...user, joinedToken: String(joined.body.tokens.access_token) };
}

describe('the account of the caller', () => {
  it('is the user with organization, role and permissions', async () => {
    const { status, body } = await me(platform, owner.accessToken);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      id: owner.userId,
      email: owner.email,
      is_verified: true,
      is_superuser: false,
      org_id: owner.orgId,
      org_name: 'First Works',
      role: 'owner',
    });
    expect(body.permissions).toEqual(expect.arrayContaining(['analytics:read', 'members:invite', 'owners:manage']));
    expect(body.permissions).toEqual([...(body.permissions as string[])].sort());
  });

  it('accepts another name, trimmed, or none', async () => {
    const { accessToken: token, userId } = await platform.signUp();
    const rename = (full_name: unknown): Promise<JsonReply> =>
      platform.json('PATCH', '/api/v1/auth/me', { token, body: { full_name } });
    const renamed = await rename('  Robin Q. Example ');
    expect(renamed).toMatchObject({ status: 200, body: { id: userId, full_name: 'Robin Q. Example' } });
    expect((await me(platform, token)).body).toEqual(renamed.body);
    expect((await rename('   ')).status).toBe(422);
    expect((await rename(null)).body.full_name).toBeNull();
    const [{ count } = {}] = await platform.database.sql`
      select count(*)::int as count from audit_log where action = 'UPDATE' and resource_kind = 'USER' and resource_id = ${userId}`;
    expect(count).toBe(2);
  });

  it('has no organization, role or permission with an orgless token', async () => {
    const user = await platform.signUp({ organization: null });
    expect((await me(platform, user.accessToken)).body).toMatchObject({
      org_id: null,
      org_name: null,
      role: null,
      permissions: [],
    });
  });

  it('has fewer permissions with each lower role', async () => {
    const counts: number[] = [];
    for (const role of ['viewer', 'member', 'admin'] as const) {
      const user = await platform.signUp({ invitedBy: owner, role });
      const { permissions } = (await me(platform, user.accessToken)).body as { permissions: string[] };
      expect(permissions).not.toContain('owners:manage');
      counts.push(permissions.length);
    }
    expect([...counts].sort((one, other) => one - other)).toEqual(counts);
    expect(new Set(counts).size).toBe(3);
  });
});

describe('the organizations of the caller', () => {
  it('are listed in the order of joining', async () => {
    const user = await memberOfTwo();
    expect((await organizations(user.accessToken)).body.items).toMatchObject([
      { id: user.orgId, name: 'Second Works', role: 'owner' },
      { id: owner.orgId, name: 'First Works', role: 'member' },
    ]);
  });

  it('are empty for a user without one', async () => {
    const user = await platform.signUp({ organization: null });
    expect(withoutRequestId(await organizations(user.accessToken))).toEqual({
      status: 200,
      body: { items: [], next_cursor: null },
    });
  });
});

describe('a switch to another organization', () => {
  it('moves the session there and is recorded', async () => {
    const user = await memberOfTwo();
    const reply = await switchTo(user.accessToken, owner.orgId);
    expect(reply).toMatchObject({
      status: 200,
      body: { needs_onboarding: false, user: { org_id: owner.orgId, role: 'member' } },
    });
    expect((await me(platform, reply.body.access_token)).body.org_id).toBe(owner.orgId);
    expect((await refresh(platform, reply.body.refresh_token)).body.user.org_id).toBe(owner.orgId);
    expect(await auditOf(platform, reply)).toMatchObject([
      { action: 'LOGIN', note: 'Switched organization', org_id: owner.orgId, user_id: user.userId },
    ]);
  });

  it('stays in its session, whose refresh token it replaces', async () => {
    const user = await memberOfTwo();
    const sid = decodeJwt(user.accessToken)['sid'];
    const { body } = await switchTo(user.accessToken, owner.orgId);
    expect(decodeJwt(String(body.access_token))).toMatchObject({ sid, org_id: owner.orgId });
    expect(decodeJwt(String(body.refresh_token))).toMatchObject({ family_id: sid, org_id: owner.orgId });
    expect((await me(platform, user.accessToken)).body.org_id).toBe(user.orgId);
    expect((await refresh(platform, user.refreshToken)).body.type).toBe('/problems/refresh-token-reused');
  });

  it.each([
    ['one that the user is not a member of', () => owner.orgId],
    ['one that does not exist', () => randomUUID()],
  ])('is refused to %s', async (_name, orgId) => {
    const user = await platform.signUp();
    const reply = await switchTo(user.accessToken, orgId());
    expect(reply).toMatchObject({ status: 403, body: { type: '/problems/not-a-member' } });
    expect(await auditOf(platform, reply)).toEqual([]);
  });

  it('is allowed for a superuser to any organization, without a membership', async () => {
    const user = await platform.signUp({ organization: null });
    await makeSuperuser(platform, user);
    const { body } = await switchTo(user.accessToken, owner.orgId);
    expect(body.user).toMatchObject({ org_id: owner.orgId, is_superuser: true });
    expect(decodeJwt(body.access_token as string)).toMatchObject({ org_id: owner.orgId, is_superuser: true });
    expect(await storedMemberships(platform, user.userId)).toEqual([]);
    expect((await me(platform, body.access_token)).status).toBe(200);
  });

  it('brings an orgless session of a member into an organization', async () => {
    const user = await platform.signUp({ organization: null });
    await platform.database.sql`
      insert into memberships (org_id, user_id, role) values (${owner.orgId}, ${user.userId}, 'member')`;
    expect((await switchTo(user.accessToken, owner.orgId)).body.user.org_id).toBe(owner.orgId);
  });
});
