import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestPlatform, type JsonReply, type TestPlatform, type TestUser } from '../../../support/platform.js';

interface AuditItem {
  readonly id: string;
  readonly at: string;
  readonly action: string;
  readonly resource_kind: string;
  readonly org_id: string | null;
  readonly user_id: string | null;
}

let platform: TestPlatform;
let owner: TestUser;
let admin: TestUser;
let stranger: TestUser;

beforeAll(async () => {
  platform = await startTestPlatform();
  [owner, stranger] = [await platform.signUp(), await platform.signUp()];
  admin = await platform.signUp({ invitedBy: owner, role: 'admin' });
  for (let index = 0; index < 4; index += 1) await login(owner);
  await login(stranger);
});

afterAll(() => platform.stop());

async function login({ email, password }: TestUser): Promise<void> {
  platform.clock.advance(1);
  const headers = { 'User-Agent': 'audit test' };
  await platform.json('POST', '/api/v1/auth/login', { body: { email, password }, headers });
}

function read(filters: Readonly<Record<string, string>> = {}, by = owner): Promise<JsonReply> {
  const query = new URLSearchParams(filters).toString();
  return platform.json('GET', `/api/v1/admin/audit-log?${query}`, { token: by.accessToken });
}

async function items(filters: Readonly<Record<string, string>> = {}, by = owner): Promise<AuditItem[]> {
  const { status, body } = await read(filters, by);
  expect(status).toBe(200);
  return body.items as AuditItem[];
}

describe('the audit log', () => {
  it('shows an admin every event of the organization, the newest first, with the caller', async () => {
    const all = await items({ limit: '200' }, admin);
    expect(new Set(all.map(({ action }) => action))).toEqual(
      new Set(['CREATE', 'LOGIN', 'MEMBER_INVITED', 'MEMBER_JOINED']),
    );
    expect(all.map(({ at }) => at)).toEqual(
      all
        .map(({ at }) => at)
        .sort()
        .reverse(),
    );
    expect(all[0]).toMatchObject({ action: 'LOGIN', ip: '127.0.0.1', user_agent: 'audit test', status: 'success' });
  });

  it('has no events of another organization, or of no organization', async () => {
    const all = [...(await items({ limit: '200' })), ...(await items({ limit: '200', user_id: stranger.userId }))];
    expect(all.filter(({ org_id: orgId }) => orgId !== owner.orgId)).toEqual([]);
    expect(all.filter(({ user_id: userId }) => userId === stranger.userId)).toEqual([]);
  });

  it.each([
    ['action', { action: 'LOGIN' }, (each: AuditItem) => each.action === 'LOGIN'],
    ['kind of resource', { resource_kind: 'MEMBERSHIP' }, (each: AuditItem) => each.resource_kind === 'MEMBERSHIP'],
  ])('can be filtered by %s', async (_what, filters: Record<string, string>, matches) => {
    const all = await items({ limit: '200' });
    const some = await items({ limit: '200', ...filters });
    expect(some).toEqual(all.filter(matches));
    expect(some.length).toBeGreaterThan(0);
    expect(some.length).toBeLessThan(all.length);
  });

  it('can be filtered by user, together with other filters', async () => {
    const all = await items({ limit: '200' });
    const filters = { user_id: owner.userId.toUpperCase(), action: 'LOGIN' };
    const expected = all.filter((each) => each.user_id === owner.userId && each.action === 'LOGIN');
    expect(await items(filters)).toEqual(expected);
    expect(expected.length).toBeGreaterThan(0);
    expect(await items({ user_id: admin.userId, action: 'MEMBER_INVITED' })).toEqual([]);
  });

  it('can be limited in time: from `since`, and before `until`', async () => {
    const all = await items({ limit: '200' });
    const middle = all[2]?.at ?? '';
    expect(await items({ since: middle })).toEqual(all.filter(({ at }) => at >= middle));
    expect(await items({ until: middle })).toEqual(all.filter(({ at }) => at < middle));
  });

  it.each([
    '0000-01-01T00:00:00Z',
    '2016-12-31T23:59:60Z',
    '2020-01-01t00:00:00z',
    '2020-01-01 00:00:00+23:59',
    '0001-01-01T00:00:00+15:00',
  ])('reads %s as a time that is long ago', async (since) => {
    expect((await items({ since })).length).toBeGreaterThan(0);
    expect(await items({ until: since })).toEqual([]);
  });

  it('reads the last second of the year 9999 in any zone as a time that is far away', async () => {
    expect(await items({ since: '9999-12-31T23:59:59-10:00' })).toEqual([]);
    expect((await items({ until: '9999-12-31T23:59:59-10:00' })).length).toBeGreaterThan(0);
  });

  it.each(['since', 'until'])('refuses a %s that is not a time', async (name) => {
    const reply = await read({ [name]: 'yesterday' });
    expect(reply.status).toBe(422);
    expect(reply.body.violations).toMatchObject([{ path: `/query/${name}`, rule: 'format' }]);
  });

  it('comes page by page with the same filters, and repeats nothing when records are added meanwhile', async () => {
    const all = await items({ limit: '200', action: 'LOGIN' });
    const seen: AuditItem[] = [];
    let cursor: string | null = null;
    do {
      const { body } = await read({ limit: '2', action: 'LOGIN', ...(cursor === null ? {} : { cursor }) });
      seen.push(...(body.items as AuditItem[]));
      cursor = body.next_cursor as string | null;
      await login(owner);
    } while (cursor !== null);
    expect(seen).toEqual(all);
  });

  it('refuses a cursor that it did not issue', async () => {
    expect((await read({ cursor: 'nonsense' })).body.violations).toMatchObject([{ path: '/query/cursor' }]);
  });
});
