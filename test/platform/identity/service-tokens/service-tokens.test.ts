import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createStandingClock } from '../../../support/clock.js';
import { startTestPlatform, type JsonReply, type TestPlatform, type TestUser } from '../../../support/platform.js';
import { createServiceToken, type TestServiceToken } from '../../../support/service-token.js';

let platform: TestPlatform;
let owner: TestUser;
beforeAll(async () => {
  platform = await startTestPlatform({ clock: createStandingClock() });
  owner = await platform.signUp({ organization: 'Machines' });
});
afterAll(() => platform.stop());

const day = 86_400_000;
const listOf = (user: TestUser): string => `/api/v1/organizations/${user.orgId}/service-tokens`;
const post = (path: string, body: object, user = owner): Promise<JsonReply> =>
  platform.json('POST', path, { token: user.accessToken, body });
const rotate = (id: string, body: object): Promise<JsonReply> => post(`${listOf(owner)}/${id}/rotate`, body);
const revoke = (id: string): Promise<JsonReply> =>
  platform.json('DELETE', `${listOf(owner)}/${id}`, { token: owner.accessToken });
const current = (token: string): Promise<JsonReply> =>
  platform.json('GET', '/api/v1/service-tokens/current', { token });
const shown = async (id: string): Promise<JsonReply['body']> => {
  const { body } = await platform.json('GET', `${listOf(owner)}?limit=200`, { token: owner.accessToken });
  return body.items.find((each: { readonly id: string }) => each.id === id);
};
const auditOf = async (id: string): Promise<readonly Record<string, unknown>[]> =>
  platform.database.sql`
    select action, user_id, service_token_id, note from audit_log where resource_id = ${id} order by at, action`;

describe('A service token', () => {
  test('is created by an admin, and its secret is in no other reply and no table', async () => {
    const body = { name: ' Nightly export ', scopes: ['analytics:read', 'sync:read'], expires_in_days: 90 };
    const reply = await post(listOf(owner), body);
    expect(reply.status).toBe(201);
    const { token, service_token: created } = reply.body;
    expect(token).toMatch(/^plbst_[0-9A-Za-z]{49}$/);
    expect(created).toMatchObject({
      name: 'Nightly export',
      scopes: ['analytics:read', 'sync:read'],
      status: 'active',
      created_by: owner.userId,
      creator_is_admin: true,
      expires_at: new Date(platform.clock.now().getTime() + 90 * day).toISOString(),
      last_used_at: null,
      rotated_at: null,
      overlap_ends_at: null,
      revoked_at: null,
    });
    expect(await shown(created.id)).toEqual(created);
    const rows = await platform.database.sql`
      select t::text || s::text as text from service_tokens t join service_token_secrets s on s.token_id = t.id`;
    expect(JSON.stringify(rows)).not.toContain(token.slice(6, 49));
    expect(await auditOf(created.id)).toEqual([
      { action: 'CREATE', user_id: owner.userId, service_token_id: null, note: 'analytics:read, sync:read' },
    ]);
  });

  test('says what it is', async () => {
    const { id, token } = await createServiceToken(platform, owner, ['teams:read'], { name: 'Self' });
    const expires = new Date(platform.clock.now().getTime() + 30 * day).toISOString();
    const { status, body } = await current(token);
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        id,
        name: 'Self',
        org_id: owner.orgId,
        org_name: 'Machines',
        scopes: ['teams:read'],
        expires_at: expires,
        secret_ends_at: expires,
      },
    });
  });

  test('has a name that no other has, until it is revoked', async () => {
    const { id } = await createServiceToken(platform, owner, ['teams:read'], { name: 'Unique' });
    const again = { name: 'uNIQUE', scopes: ['teams:read'], expires_in_days: 1 };
    const refused = await post(listOf(owner), again);
    expect([refused.status, refused.body.violations]).toEqual([
      422,
      [{ path: '/body/name', rule: 'unique', message: 'is the name of another service token' }],
    ]);
    await revoke(id);
    expect((await post(listOf(owner), again)).status).toBe(201);
  });

  test.each([
    ['no scope', { scopes: [] }],
    ['an unknown scope', { scopes: ['everything'] }],
    ['a scope twice', { scopes: ['teams:read', 'teams:read'] }],
    ['no expiry', { expires_in_days: 0 }],
    ['a distant expiry', { expires_in_days: 367 }],
    ['a name with a lone surrogate', { name: '\ud800' }],
  ])('is not created with %s', async (_what, wrong) => {
    const reply = await post(listOf(owner), {
      name: randomUUID(),
      scopes: ['teams:read'],
      expires_in_days: 1,
      ...wrong,
    });
    expect(reply.status).toBe(422);
  });

  test('is one of at most 100 of an organization that have not expired, also when requests are simultaneous', async () => {
    const crowded = await platform.signUp();
    const now = platform.clock.now();
    await platform.database.sql`
      insert into service_tokens (org_id, name, scopes, expires_at)
      select ${crowded.orgId}, 'token ' || n, '{teams:read}', ${now}::timestamptz + (n < 100)::int * interval '1 day'
      from generate_series(1, 150) n`;
    const replies = await Promise.all(
      ['a', 'b', 'c'].map((name) =>
        post(listOf(crowded), { name, scopes: ['teams:read'], expires_in_days: 1 }, crowded),
      ),
    );
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
    const refused = replies.find(({ status }) => status === 409);
    expect(refused?.body.type).toBe('/problems/service-token-limit-reached');
  });

  test('shows when it was last used, to the minute', async () => {
    const { id, token } = await createServiceToken(platform, owner, ['teams:read'], { name: 'Used' });
    const first = platform.clock.now().toISOString();
    await current(token);
    platform.clock.advance(30);
    await current(token);
    expect((await shown(id)).last_used_at).toBe(first);
    platform.clock.advance(31);
    await current(token);
    expect((await shown(id)).last_used_at).toBe(platform.clock.now().toISOString());
  });

  test('is listed page by page, the newest first', async () => {
    const { body: all } = await platform.json('GET', `${listOf(owner)}?limit=200`, { token: owner.accessToken });
    const ids: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const query: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
      const page = await platform.json('GET', `${listOf(owner)}?limit=2${query}`, { token: owner.accessToken });
      ids.push(...page.body.items.map((each: { readonly id: string }) => each.id));
      cursor = page.body.next_cursor;
    }
    expect(ids).toEqual(all.items.map((each: { readonly id: string }) => each.id));
    expect(all.items.map((each: { readonly created_at: string }) => each.created_at)).toEqual(
      all.items
        .map((each: { readonly created_at: string }) => each.created_at)
        .sort()
        .reverse(),
    );
  });
});

describe('The end of a service token', () => {
  const made = (name: string, days = 30): Promise<TestServiceToken> =>
    createServiceToken(platform, owner, ['teams:read'], { name, days });

  test('comes at once when it is revoked, and only once', async () => {
    const { id, token } = await made('Revoked');
    expect((await current(token)).status).toBe(200);
    expect((await revoke(id)).status).toBe(204);
    expect((await current(token)).status).toBe(401);
    expect(await shown(id)).toMatchObject({ status: 'revoked', revoked_at: platform.clock.now().toISOString() });
    expect((await revoke(id)).status).toBe(204);
    expect((await auditOf(id)).map(({ action }) => action)).toEqual(['CREATE', 'SERVICE_TOKEN_REVOKED']);
  });

  test('comes when it expires', async () => {
    const { id, token } = await made('Expired', 1);
    platform.clock.advance(86_399);
    const fresh = await platform.json('POST', '/api/v1/auth/login', {
      body: { email: owner.email, password: owner.password },
    });
    owner = { ...owner, accessToken: fresh.body.access_token };
    expect((await current(token)).status).toBe(200);
    platform.clock.advance(1);
    expect((await current(token)).status).toBe(401);
    expect(await shown(id)).toMatchObject({ status: 'expired', revoked_at: null });
    const rotated = await rotate(id, { overlap_seconds: 0 });
    expect([rotated.status, rotated.body.type]).toEqual([409, '/problems/service-token-ended']);
  });

  test('is not undone by a rotation', async () => {
    const { id } = await made('Over');
    await revoke(id);
    const rotated = await rotate(id, { overlap_seconds: 60 });
    expect([rotated.status, rotated.body.type]).toEqual([409, '/problems/service-token-ended']);
  });

  test('does not come when its creator leaves; the list says so', async () => {
    const admin = await platform.signUp({ invitedBy: owner, role: 'admin' });
    const { id, token } = await createServiceToken(platform, admin, ['teams:read'], { name: 'Left behind' });
    const member = `/api/v1/organizations/${owner.orgId}/members/${admin.userId}`;
    const demoted = await platform.json('PATCH', member, { token: owner.accessToken, body: { role: 'viewer' } });
    expect(demoted.status).toBe(200);
    expect(await shown(id)).toMatchObject({ creator_is_admin: false, created_by: admin.userId });
    await platform.json('DELETE', member, { token: owner.accessToken });
    expect((await current(token)).status).toBe(200);
    await platform.database.sql`delete from users where id = ${admin.userId}`;
    expect((await current(token)).status).toBe(200);
    expect(await shown(id)).toMatchObject({ creator_is_admin: false, created_by: null, created_by_name: null });
  });

  test('comes with its organization', async () => {
    const other = await platform.signUp();
    const { token } = await createServiceToken(platform, other, ['teams:read']);
    expect((await current(token)).status).toBe(200);
    await platform.database.sql`delete from organizations where id = ${other.orgId}`;
    expect((await current(token)).status).toBe(401);
  });
});

describe('A rotation', () => {
  test('issues a new secret, and accepts the earlier one until the overlap ends', async () => {
    const first = await createServiceToken(platform, owner, ['teams:read'], { name: 'Rotated' });
    const second = await rotate(first.id, { overlap_seconds: 600, expires_in_days: 60 });
    expect(second.status).toBe(200);
    const ends = new Date(platform.clock.now().getTime() + 600_000).toISOString();
    expect(second.body.service_token).toMatchObject({
      id: first.id,
      name: 'Rotated',
      rotated_at: platform.clock.now().toISOString(),
      overlap_ends_at: ends,
      expires_at: new Date(platform.clock.now().getTime() + 60 * day).toISOString(),
    });
    expect((await current(first.token)).body.secret_ends_at).toBe(ends);
    expect((await current(second.body.token)).body.secret_ends_at).toBe(second.body.service_token.expires_at);
    platform.clock.advance(599);
    expect((await current(first.token)).status).toBe(200);
    platform.clock.advance(1);
    expect((await current(first.token)).status).toBe(401);
    expect((await current(second.body.token)).status).toBe(200);
    expect((await shown(first.id)).overlap_ends_at).toBeNull();
    expect((await auditOf(first.id)).at(-1)).toMatchObject({
      action: 'SERVICE_TOKEN_ROTATED',
      note: 'overlap of 600 s',
      user_id: owner.userId,
    });
  });

  test('without an overlap ends all earlier secrets at once, also those in an overlap', async () => {
    const first = await createServiceToken(platform, owner, ['teams:read'], { name: 'Leaked' });
    const second = await rotate(first.id, { overlap_seconds: 3600 });
    const third = await rotate(first.id, { overlap_seconds: 0 });
    expect((await current(first.token)).status).toBe(401);
    expect((await current(second.body.token)).status).toBe(401);
    expect((await current(third.body.token)).status).toBe(200);
    expect(third.body.service_token.overlap_ends_at).toBeNull();
  });

  test('never extends the overlap of an earlier one', async () => {
    const first = await createServiceToken(platform, owner, ['teams:read'], { name: 'Twice' });
    const ends = new Date(platform.clock.now().getTime() + 60_000).toISOString();
    await rotate(first.id, { overlap_seconds: 60 });
    await rotate(first.id, { overlap_seconds: 3600 });
    expect((await current(first.token)).body.secret_ends_at).toBe(ends);
  });

  test('of 5 at once leaves one current secret', async () => {
    const { id } = await createServiceToken(platform, owner, ['teams:read'], { name: 'Contested' });
    const replies = await Promise.all([1, 2, 3, 4, 5].map(() => rotate(id, { overlap_seconds: 0 })));
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    const accepted = await Promise.all(replies.map(async ({ body }) => (await current(body.token)).status));
    expect(accepted.filter((status) => status === 200)).toHaveLength(1);
  });
});

test('A token of another organization is not found', async () => {
  const other = await platform.signUp();
  const { id, token } = await createServiceToken(platform, other, ['teams:read']);
  const replies = [await revoke(id), await rotate(id, { overlap_seconds: 0 }), await revoke(randomUUID())];
  expect(replies.map(({ status, body }) => [status, body.type])).toEqual(
    replies.map(() => [404, '/problems/service-token-not-found']),
  );
  expect((await current(token)).status).toBe(200);
});

test('A rotation with an overlap is refused while four earlier secrets are accepted', async () => {
  const { id } = await createServiceToken(platform, owner, ['teams:read'], { name: 'Rotated often' });
  for (const overlap of [600, 600, 600, 600]) {
    expect((await rotate(id, { overlap_seconds: overlap })).status).toBe(200);
  }
  expect(await rotate(id, { overlap_seconds: 60 })).toMatchObject({
    status: 422,
    body: {
      violations: [
        { path: '/body/overlap_seconds', rule: 'maximum', message: expect.stringContaining('4 earlier secrets') },
      ],
    },
  });
  expect((await rotate(id, { overlap_seconds: 0 })).status).toBe(200);
  expect((await rotate(id, { overlap_seconds: 60 })).status).toBe(200);
});
