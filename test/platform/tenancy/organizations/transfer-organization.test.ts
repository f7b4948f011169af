/** An owner hands the organization over to a member. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestPlatform, type JsonReply, type TestPlatform, type TestUser } from '../../../support/platform.js';
import { makeSuperuser } from '../../../support/superuser.js';
import { auditOf } from '../../identity/auth/stored.js';
import { acceptInvite, invite } from '../../identity/onboarding/requests.js';

let platform: TestPlatform;

beforeAll(async () => {
  platform = await startTestPlatform();
});
afterAll(() => platform.stop());

function transfer(by: TestUser, to: string): Promise<JsonReply> {
  const request = { token: by.accessToken, body: { user_id: to } };
  return platform.json('POST', `/api/v1/organizations/${by.orgId}/transfer`, request);
}

async function roles(orgId: string): Promise<Record<string, string>> {
  const rows = await platform.database.sql<{ user_id: string; role: string }[]>`
    select user_id, role from memberships where org_id = ${orgId}`;
  return Object.fromEntries(rows.map(({ user_id: id, role }) => [id, role]));
}

describe('handing an organization over', () => {
  it('makes the member an owner and the caller an admin, and records both', async () => {
    const owner = await platform.signUp();
    const member = await platform.signUp({ invitedBy: owner, role: 'viewer' });
    const reply = await transfer(owner, member.userId);
    expect(reply).toMatchObject({
      status: 200,
      body: {
        new_owner: { user_id: member.userId, role: 'owner' },
        former_owner: { user_id: owner.userId, role: 'admin' },
      },
    });
    expect(await roles(owner.orgId)).toEqual({ [owner.userId]: 'admin', [member.userId]: 'owner' });
    expect(await auditOf(platform, reply)).toMatchObject([
      { action: 'MEMBER_ROLE_CHANGED', resource_id: member.userId, note: expect.stringMatching(/^viewer to owner/) },
      { action: 'MEMBER_ROLE_CHANGED', resource_id: owner.userId, note: expect.stringMatching(/^owner to admin/) },
    ]);
    expect((await transfer(owner, member.userId)).status).toBe(403);
  });

  it('mails the former owner about the new one', async () => {
    const owner = await platform.signUp();
    const member = await platform.signUp({ invitedBy: owner, role: 'viewer' });
    await transfer(owner, member.userId);
    expect((await platform.lastMail(owner.email)).text).toContain(`${member.email} is now an owner`);
  });

  it('to another owner only makes the caller an admin', async () => {
    const owner = await platform.signUp();
    const second = await platform.signUp({ invitedBy: owner, role: 'owner' });
    const reply = await transfer(owner, second.userId);
    expect(await roles(owner.orgId)).toEqual({ [owner.userId]: 'admin', [second.userId]: 'owner' });
    expect(await auditOf(platform, reply)).toMatchObject([{ resource_id: owner.userId }]);
  });

  it('ends the pending invites as owner of the former owner', async () => {
    const owner = await platform.signUp();
    const member = await platform.signUp({ invitedBy: owner });
    const guest = await platform.signUp({ organization: null });
    const { token } = await invite(platform, owner, guest.email, 'owner');
    await transfer(owner, member.userId);
    expect((await acceptInvite(platform, guest.accessToken, token)).status).toBe(400);
  });

  it('is for owners', async () => {
    const owner = await platform.signUp();
    const admin = await platform.signUp({ invitedBy: owner, role: 'admin' });
    expect(await transfer(admin, admin.userId)).toMatchObject({
      status: 403,
      body: { type: '/problems/insufficient-role', required_role: 'owner' },
    });
  });

  it('is refused to a superuser who is not an owner, because nobody would give the organization away', async () => {
    const owner = await platform.signUp();
    const admin = await platform.signUp({ invitedBy: owner, role: 'admin' });
    await makeSuperuser(platform, admin);
    expect((await transfer(admin, admin.userId)).status).toBe(403);
    expect(await roles(owner.orgId)).toEqual({ [owner.userId]: 'owner', [admin.userId]: 'admin' });
  });

  it('is 404 for the caller, and for a user who is not a member', async () => {
    const owner = await platform.signUp();
    const stranger = await platform.signUp();
    for (const userId of [owner.userId, stranger.userId, randomUUID()]) {
      expect(await transfer(owner, userId)).toMatchObject({
        status: 404,
        body: { type: '/problems/member-not-found' },
      });
    }
    expect(await roles(owner.orgId)).toEqual({ [owner.userId]: 'owner' });
  });

  it('is 404 for a member whose account is disabled, who does not count as an owner either', async () => {
    const owner = await platform.signUp();
    const member = await platform.signUp({ invitedBy: owner, role: 'owner' });
    await platform.database.sql`update users set is_active = false where id = ${member.userId}`;
    expect((await transfer(owner, member.userId)).status).toBe(404);
    const path = `/api/v1/organizations/${owner.orgId}/members/${owner.userId}`;
    expect(await platform.json('DELETE', path, { token: owner.accessToken })).toMatchObject({
      status: 409,
      body: { type: '/problems/last-owner' },
    });
  });

  it('to two members at once happens once', async () => {
    const owner = await platform.signUp();
    const members = [await platform.signUp({ invitedBy: owner }), await platform.signUp({ invitedBy: owner })];
    const replies = await Promise.all(members.map(({ userId }) => transfer(owner, userId)));
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 403]);
    expect(Object.values(await roles(owner.orgId)).sort()).toEqual(['admin', 'member', 'owner']);
  });

  it('between two owners at once leaves one owner', async () => {
    const owner = await platform.signUp();
    const second = await platform.signUp({ invitedBy: owner, role: 'owner' });
    await Promise.all([transfer(owner, second.userId), transfer(second, owner.userId)]);
    expect(Object.values(await roles(owner.orgId)).sort()).toEqual(['admin', 'owner']);
  });
});
