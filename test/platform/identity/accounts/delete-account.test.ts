/** Accounts that are deleted by their users, or by superusers. */
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
import { makeSuperuser } from '../../../support/superuser.js';
import { forgot, login, me, newEmail, refresh, register, reset } from '../auth/requests.js';
import { auditOf, storedUsers } from '../auth/stored.js';
import { mark } from '../../tenancy/deletion/requests.js';
import { acceptInvite, connectIntegration, invite } from '../onboarding/requests.js';

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

function deleteMine(user: TestUser, password = testPassword): Promise<JsonReply> {
  const request = { token: user.accessToken, body: { current_password: password } };
  return platform.json('POST', '/api/v1/auth/account-deletion', request);
}

function deleteUser(userId: string, by = superuser): Promise<JsonReply> {
  return platform.json('DELETE', `/api/v1/installation/users/${userId}`, { token: by.accessToken });
}

async function organizationExists(id: string): Promise<boolean> {
  return (await platform.database.sql`select 1 from organizations where id = ${id}`).length > 0;
}

/** The names of the tables with a row that contains a text. Counters of rate limits end by themselves, within a day. */
async function tablesWith(text: string): Promise<string[]> {
  const { sql } = platform.database;
  const tables = await sql<{ name: string }[]>`
    select tablename as name from pg_tables where schemaname = 'public' and tablename <> 'rate_limits' order by 1`;
  const found: string[] = [];
  for (const { name } of tables) {
    const rows = await sql`select 1 from ${sql(name)} t where strpos(t::text, ${text}) > 0 limit 1`;
    if (rows.length > 0) found.push(name);
  }
  return found;
}

describe('a deleted account', () => {
  it('has no sessions, no log-in and no row, and its address can be registered again', async () => {
    const user = await platform.signUp({ invitedBy: owner });
    expect(await deleteMine(user)).toMatchObject({ status: 200, body: { message: 'Your account has been deleted.' } });
    expect((await me(platform, user.accessToken)).status).toBe(401);
    expect((await refresh(platform, user.refreshToken)).status).toBe(401);
    expect((await login(platform, user.email)).status).toBe(401);
    expect(await storedUsers(platform, user.email)).toEqual([]);
    expect((await register(platform, { email: user.email })).status).toBe(201);
  });

  it('leaves neither its address nor its name in the database, and its id in the audit log only', async () => {
    const user = await platform.signUp({ invitedBy: owner, role: 'admin' });
    const name = randomUUID();
    await platform.json('PATCH', '/api/v1/auth/me', { token: user.accessToken, body: { full_name: name } });
    await invite(platform, owner, newEmail());
    await createServiceToken(platform, user, ['members:read'], { name: randomUUID() });
    await login(platform, user.email, 'wrong');
    await forgot(platform, user.email);
    await platform.database.sql`
      insert into outgoing_mails (kind, recipient, payload_sealed, failed_at) values ('reset', ${user.email}, '', now())`;
    expect((await deleteMine(user)).status).toBe(200);
    expect(await tablesWith(user.email)).toEqual([]);
    expect(await tablesWith(name)).toEqual([]);
    expect(await tablesWith(user.userId)).toEqual(['audit_log']);
  });

  it('has no use of the links of earlier mails', async () => {
    const user = await platform.signUp({ invitedBy: owner });
    await forgot(platform, user.email);
    const { token } = await platform.lastMail(user.email);
    await deleteMine(user);
    expect((await reset(platform, token, 'five green lanterns 5')).status).toBe(400);
  });

  it('ends the invites that it sent, and is named to admins by its id', async () => {
    const admin = await platform.signUp({ invitedBy: owner, role: 'admin' });
    const guest = await platform.signUp({ organization: null });
    const { token } = await invite(platform, admin, guest.email);
    await createServiceToken(platform, admin, ['members:read'], { name: randomUUID() });
    const reply = await deleteMine(admin);
    expect((await acceptInvite(platform, guest.accessToken, token)).status).toBe(400);
    expect(await auditOf(platform, reply)).toMatchObject([
      { action: 'DELETE', resource_kind: 'USER', resource_id: admin.userId, org_id: owner.orgId },
      { action: 'MEMBER_REMOVED', note: 'account deleted, was admin; remaining: 1 service token' },
      { action: 'INVITE_REVOKED', org_id: owner.orgId, user_id: admin.userId },
    ]);
  });

  it('leaves what it made, which can still be read', async () => {
    const admin = await platform.signUp({ invitedBy: owner, role: 'admin' });
    const { id, token } = await createServiceToken(platform, admin, ['members:read'], { name: randomUUID() });
    const guest = await platform.signUp({ organization: null });
    await acceptInvite(platform, guest.accessToken, (await invite(platform, admin, guest.email)).token);
    await deleteMine(admin);
    const path = `/api/v1/organizations/${owner.orgId}`;
    expect((await platform.json('GET', `${path}/members`, { token })).status).toBe(200);
    const tokens = await platform.json('GET', `${path}/service-tokens?limit=200`, { token: owner.accessToken });
    expect(tokens.body.items).toContainEqual(
      expect.objectContaining({ id, created_by: null, created_by_name: null, creator_is_admin: false }),
    );
    const invites = await platform.json('GET', `${path}/invites?limit=200`, { token: owner.accessToken });
    expect(invites.body.items).toContainEqual(expect.objectContaining({ email: guest.email, invited_by: null }));
    const log = await platform.json('GET', `/api/v1/admin/audit-log?user_id=${admin.userId}`, {
      token: owner.accessToken,
    });
    expect(log.status).toBe(200);
    expect(log.body.items).not.toEqual([]);
  });

  it('is sent as the end of a membership to the webhooks of its organizations', async () => {
    const admin = await platform.signUp();
    const user = await platform.signUp({ invitedBy: admin });
    await platform.database.sql`
      insert into webhooks (id, org_id, url, events, sealed_secret)
      values (${randomUUID()}, ${admin.orgId}, 'https://hooks.example.com/', ${['member.removed']}, '')`;
    await deleteMine(user);
    const stored = await platform.database.sql<{ event: string; data: string }[]>`
      select event, data from webhook_deliveries d join webhooks w on w.id = d.webhook_id where org_id = ${admin.orgId}`;
    expect(stored.map(({ event, data }): unknown => [event, JSON.parse(data)])).toEqual([
      [
        'member.removed',
        { user_id: user.userId, removed_by: user.userId, service_tokens: 0, webhooks: 0, integrations: 0 },
      ],
    ]);
  });
});

describe('a deletion of your account', () => {
  it('needs the password, and wrong ones lock the address', async () => {
    const user = await platform.signUp();
    for (let failures = 0; failures < 5; failures += 1) {
      expect(await deleteMine(user, 'wrong')).toMatchObject({
        status: 403,
        body: { type: '/problems/wrong-password' },
      });
    }
    expect(await deleteMine(user)).toMatchObject({ status: 429, body: { type: '/problems/account-locked' } });
    expect((await me(platform, user.accessToken)).status).toBe(200);
  });

  it('happens once of several at the same time', async () => {
    const user = await platform.signUp({ invitedBy: owner });
    const replies = await Promise.all([deleteMine(user), deleteMine(user), deleteMine(user)]);
    expect(replies.map(({ status }) => status).filter((status) => status === 200)).toEqual([200]);
  });

  it('is refused with the names of the organizations that need their only owner', async () => {
    const user = await platform.signUp({ organization: 'Example Works' });
    const member = await platform.signUp({ invitedBy: user, role: 'admin' });
    expect(await deleteMine(user)).toMatchObject({
      status: 409,
      body: {
        type: '/problems/only-owner',
        organizations: [{ id: user.orgId, name: 'Example Works', member_count: 2 }],
      },
    });
    expect((await me(platform, user.accessToken)).status).toBe(200);
    const path = `/api/v1/organizations/${user.orgId}/members/${member.userId}`;
    await platform.json('PATCH', path, { token: user.accessToken, body: { role: 'owner' } });
    expect((await deleteMine(user)).status).toBe(200);
    expect(await organizationExists(user.orgId)).toBe(true);
  });

  it('is refused while something is connected in an organization without other members', async () => {
    const user = await platform.signUp();
    await connectIntegration(platform, user.orgId);
    expect(await deleteMine(user)).toMatchObject({ status: 409, body: { organizations: [{ member_count: 1 }] } });
  });

  it('is not refused for an organization that is marked for deletion, which stays until then', async () => {
    const user = await platform.signUp();
    await connectIntegration(platform, user.orgId);
    await platform.signUp({ invitedBy: user });
    expect((await mark(platform, user)).status).toBe(202);
    expect((await deleteMine(user)).status).toBe(200);
    expect(await organizationExists(user.orgId)).toBe(true);

    const alone = await platform.signUp();
    await mark(platform, alone);
    expect((await deleteMine(alone)).status).toBe(200);
    expect(await organizationExists(alone.orgId)).toBe(true);
    const due = await platform.database.sql`
      select requested_by from organization_deletions where org_id in (${user.orgId}, ${alone.orgId})`;
    expect(due).toEqual([{ requested_by: null }, { requested_by: null }]);
  });

  it('begins the removal of an unused organization without other members', async () => {
    const user = await platform.signUp();
    const begin = platform.clock.now();
    const reply = await deleteMine(user);
    expect(reply.status).toBe(200);
    expect(
      await platform.database.sql`
      select requested_by, due_at between ${begin} and ${platform.clock.now()} as is_due_at_once
      from organization_deletions where org_id = ${user.orgId}`,
    ).toEqual([{ requested_by: null, is_due_at_once: true }]);
    expect(await auditOf(platform, reply)).toMatchObject([
      { action: 'DELETE', resource_kind: 'USER', user_id: user.userId },
      { action: 'DELETION_REQUESTED', resource_kind: 'ORGANIZATION', resource_id: user.orgId, org_id: user.orgId },
      { action: 'MEMBER_REMOVED', resource_id: user.userId, org_id: user.orgId },
    ]);
  });

  it('of the two owners of an organization leaves one of them', async () => {
    const one = await platform.signUp();
    const other = await platform.signUp({ invitedBy: one, role: 'owner' });
    await platform.signUp({ invitedBy: one });
    const replies = await Promise.all([deleteMine(one), deleteMine(other)]);
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409]);
  });
});

describe('a superuser', () => {
  it('deletes an account, which the log records', async () => {
    const user = await platform.signUp({ invitedBy: owner });
    const reply = await deleteUser(user.userId);
    expect(reply.status).toBe(204);
    expect((await me(platform, user.accessToken)).status).toBe(401);
    expect(await auditOf(platform, reply)).toMatchObject([
      { action: 'DELETE', resource_id: user.userId, user_id: superuser.userId, org_id: owner.orgId },
      { action: 'MEMBER_REMOVED', resource_id: user.userId, user_id: superuser.userId, org_id: owner.orgId },
    ]);
    expect(await deleteUser(user.userId)).toMatchObject({ status: 404, body: { type: '/problems/user-not-found' } });
  });

  it('cannot delete the only owner of an organization, nor their own account this way', async () => {
    await platform.signUp({ invitedBy: owner });
    expect(await deleteUser(owner.userId)).toMatchObject({ status: 409, body: { type: '/problems/only-owner' } });
    expect(await deleteUser(superuser.userId)).toMatchObject({ status: 409, body: { type: '/problems/own-account' } });
  });

  it('deletes nothing without a proof of the last 10 minutes', async () => {
    const user = await platform.signUp({ organization: null });
    const { body } = await login(platform, superuser.email);
    platform.clock.advance(601);
    const inOldSession = { ...superuser, accessToken: String(body.access_token) };
    const refused = { status: 403, body: { type: '/problems/recent-login-required' } };
    expect(await deleteUser(user.userId, inOldSession)).toMatchObject(refused);
    expect((await login(platform, user.email)).status).toBe(200);
  });

  it('is needed to delete the account of somebody else', async () => {
    expect(await deleteUser(superuser.userId, owner)).toMatchObject({
      status: 403,
      body: { type: '/problems/superuser-required' },
    });
  });
});
