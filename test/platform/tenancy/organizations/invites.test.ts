import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startTestPlatform, type JsonReply, type TestPlatform, type TestUser } from '../../../support/platform.js';

let platform: TestPlatform;
let owner: TestUser;
let admin: TestUser;

beforeAll(async () => {
  platform = await startTestPlatform();
  owner = await platform.signUp({ organization: 'Acme <script>' });
  admin = await platform.signUp({ invitedBy: owner, role: 'admin' });
});

afterAll(() => platform.stop());

let count = 0;
const newAddress = (): string => `invited-${++count}@example.com`;

function invite(by: TestUser, email: string, role = 'member'): Promise<JsonReply> {
  const path = `/api/v1/organizations/${by.orgId}/invites`;
  return platform.json('POST', path, { token: by.accessToken, body: { email, role } });
}

function list(query = ''): Promise<JsonReply> {
  return platform.json('GET', `/api/v1/organizations/${owner.orgId}/invites${query}`, { token: owner.accessToken });
}

function revoke(by: TestUser, id: string): Promise<JsonReply> {
  return platform.json('DELETE', `/api/v1/organizations/${by.orgId}/invites/${id}`, { token: by.accessToken });
}

function accept(user: TestUser, token: string): Promise<JsonReply> {
  return platform.json('POST', '/api/v1/auth/accept-invite', { token: user.accessToken, body: { token } });
}

async function statusOf(id: string): Promise<string> {
  const { body } = await list('?limit=200');
  return String(body.items.find((each: { id: string }) => each.id === id)?.status);
}

async function auditOf(id: string): Promise<unknown[]> {
  const rows = await platform.database.sql`
    select action, user_id, org_id from audit_log where resource_kind = 'INVITE' and resource_id = ${id} order by at`;
  return [...rows];
}

describe('inviting', () => {
  it('is limited per address, over all inviters and all forms of the address', async () => {
    const limited = await startTestPlatform({ environment: { AUTH_INVITE_ADDRESS_LIMIT: '2/day' } });
    onTestFinished(() => limited.stop());
    const replies: JsonReply[] = [];
    for (const email of ['Sam@Bücher.example', 'sam@xn--bcher-kva.example', ' SAM@bücher.example']) {
      const { orgId, accessToken } = await limited.signUp();
      const path = `/api/v1/organizations/${orgId}/invites`;
      replies.push(await limited.json('POST', path, { token: accessToken, body: { email, role: 'member' } }));
      const other = { email: newAddress(), role: 'member' };
      expect((await limited.json('POST', path, { token: accessToken, body: other })).status).toBe(201);
    }
    expect(replies.map(({ status }) => status)).toEqual([201, 201, 429]);
    expect(replies[2]?.headers.get('RateLimit')).toMatch(/"invite-address";r=0;t=\d+/);
    expect(limited.mailbox.to('sam@bücher.example')).toHaveLength(2);
  });

  it('answers with the invite, and sends its token by mail alone', async () => {
    const email = newAddress();
    const reply = await invite(owner, email.toUpperCase());
    expect(reply.status).toBe(201);
    expect(reply.body).toMatchObject({ org_id: owner.orgId, email, role: 'member', status: 'pending' });
    expect(reply.body).toMatchObject({ invited_by: owner.userId, accepted_at: null });
    const mail = await platform.lastMail(email);
    expect(mail.token).not.toBe('');
    expect(JSON.stringify([reply.body, (await list()).body])).not.toContain(mail.token);
    expect(platform.logLines.join('')).not.toContain(mail.token);
    expect(mail.html).not.toContain('<script>');
  });

  it('keeps only the hash of the token', async () => {
    const email = newAddress();
    const { body } = await invite(owner, email);
    const { token } = await platform.lastMail(email);
    const [row] = await platform.database.sql`select * from invites where id = ${body.id}`;
    expect(JSON.stringify(row)).not.toContain(token);
    expect(row?.['token_hash']).toHaveLength(32);
  });

  it('is valid for 72 hours', async () => {
    const { body } = await invite(owner, newAddress());
    expect(Date.parse(body.expires_at) - Date.parse(body.created_at)).toBe(72 * 3600 * 1000);
  });

  it('leaves an audit record', async () => {
    const { body } = await invite(owner, newAddress());
    expect(await auditOf(body.id)).toEqual([{ action: 'MEMBER_INVITED', user_id: owner.userId, org_id: owner.orgId }]);
  });

  it('again replaces a pending invite to the address, whose token ends', async () => {
    const invited = await platform.signUp({ organization: null });
    const first = (await invite(owner, invited.email, 'admin')).body;
    const { token } = await platform.lastMail(invited.email);
    const second = await invite(admin, invited.email.toUpperCase(), 'viewer');
    expect(second.status).toBe(201);
    expect([await statusOf(first.id), await statusOf(second.body.id)]).toEqual(['revoked', 'pending']);
    expect(await auditOf(first.id)).toMatchObject([
      { action: 'MEMBER_INVITED', user_id: owner.userId },
      { action: 'INVITE_REVOKED', user_id: admin.userId },
    ]);
    expect((await accept(invited, token)).body.type).toBe('/problems/invalid-invite');
    expect((await accept(invited, (await platform.lastMail(invited.email)).token)).body.role).toBe('viewer');
  });

  it("does not replace a pending invite above the inviter's role", async () => {
    const email = newAddress();
    const first = (await invite(owner, email, 'owner')).body;
    const again = await invite(admin, email);
    expect([again.status, again.body.type]).toEqual([403, '/problems/role-not-grantable']);
    expect(await statusOf(first.id)).toBe('pending');
    platform.clock.advance(72 * 3600);
    [owner, admin] = [await relogged(owner), await relogged(admin)];
    expect((await invite(admin, email)).status).toBe(201);
  });

  it('of a member is refused', async () => {
    const reply = await invite(admin, owner.email);
    expect(reply.status).toBe(409);
    expect(reply.body.type).toBe('/problems/already-member');
  });

  it("to a role above the inviter's is refused, and sends nothing", async () => {
    const email = newAddress();
    const reply = await invite(admin, email, 'owner');
    expect(reply.status).toBe(403);
    expect(reply.body.type).toBe('/problems/role-not-grantable');
    await expect(platform.lastMail(email)).rejects.toThrow('no mail');
    expect((await invite(admin, email, 'admin')).status).toBe(201);
  });

  it('to the same address from another organization is independent', async () => {
    const other = await platform.signUp();
    const email = newAddress();
    expect((await invite(owner, email)).status).toBe(201);
    expect((await invite(other, email)).status).toBe(201);
  });

  it.each([
    ['', 0],
    [' after one has expired', 72 * 3600],
  ])('simultaneously by two admins, of one address%s, leaves one invite pending', async (_when, seconds) => {
    const email = newAddress();
    await invite(owner, email);
    platform.clock.advance(seconds);
    [owner, admin] = [await relogged(owner), await relogged(admin)];
    const calls = Array.from({ length: 24 }, (_, index) => invite(index % 2 === 0 ? owner : admin, email));
    const replies = await Promise.all(calls);
    expect(replies.map(({ status }) => status)).toEqual(Array<number>(24).fill(201));
    const statuses = await Promise.all(replies.map(({ body }) => statusOf(body.id)));
    expect(statuses.filter((status) => status === 'pending')).toHaveLength(1);
  });
});

describe('an invite', () => {
  it('that has expired shows as expired, cannot be accepted or revoked, and is replaced by the next one', async () => {
    const invited = await platform.signUp({ organization: null });
    const first = (await invite(owner, invited.email)).body;
    const oldToken = (await platform.lastMail(invited.email)).token;
    platform.clock.advance(72 * 3600);
    owner = await relogged(owner);
    expect(await statusOf(first.id)).toBe('expired');
    expect((await revoke(owner, first.id)).body.type).toBe('/problems/invite-not-found');

    const second = await invite(owner, invited.email);
    expect(second.status).toBe(201);
    expect([await statusOf(first.id), await statusOf(second.body.id)]).toEqual(['expired', 'pending']);
    const user = await relogged(invited);
    expect((await accept(user, oldToken)).body.type).toBe('/problems/invalid-invite');
    expect((await accept(user, (await platform.lastMail(invited.email)).token)).status).toBe(200);
    expect(await statusOf(second.body.id)).toBe('accepted');
    admin = await relogged(admin);
  });

  it('that is revoked shows as revoked and cannot be accepted', async () => {
    const invited = await platform.signUp({ organization: null });
    const { id } = (await invite(owner, invited.email)).body;
    const { token } = await platform.lastMail(invited.email);
    expect((await revoke(admin, id)).status).toBe(204);
    expect(await statusOf(id)).toBe('revoked');
    expect((await accept(invited, token)).body.type).toBe('/problems/invalid-invite');
    expect((await auditOf(id)).map((each) => (each as { action: string }).action)).toEqual([
      'MEMBER_INVITED',
      'INVITE_REVOKED',
    ]);
    expect((await revoke(admin, id)).body.type).toBe('/problems/invite-not-found');
    expect((await invite(owner, invited.email)).status).toBe(201);
  });

  it('to a role above that of an admin can only be revoked by an owner', async () => {
    const { id } = (await invite(owner, newAddress(), 'owner')).body;
    expect((await revoke(admin, id)).body).toMatchObject({
      type: '/problems/insufficient-role',
      required_role: 'owner',
    });
    expect(await statusOf(id)).toBe('pending');
    expect((await revoke(owner, id)).status).toBe(204);
  });

  it('cannot be revoked by an admin who is made a member at the same time', async () => {
    const demoted = await platform.signUp({ invitedBy: owner, role: 'admin' });
    const { id } = (await invite(owner, newAddress())).body;
    const path = `/api/v1/organizations/${owner.orgId}/members/${demoted.userId}`;
    const [changed, revoked] = await Promise.all([
      platform.json('PATCH', path, { token: owner.accessToken, body: { role: 'member' } }),
      revoke(demoted, id),
    ]);
    expect(changed.status).toBe(200);
    expect(['204 revoked', '403 pending']).toContain(`${revoked.status} ${await statusOf(id)}`);
  });

  it('is invalid for another account', async () => {
    const stranger = await platform.signUp({ organization: null });
    const email = newAddress();
    const { id } = (await invite(owner, email)).body;
    const reply = await accept(stranger, (await platform.lastMail(email)).token);
    expect(reply.body.type).toBe('/problems/invalid-invite');
    expect(await statusOf(id)).toBe('pending');
  });

  it('is not used up by a member', async () => {
    const member = await platform.signUp({ invitedBy: owner, role: 'viewer' });
    const email = newAddress();
    const { id } = (await invite(owner, email, 'admin')).body;
    // The member's address has changed to the invited one since.
    const { token } = await platform.lastMail(email);
    await platform.database.sql`update users set email = ${email} where id = ${member.userId}`;
    const reply = await accept(member, token);
    expect(reply.status).toBe(409);
    expect(reply.body.type).toBe('/problems/already-member');
    expect(await statusOf(id)).toBe('pending');
  });

  it('of another organization cannot be revoked', async () => {
    const other = await platform.signUp();
    const { id } = (await invite(owner, newAddress())).body;
    expect((await revoke(other, id)).status).toBe(404);
    expect(await statusOf(id)).toBe('pending');
  });

  it('is accepted and revoked at once with one outcome', async () => {
    const invited = await platform.signUp({ organization: null });
    const { id } = (await invite(owner, invited.email)).body;
    const { token } = await platform.lastMail(invited.email);
    const [accepted, revoked] = await Promise.all([accept(invited, token), revoke(owner, id)]);
    const outcome = `${accepted.status} ${revoked.status} ${await statusOf(id)}`;
    expect(['200 404 accepted', '400 204 revoked']).toContain(outcome);
  });
});

describe('the list of invites', () => {
  it('is the newest first, page by page, without duplicates when one is added between pages', async () => {
    const boss = await platform.signUp();
    const listOf = (query: string): Promise<JsonReply> =>
      platform.json('GET', `/api/v1/organizations/${boss.orgId}/invites${query}`, { token: boss.accessToken });
    const emails = Array.from({ length: 5 }, newAddress);
    for (const email of emails) {
      await invite(boss, email);
      platform.clock.advance(1);
    }
    const first = (await listOf('?limit=2')).body;
    await invite(boss, newAddress());
    const second = (await listOf(`?limit=2&cursor=${first.next_cursor}`)).body;
    const third = (await listOf(`?limit=2&cursor=${second.next_cursor}`)).body;
    const seen = [first, second, third].flatMap(({ items }) => items).map(({ email }: { email: string }) => email);
    expect(seen).toEqual(emails.reverse());
    expect(third.next_cursor).toBeNull();
  });

  it('refuses a cursor that it did not issue', async () => {
    const reply = await list('?cursor=nonsense');
    expect(reply.status).toBe(422);
    expect(reply.body.violations).toMatchObject([{ path: '/query/cursor', rule: 'format' }]);
  });
});

/** The same user with tokens that hold after the clock was moved. */
async function relogged(user: TestUser): Promise<TestUser> {
  const { email, password } = user;
  const { body } = await platform.json('POST', '/api/v1/auth/login', { body: { email, password } });
  return { ...user, accessToken: String(body.access_token), refreshToken: String(body.refresh_token) };
}
