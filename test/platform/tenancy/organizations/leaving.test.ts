import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestPlatform, type JsonReply, type TestPlatform, type TestUser } from '../../../support/platform.js';
import { makeSuperuser } from '../../../support/superuser.js';
import { createServiceToken } from '../../../support/service-token.js';
import { auditOf } from '../../identity/auth/stored.js';
import { acceptInvite, invite, joinOrganization } from '../../identity/onboarding/requests.js';

let platform: TestPlatform;
let owner: TestUser;
let leaver: TestUser;

beforeAll(async () => {
  platform = await startTestPlatform();
});

beforeEach(async () => {
  owner = await platform.signUp();
  leaver = await platform.signUp({ invitedBy: owner, role: 'owner' });
});

afterAll(() => platform.stop());

const newUser = (): Promise<TestUser> => platform.signUp({ organization: null });
const memberPath = (of: TestUser): string => `/api/v1/organizations/${owner.orgId}/members/${of.userId}`;

function change(by: TestUser, of: TestUser, role: string): Promise<JsonReply> {
  return platform.json('PATCH', memberPath(of), { token: by.accessToken, body: { role } });
}

function remove(by: TestUser, of: TestUser, query = ''): Promise<JsonReply> {
  return platform.json('DELETE', `${memberPath(of)}${query}`, { token: by.accessToken });
}

async function statusOf(inviteId: string): Promise<unknown> {
  const path = `/api/v1/organizations/${owner.orgId}/invites?limit=200`;
  const { body } = await platform.json('GET', path, { token: owner.accessToken });
  return body.items.find(({ id }: { readonly id: string }) => id === inviteId)?.status;
}

async function expectNoMembership(user: TestUser): Promise<void> {
  expect(await platform.database.sql`select 1 from memberships where user_id = ${user.userId}`).toHaveLength(0);
}

describe('the invites of a member', () => {
  it.each(['owner', 'admin', 'member', 'viewer'])('as %s end when the member is removed', async (role) => {
    const [user, other] = [await newUser(), await newUser()];
    const { id, token } = await invite(platform, leaver, user.email, role);
    const kept = await invite(platform, owner, other.email, role);
    const removed = await remove(owner, leaver);
    expect(removed.status).toBe(200);
    expect((await acceptInvite(platform, user.accessToken, token)).body).toMatchObject({
      type: '/problems/invalid-invite',
      message: 'Invalid or expired invite',
    });
    expect((await joinOrganization(platform, user.accessToken, token)).body.type).toBe('/problems/invalid-invite');
    await expectNoMembership(user);
    expect(await statusOf(id)).toBe('revoked');
    expect(await auditOf(platform, removed)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          action: 'INVITE_REVOKED',
          resource_id: id,
          org_id: owner.orgId,
          user_id: owner.userId,
          note: 'the inviter lost the right to give this role',
        }),
      ]),
    );
    expect((await acceptInvite(platform, other.accessToken, kept.token)).status).toBe(200);
  });

  it('end when the member leaves', async () => {
    const user = await newUser();
    const { token } = await invite(platform, leaver, user.email);
    expect((await remove(leaver, leaver)).status).toBe(200);
    expect((await acceptInvite(platform, user.accessToken, token)).status).toBe(400);
  });

  it('end where their role is above the new role of the member', async () => {
    const users = [await newUser(), await newUser()] as const;
    const asOwner = await invite(platform, leaver, users[0].email, 'owner');
    const asAdmin = await invite(platform, leaver, users[1].email, 'admin');
    const demoted = await change(owner, leaver, 'admin');
    expect((await acceptInvite(platform, users[0].accessToken, asOwner.token)).status).toBe(400);
    expect(await statusOf(asOwner.id)).toBe('revoked');
    expect(await auditOf(platform, demoted)).toEqual(
      expect.arrayContaining([expect.objectContaining({ action: 'INVITE_REVOKED', resource_id: asOwner.id })]),
    );
    expect((await acceptInvite(platform, users[1].accessToken, asAdmin.token)).body.role).toBe('admin');
  });

  it.each(['member', 'viewer'])('all end when the member becomes %s, who invites nobody', async (role) => {
    const user = await newUser();
    const { id, token } = await invite(platform, leaver, user.email, 'viewer');
    await change(owner, leaver, role);
    expect((await acceptInvite(platform, user.accessToken, token)).status).toBe(400);
    expect(await statusOf(id)).toBe('revoked');
    await change(owner, leaver, 'owner');
    expect((await acceptInvite(platform, user.accessToken, token)).status).toBe(400);
  });

  it('in another organization stay valid', async () => {
    const user = await newUser();
    const elsewhere = await platform.signUp();
    const guest = await platform.signUp({ invitedBy: elsewhere, role: 'admin' });
    const back = await invite(platform, owner, guest.email, 'admin');
    await acceptInvite(platform, guest.accessToken, back.token);
    const login = { email: guest.email, password: guest.password, org_id: elsewhere.orgId };
    const { body } = await platform.json('POST', '/api/v1/auth/login', { body: login });
    const { token } = await invite(platform, { ...guest, accessToken: body.access_token }, user.email, 'admin');
    expect((await remove(owner, guest)).status).toBe(200);
    expect((await acceptInvite(platform, user.accessToken, token)).body.org_id).toBe(elsewhere.orgId);
  });

  it('can be replaced after they have ended', async () => {
    const user = await newUser();
    await invite(platform, leaver, user.email, 'owner');
    await remove(owner, leaver);
    const { token } = await invite(platform, owner, user.email, 'viewer');
    expect((await acceptInvite(platform, user.accessToken, token)).body.role).toBe('viewer');
  });

  it.each([
    [
      'a membership that was deleted',
      (id: string) => platform.database.sql`delete from memberships where user_id = ${id}`,
    ],
    ['a disabled account', (id: string) => platform.database.sql`update users set is_active = false where id = ${id}`],
    ['a deleted account', (id: string) => platform.database.sql`delete from users where id = ${id}`],
  ] as const)('are checked again when they are accepted, after %s in the database', async (_what, end) => {
    const user = await newUser();
    const { token } = await invite(platform, leaver, user.email);
    await end(leaver.userId);
    expect((await acceptInvite(platform, user.accessToken, token)).status).toBe(400);
    await expectNoMembership(user);
  });

  it('of a superuser who is not a member are valid while the account is a superuser', async () => {
    const [superuser, user] = [await newUser(), await newUser()];
    const { sql } = platform.database;
    await makeSuperuser(platform, superuser);
    const body = { org_id: owner.orgId };
    const switched = await platform.json('POST', '/api/v1/auth/switch-org', { token: superuser.accessToken, body });
    const acting = { ...superuser, orgId: owner.orgId, accessToken: String(switched.body.access_token) };
    const { token } = await invite(platform, acting, user.email, 'owner');
    await sql`update users set is_superuser = false where id = ${superuser.userId}`;
    expect((await acceptInvite(platform, user.accessToken, token)).status).toBe(400);
    await makeSuperuser(platform, superuser);
    expect((await acceptInvite(platform, user.accessToken, token)).status).toBe(200);
  });
});

/** Holds a row lock until `release`, so that requests that need it wait. */
async function holdLock(table: string, column: string, id: string): Promise<() => Promise<void>> {
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  let locked = (): void => undefined;
  const isLocked = new Promise<void>((resolve) => (locked = resolve));
  const { sql } = platform.database;
  const transaction = sql.begin(async (inner) => {
    await inner`select 1 from ${inner(table)} where ${inner(column)} = ${id} for update`;
    locked();
    await held;
  });
  await isLocked;
  return async () => {
    release();
    await transaction;
  };
}

/** Waits until so many sessions of the database wait for locks. */
async function waiting(count: number): Promise<void> {
  for (;;) {
    const rows = await platform.database.sql`
      select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    if (rows.length >= count) return;
    await setTimeout(5);
  }
}

describe('races of joining and leaving', () => {
  it('an accept that waits for the removal of the inviter is refused', async () => {
    const user = await newUser();
    const { token } = await invite(platform, leaver, user.email, 'owner');
    const release = await holdLock('users', 'id', leaver.userId);
    const removed = remove(owner, leaver);
    await waiting(1);
    const accepted = acceptInvite(platform, user.accessToken, token);
    await waiting(2);
    await release();
    expect((await removed).status).toBe(200);
    expect((await accepted).status).toBe(400);
    await expectNoMembership(user);
  });

  it('accepts and removals at once complete, and no invite is accepted after the removal', async () => {
    const users = await Promise.all(Array.from({ length: 6 }, newUser));
    const tokens: string[] = [];
    for (const { email } of users) tokens.push((await invite(platform, leaver, email, 'admin')).token);
    const accepts = users.map((user, index) => acceptInvite(platform, user.accessToken, tokens[index] ?? ''));
    const [removed, ...accepted] = await Promise.all([remove(owner, leaver), ...accepts]);
    expect(removed.status).toBe(200);
    expect(accepted.every(({ status }) => status === 200 || status === 400)).toBe(true);
    const rows = await platform.database.sql`
      select accepted_at, revoked_at from invites where invited_by = ${leaver.userId}`;
    expect(rows.filter((row) => row['accepted_at'] === null && row['revoked_at'] === null)).toEqual([]);
    expect(rows.filter((row) => row['accepted_at'] !== null)).toHaveLength(
      accepted.filter(({ status }) => status === 200).length,
    );
  });

  it('an inviter and an invited user who remove and accept each other complete', async () => {
    const user = await newUser();
    for (let round = 0; round < 5; round += 1) {
      const back = await invite(platform, owner, user.email, 'owner');
      const calls = [acceptInvite(platform, user.accessToken, back.token), change(owner, leaver, 'admin')];
      const statuses = (await Promise.all(calls)).map(({ status }) => status);
      expect(statuses).toEqual([200, 200]);
      await change(owner, leaver, 'owner');
      await remove(owner, user);
      const login = { email: user.email, password: user.password };
      const { body } = await platform.json('POST', '/api/v1/auth/login', { body: login });
      Object.assign(user, { accessToken: body.access_token });
    }
  });

  it('a service token that an admin creates during the removal is refused', async () => {
    const release = await holdLock('organizations', 'id', owner.orgId);
    const removed = remove(owner, leaver);
    await waiting(1);
    const created = platform.json('POST', `/api/v1/organizations/${owner.orgId}/service-tokens`, {
      token: leaver.accessToken,
      body: { name: 'late', scopes: ['analytics:read'], expires_in_days: 30 },
    });
    await waiting(2);
    await release();
    expect((await removed).status).toBe(200);
    expect((await created).body).toMatchObject({ type: '/problems/insufficient-role', required_role: 'admin' });
    expect(await platform.database.sql`select 1 from service_tokens where created_by = ${leaver.userId}`).toHaveLength(
      0,
    );
  });

  it('a webhook that an admin creates during the removal is refused', async () => {
    const release = await holdLock('organizations', 'id', owner.orgId);
    const removed = remove(owner, leaver);
    await waiting(1);
    const created = platform.json('POST', `/api/v1/organizations/${owner.orgId}/webhooks`, {
      token: leaver.accessToken,
      body: { url: 'https://hooks.example.com/in', events: ['member.joined'] },
    });
    await waiting(2);
    await release();
    expect((await removed).body).toEqual({ service_tokens: [], webhooks: [], integrations: [] });
    expect((await created).body).toMatchObject({ type: '/problems/insufficient-role', required_role: 'admin' });
  });

  it('an integration that an admin connects during the removal is refused', async () => {
    const release = await holdLock('organizations', 'id', owner.orgId);
    const removed = remove(owner, leaver);
    await waiting(1);
    const connected = platform.json('POST', '/api/v1/admin/integrations', {
      token: leaver.accessToken,
      body: { provider: 'host_a', name: 'late', token: 'secret' },
    });
    await waiting(2);
    await release();
    expect((await removed).status).toBe(200);
    expect((await connected).body).toMatchObject({ type: '/problems/insufficient-role', required_role: 'admin' });
  });

  it('a rotation by an admin during the removal is refused', async () => {
    const { id } = await createServiceToken(platform, leaver, ['analytics:read']);
    const release = await holdLock('organizations', 'id', owner.orgId);
    const removed = remove(owner, leaver);
    await waiting(1);
    const rotated = platform.json('POST', `/api/v1/organizations/${owner.orgId}/service-tokens/${id}/rotate`, {
      token: leaver.accessToken,
      body: { overlap_seconds: 0 },
    });
    await waiting(2);
    await release();
    expect((await removed).status).toBe(200);
    expect((await rotated).body).toMatchObject({ type: '/problems/insufficient-role' });
  });
});

describe('what a removed member has created', () => {
  const works = async (token: string): Promise<boolean> =>
    (await platform.json('GET', '/api/v1/service-tokens/current', { token })).status === 200;

  it('is named: the service tokens that still work, and the webhooks', async () => {
    const mine = await createServiceToken(platform, leaver, ['analytics:read'], { name: 'export' });
    const revoked = await createServiceToken(platform, leaver, ['analytics:read'], { name: 'revoked' });
    const others = await createServiceToken(platform, owner, ['analytics:read'], { name: 'of the owner' });
    const tokens = `/api/v1/organizations/${owner.orgId}/service-tokens`;
    await platform.json('DELETE', `${tokens}/${revoked.id}`, { token: leaver.accessToken });
    const webhook = { url: 'https://hooks.example.com/in', events: ['member.joined'] };
    const hooks = `/api/v1/organizations/${owner.orgId}/webhooks`;
    expect((await platform.json('POST', hooks, { token: leaver.accessToken, body: webhook })).status).toBe(201);
    const { status, body } = await remove(owner, leaver);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      service_tokens: [{ id: mine.id, name: 'export', status: 'active', creator_is_admin: false }],
      webhooks: [{ url: webhook.url, created_by: leaver.userId }],
    });
    expect(await works(mine.token)).toBe(true);
    expect(await works(others.token)).toBe(true);
  });

  it('is nothing for a member who created nothing', async () => {
    const member = await platform.signUp({ invitedBy: owner });
    expect((await remove(owner, member)).body).toEqual({ service_tokens: [], webhooks: [], integrations: [] });
  });

  it('loses its service tokens if the caller asks for that', async () => {
    const mine = await createServiceToken(platform, leaver, ['analytics:read'], { name: 'export' });
    const others = await createServiceToken(platform, owner, ['analytics:read'], { name: 'of the owner' });
    const reply = await remove(owner, leaver, '?revoke_service_tokens=true');
    expect(reply.body.service_tokens).toMatchObject([{ id: mine.id, status: 'revoked' }]);
    expect([await works(mine.token), await works(others.token)]).toEqual([false, true]);
    expect(await auditOf(platform, reply)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ action: 'SERVICE_TOKEN_REVOKED', resource_id: mine.id, user_id: owner.userId }),
      ]),
    );
  });

  it('keeps its service tokens if the removal is refused', async () => {
    const mine = await createServiceToken(platform, owner, ['analytics:read'], { name: 'export' });
    await remove(owner, leaver);
    expect((await remove(owner, owner, '?revoke_service_tokens=true')).status).toBe(409);
    expect(await works(mine.token)).toBe(true);
  });

  it('is revoked by admins only, also where members leave', async () => {
    const mine = await createServiceToken(platform, leaver, ['analytics:read'], { name: 'export' });
    await change(owner, leaver, 'viewer');
    const refused = await remove(leaver, leaver, '?revoke_service_tokens=true');
    expect(refused.body).toMatchObject({ type: '/problems/insufficient-role', required_role: 'admin' });
    expect((await remove(leaver, leaver)).body.service_tokens).toMatchObject([{ id: mine.id }]);
    expect(await works(mine.token)).toBe(true);
  });
});
