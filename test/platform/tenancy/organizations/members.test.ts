import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestPlatform, type JsonReply, type TestPlatform, type TestUser } from '../../../support/platform.js';

let platform: TestPlatform;
let owner: TestUser;
let admin: TestUser;
let member: TestUser;

beforeAll(async () => {
  platform = await startTestPlatform();
});

beforeEach(async () => {
  owner = await platform.signUp();
  admin = await platform.signUp({ invitedBy: owner, role: 'admin' });
  member = await platform.signUp({ invitedBy: owner, role: 'member' });
});

afterAll(() => platform.stop());

function change(by: TestUser, of: TestUser, role: string): Promise<JsonReply> {
  const path = `/api/v1/organizations/${by.orgId}/members/${of.userId}`;
  return platform.json('PATCH', path, { token: by.accessToken, body: { role } });
}

function remove(by: TestUser, of: TestUser): Promise<JsonReply> {
  return platform.json('DELETE', `/api/v1/organizations/${by.orgId}/members/${of.userId}`, { token: by.accessToken });
}

function list(by: TestUser, query = ''): Promise<JsonReply> {
  return platform.json('GET', `/api/v1/organizations/${by.orgId}/members${query}`, { token: by.accessToken });
}

function me(user: TestUser): Promise<JsonReply> {
  return platform.json('GET', '/api/v1/auth/me', { token: user.accessToken });
}

async function roles(): Promise<Record<string, string>> {
  const { body } = await list(owner);
  return Object.fromEntries(body.items.map((each: { user_id: string; role: string }) => [each.user_id, each.role]));
}

async function ownersOf(orgId: string): Promise<number> {
  const rows = await platform.database.sql`select 1 from memberships where org_id = ${orgId} and role = 'owner'`;
  return rows.length;
}

describe('the list of members', () => {
  it('shows a viewer all members in the order in which they joined, page by page', async () => {
    const viewer = await platform.signUp({ invitedBy: owner, role: 'viewer' });
    const first = (await list(viewer, '?limit=3')).body;
    const second = (await list(viewer, `?limit=3&cursor=${first.next_cursor}`)).body;
    const ids = [...first.items, ...second.items].map((each: { user_id: string }) => each.user_id);
    expect(ids).toEqual([owner, admin, member, viewer].map(({ userId }) => userId));
    expect(second.next_cursor).toBeNull();
    expect(first.items[0]).toMatchObject({ email: owner.email, full_name: null, role: 'owner' });
  });

  it('has no member of another organization', async () => {
    const other = await platform.signUp();
    expect((await list(other)).body.items).toHaveLength(1);
  });

  it('refuses a cursor that it did not issue', async () => {
    expect((await list(owner, '?cursor=nonsense')).body.violations).toMatchObject([{ path: '/query/cursor' }]);
  });
});

describe('changing a role', () => {
  it('applies from the next request of the member, without a new token', async () => {
    const reply = await change(owner, member, 'admin');
    expect(reply.status).toBe(200);
    expect(reply.body).toMatchObject({ user_id: member.userId, role: 'admin' });
    expect((await me(member)).body.role).toBe('admin');
    const records = await platform.database.sql`
      select user_id, org_id, note from audit_log
      where action = 'MEMBER_ROLE_CHANGED' and resource_id = ${member.userId}`;
    expect([...records]).toEqual([{ user_id: owner.userId, org_id: owner.orgId, note: 'member to admin' }]);
  });

  it('to the same role changes nothing, and leaves no record', async () => {
    expect((await change(owner, member, 'member')).status).toBe(200);
    const records = await platform.database.sql`
      select 1 from audit_log where action = 'MEMBER_ROLE_CHANGED' and resource_id = ${member.userId}`;
    expect(records).toHaveLength(0);
  });

  it("to one above the caller's is refused, for others and for oneself", async () => {
    for (const of of [member, admin]) {
      const reply = await change(admin, of, 'owner');
      expect(reply.status).toBe(403);
      expect(reply.body.type).toBe('/problems/role-not-grantable');
    }
    expect(await ownersOf(owner.orgId)).toBe(1);
  });

  it('of an owner is refused to an admin', async () => {
    const reply = await change(admin, owner, 'member');
    expect(reply.status).toBe(403);
    expect(reply.body).toMatchObject({ type: '/problems/insufficient-role', required_role: 'owner' });
  });

  it('of the last owner is refused, also to that owner', async () => {
    const reply = await change(owner, owner, 'admin');
    expect(reply.status).toBe(409);
    expect(reply.body.type).toBe('/problems/last-owner');
    await change(owner, admin, 'owner');
    expect((await change(owner, owner, 'viewer')).status).toBe(200);
  });

  it('of a user who is not a member answers 404', async () => {
    const stranger = await platform.signUp();
    expect((await change(owner, stranger, 'viewer')).body.type).toBe('/problems/member-not-found');
    expect((await change(stranger, member, 'viewer')).body.type).toBe('/problems/member-not-found');
    expect((await roles())[member.userId]).toBe('member');
  });

  it('of two owners by each other at once leaves one', async () => {
    await change(owner, admin, 'owner');
    const calls = Array.from({ length: 24 }, (_, index) =>
      index % 2 === 0 ? change(owner, admin, 'member') : change(admin, owner, 'member'),
    );
    const statuses = (await Promise.all(calls)).map(({ status }) => status);
    expect(await ownersOf(owner.orgId)).toBe(1);
    expect(statuses.every((status) => [200, 403].includes(status))).toBe(true);
  });

  it('of every owner by themselves at once leaves one', async () => {
    await change(owner, admin, 'owner');
    await change(owner, member, 'owner');
    const owners = [owner, admin, member];
    const replies = await Promise.all(owners.map((each) => change(each, each, 'viewer')));
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 200, 409]);
    expect(await ownersOf(owner.orgId)).toBe(1);
  });
});

describe('removing a member', () => {
  it('ends their tokens for the organization at once; the account remains', async () => {
    expect((await remove(admin, member)).status).toBe(200);
    expect((await me(member)).status).toBe(401);
    const body = { refresh_token: member.refreshToken };
    const refreshed = await platform.json('POST', '/api/v1/auth/refresh', { body });
    expect(refreshed.status).toBe(200);
    expect(refreshed.body.user).toMatchObject({ id: member.userId, org_id: null, role: null });
    const records = await platform.database.sql`
      select user_id, note from audit_log where action = 'MEMBER_REMOVED' and resource_id = ${member.userId}`;
    expect([...records]).toEqual([{ user_id: admin.userId, note: 'was member' }]);
  });

  it('can be done by members of every role to themselves', async () => {
    const viewer = await platform.signUp({ invitedBy: owner, role: 'viewer' });
    for (const each of [admin, member, viewer]) {
      expect((await remove(each, { ...each, userId: each.userId.toUpperCase() })).status).toBe(200);
      expect((await me(each)).status).toBe(401);
    }
    const records = await platform.database.sql`
      select user_id, note from audit_log where action = 'MEMBER_REMOVED' and resource_id = ${viewer.userId}`;
    expect([...records]).toEqual([{ user_id: viewer.userId, note: 'left, was viewer' }]);
    expect(Object.keys(await roles())).toEqual([owner.userId]);
  });

  it('is refused to members and viewers for other members', async () => {
    const viewer = await platform.signUp({ invitedBy: owner, role: 'viewer' });
    for (const [by, of] of [
      [member, viewer],
      [viewer, member],
      [member, owner],
    ] as const) {
      expect((await remove(by, of)).body).toMatchObject({
        type: '/problems/insufficient-role',
        required_role: 'admin',
      });
    }
    expect(Object.keys(await roles())).toHaveLength(4);
  });

  it('is refused for the last owner', async () => {
    const reply = await remove(owner, owner);
    expect(reply.status).toBe(409);
    expect(reply.body.type).toBe('/problems/last-owner');
    await change(owner, admin, 'owner');
    expect((await remove(owner, owner)).status).toBe(200);
  });

  it('is refused to an admin for an owner', async () => {
    expect((await remove(admin, owner)).body.type).toBe('/problems/insufficient-role');
  });

  it('of a user who is not a member answers 404', async () => {
    const stranger = await platform.signUp();
    expect((await remove(owner, stranger)).body.type).toBe('/problems/member-not-found');
    expect((await remove(stranger, member)).body.type).toBe('/problems/member-not-found');
  });

  it('of two owners by each other at once leaves one', async () => {
    await change(owner, admin, 'owner');
    const calls = Array.from({ length: 24 }, (_, index) =>
      index % 2 === 0 ? remove(owner, admin) : remove(admin, owner),
    );
    const statuses = (await Promise.all(calls)).map(({ status }) => status);
    expect(await ownersOf(owner.orgId)).toBe(1);
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
  });

  it('repeated simultaneous invites all complete', async () => {
    const invite = (): Promise<JsonReply> => {
      const body = { email: member.email, role: 'viewer' };
      return platform.json('POST', `/api/v1/organizations/${owner.orgId}/invites`, { token: admin.accessToken, body });
    };
    const calls = Array.from({ length: 8 }, () => [
      invite(),
      remove(owner, member),
      change(owner, admin, 'admin'),
    ]).flat();
    const statuses = (await Promise.all(calls)).map(({ status }) => status);
    expect(statuses.filter((status) => status >= 500)).toEqual([]);
  });
});
