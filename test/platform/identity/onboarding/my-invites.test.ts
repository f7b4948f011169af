import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestPlatform, type JsonReply, type TestPlatform, type TestUser } from '../../../support/platform.js';
import { storedMemberships } from '../auth/stored.js';
import { invite } from './requests.js';

let platform: TestPlatform;
let owner: TestUser;
beforeAll(async () => {
  platform = await startTestPlatform();
  owner = await platform.signUp({ organization: 'Example Works' });
});
afterAll(() => platform.stop());

const list = (user: TestUser, query = ''): Promise<JsonReply> =>
  platform.json('GET', `/api/v1/auth/me/invites${query}`, { token: user.accessToken });

const accept = (user: TestUser, id: string): Promise<JsonReply> =>
  platform.json('POST', `/api/v1/auth/me/invites/${id}/accept`, { token: user.accessToken });

describe('the invites to my address', () => {
  it('are listed with the organization and the role, newest first, in pages', async () => {
    const user = await platform.signUp({ organization: null });
    const other = await platform.signUp({ organization: 'Other Works' });
    const first = await invite(platform, owner, user.email, 'viewer');
    platform.clock.advance(1);
    const second = await invite(platform, other, user.email);
    const { status, body } = await list(user);
    expect(status).toBe(200);
    expect(body.items).toMatchObject([
      { id: second.id, org_id: other.orgId, org_name: 'Other Works', role: 'member' },
      { id: first.id, org_id: owner.orgId, org_name: 'Example Works', role: 'viewer' },
    ]);
    expect(JSON.stringify(body)).not.toContain(first.token);
    const page = await list(user, '?limit=1');
    expect(page.body.items).toMatchObject([{ id: second.id }]);
    const rest = await list(user, `?limit=1&cursor=${String(page.body.next_cursor)}`);
    expect(rest.body).toMatchObject({ items: [{ id: first.id }], next_cursor: null });
  });

  it('leave out what was revoked, and what is for others', async () => {
    const user = await platform.signUp({ organization: null });
    const { id } = await invite(platform, owner, user.email);
    await invite(platform, owner, 'somebody-else@example.com');
    const path = `/api/v1/organizations/${owner.orgId}/invites/${id}`;
    await platform.json('DELETE', path, { token: owner.accessToken });
    expect((await list(user)).body.items).toEqual([]);
    expect(await accept(user, id)).toMatchObject({ status: 404, body: { type: '/problems/invite-not-found' } });
  });

  it('cannot be listed or accepted with an address that is not verified', async () => {
    const user = await platform.signUp({ organization: null });
    const { id } = await invite(platform, owner, user.email);
    await platform.database.sql`update users set is_verified = false where id = ${user.userId}`;
    const refused = { status: 403, body: { type: '/problems/email-not-verified' } };
    expect(await list(user)).toMatchObject(refused);
    expect(await accept(user, id)).toMatchObject(refused);
    expect(await storedMemberships(platform, user.userId)).toEqual([]);
  });
});

describe('accepting an invite by its id', () => {
  it('joins, and moves the session to the organization', async () => {
    const user = await platform.signUp();
    const { id } = await invite(platform, owner, user.email, 'admin');
    const { status, body } = await accept(user, id);
    expect([status, body.org_name, body.role]).toEqual([200, 'Example Works', 'admin']);
    expect(decodeJwt(String(body.tokens.access_token))).toMatchObject({ org_id: owner.orgId, role: 'admin' });
    expect((await list(user)).body.items).toEqual([]);
  });

  it('of an invite to another address is refused', async () => {
    const user = await platform.signUp({ organization: null });
    const { id } = await invite(platform, owner, 'sam-and-nobody-else@example.com');
    expect(await accept(user, id)).toMatchObject({ status: 404, body: { type: '/problems/invite-not-found' } });
  });

  it('of an organization that the caller belongs to is refused', async () => {
    const user = await platform.signUp({ invitedBy: owner });
    const [row] = await platform.database.sql<{ id: string }[]>`
      insert into invites (org_id, email, role, token_hash, invited_by, created_at, expires_at)
      values (${owner.orgId}, ${user.email}, 'member', ${Buffer.alloc(32, 5)}, ${owner.userId},
        ${platform.clock.now()}, ${new Date(platform.clock.now().getTime() + 3_600_000)}) returning id`;
    expect(await accept(user, row?.id ?? '')).toMatchObject({
      status: 409,
      body: { type: '/problems/already-member' },
    });
  });
});
