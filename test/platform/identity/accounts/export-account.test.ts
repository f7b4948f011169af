/** What an account takes with it. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  startTestPlatform,
  testPassword,
  type JsonReply,
  type TestPlatform,
  type TestUser,
} from '../../../support/platform.js';
import { createServiceToken } from '../../../support/service-token.js';
import { login, newEmail, refresh } from '../auth/requests.js';
import { auditOf } from '../auth/stored.js';
import { invite } from '../onboarding/requests.js';

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startTestPlatform();
});
afterAll(() => platform.stop());

function exported(user: TestUser, password = testPassword): Promise<JsonReply> {
  const request = { token: user.accessToken, body: { current_password: password } };
  return platform.json('POST', '/api/v1/auth/account-export', request);
}

describe('an export of an account', () => {
  it('has the account, its memberships, invites and service tokens', async () => {
    const owner = await platform.signUp();
    const user = await platform.signUp({ invitedBy: owner, role: 'admin' });
    const guest = newEmail();
    const { id: inviteId } = await invite(platform, user, guest);
    const token = await createServiceToken(platform, user, ['members:read'], { name: randomUUID() });
    const newAddress = newEmail();
    const change = { token: user.accessToken, body: { new_email: newAddress, current_password: testPassword } };
    await platform.json('POST', '/api/v1/auth/change-email', change);
    const { status, body } = await exported(user);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      account: {
        id: user.userId,
        email: user.email,
        is_verified: true,
        registered_ip: '127.0.0.1',
        new_email: newAddress,
      },
      memberships: [{ id: owner.orgId, role: 'admin' }],
      invites_received: [{ org_id: owner.orgId, email: user.email, revoked_at: null }],
      invites_sent: [{ id: inviteId, email: guest, accepted_at: null }],
      service_tokens: [{ id: token.id, org_id: owner.orgId, scopes: ['members:read'], revoked_at: null }],
      has_more_audit_records: false,
    });
    expect(JSON.stringify(body)).not.toContain(token.token);
  });

  it('has each session once, with the end of those that have ended', async () => {
    const user = await platform.signUp();
    await refresh(platform, user.refreshToken);
    const { body: other } = await login(platform, user.email);
    await platform.json('POST', '/api/v1/auth/logout', { token: other.access_token });
    const { body } = await exported({ ...user, accessToken: (await login(platform, user.email)).body.access_token });
    const { sessions } = body as { sessions: { ended_at: string | null; ip: string; id: string }[] };
    expect(sessions).toHaveLength(3);
    expect(new Set(sessions.map(({ id }) => id)).size).toBe(3);
    expect(sessions.filter(({ ended_at: endedAt }) => endedAt === null)).toHaveLength(2);
    expect(sessions.map(({ ip }) => ip)).toEqual(['127.0.0.1', '127.0.0.1', '127.0.0.1']);
    expect(body.devices).toEqual([
      { program: expect.any(String), network: '127.0.0.0/16', seen_at: expect.any(String) },
    ]);
  });

  it('has what the user did, what others did with the account, and nothing of others', async () => {
    const owner = await platform.signUp();
    const user = await platform.signUp({ invitedBy: owner });
    const path = `/api/v1/organizations/${owner.orgId}/members/${user.userId}`;
    await platform.json('PATCH', path, { token: owner.accessToken, body: { role: 'viewer' } });
    const reply = await exported(user);
    const records = reply.body.audit_records as {
      action: string;
      user_id: string | null;
      resource_id: string | null;
    }[];
    expect(records.map(({ action }) => action)).toEqual(
      expect.arrayContaining(['REGISTER', 'EMAIL_VERIFIED', 'LOGIN', 'MEMBER_ROLE_CHANGED', 'ACCOUNT_EXPORTED']),
    );
    expect(records.every((each) => each.user_id === user.userId || each.resource_id === user.userId)).toBe(true);
    const byOthers = reply.body.audit_records.find((each: { action: string }) => each.action === 'MEMBER_ROLE_CHANGED');
    expect(byOthers).toMatchObject({ user_id: owner.userId, ip: null, user_agent: null, request_id: null });
    expect(await auditOf(platform, reply)).toMatchObject([
      { action: 'ACCOUNT_EXPORTED', resource_id: user.userId, user_id: user.userId, org_id: owner.orgId },
    ]);
  });

  it('says when there are more audit records than it has', async () => {
    const user = await platform.signUp();
    await platform.database.sql`
      insert into audit_log (at, action, resource_kind, user_id, status)
      select '2020-01-01'::timestamptz + n * interval '1 second', 'LOGIN', 'SESSION', ${user.userId}, 'success'
      from generate_series(1, 10000) n`;
    const { body } = await exported(user);
    expect(body.audit_records).toHaveLength(10_000);
    expect(body.audit_records[0].action).toBe('ACCOUNT_EXPORTED');
    expect(body.has_more_audit_records).toBe(true);
  });

  it('needs the password, and wrong ones lock the address', async () => {
    const user = await platform.signUp();
    for (let failures = 0; failures < 5; failures += 1) {
      expect(await exported(user, 'wrong')).toMatchObject({ status: 403, body: { type: '/problems/wrong-password' } });
    }
    expect(await exported(user)).toMatchObject({ status: 429, body: { type: '/problems/account-locked' } });
  });
});
