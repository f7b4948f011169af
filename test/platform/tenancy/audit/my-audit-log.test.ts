/** What people read about their own accounts. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestPlatform, type TestPlatform, type TestUser } from '../../../support/platform.js';
import { makeSuperuser } from '../../../support/superuser.js';
import { forgot, login, reset } from '../../identity/auth/requests.js';
import { acceptInvite, invite } from '../../identity/onboarding/requests.js';

interface Item {
  readonly id: string;
  readonly action: string;
  readonly org_id: string | null;
  readonly user_id: string | null;
  readonly ip: string | null;
  readonly user_agent: string | null;
  readonly request_id: string | null;
}

let platform: TestPlatform;
let owner: TestUser;
let stranger: TestUser;
beforeAll(async () => {
  platform = await startTestPlatform();
  [owner, stranger] = [await platform.signUp(), await platform.signUp()];
});
afterAll(() => platform.stop());

async function records(by: TestUser, filters: Readonly<Record<string, string>> = {}): Promise<Item[]> {
  const query = new URLSearchParams({ limit: '200', ...filters }).toString();
  const { status, body } = await platform.json('GET', `/api/v1/auth/me/audit-log?${query}`, { token: by.accessToken });
  expect(status).toBe(200);
  return body.items as Item[];
}

const actions = async (by: TestUser, filters: Readonly<Record<string, string>> = {}): Promise<string[]> =>
  (await records(by, filters)).map(({ action }) => action);

/** A member of two organizations: first of the stranger's, then of the owner's. */
async function memberOfTwo(): Promise<TestUser> {
  const user = await platform.signUp({ invitedBy: stranger });
  const { token } = await invite(platform, owner, user.email);
  const { body } = await acceptInvite(platform, user.accessToken, token);
  return { ...user, accessToken: String(body.tokens.access_token) };
}

describe('the records of an account', () => {
  it('are those of an account without an organization, too', async () => {
    const user = await platform.signUp({ organization: null });
    expect(await actions(user)).toEqual(['LOGIN', 'EMAIL_VERIFIED', 'REGISTER']);
  });

  it('are those of all organizations, and an event that several have recorded is there once', async () => {
    const user = await memberOfTwo();
    await login(platform, user.email, 'wrong password 1');
    await login(platform, user.email, 'wrong password 1');
    await forgot(platform, user.email);
    const { token } = await platform.lastMail(user.email);
    await reset(platform, token, 'nine loud harbours 9');
    const { body } = await login(platform, user.email, 'nine loud harbours 9');
    const found = await records({ ...user, accessToken: String(body.access_token) });
    expect(found.map(({ action }) => action)).toEqual([
      'LOGIN',
      'PASSWORD_RESET',
      'PASSWORD_RESET_REQUESTED',
      'LOGIN_FAILED',
      'LOGIN_FAILED',
      'MEMBER_JOINED',
      'MEMBER_JOINED',
      'LOGIN',
      'EMAIL_VERIFIED',
      'REGISTER',
    ]);
    const joined = found.filter(({ action }) => action === 'MEMBER_JOINED');
    expect(joined.map(({ org_id }) => org_id)).toEqual([owner.orgId, stranger.orgId]);
  });

  it('stay readable after the user has left, and say that somebody else removed the user, but not from where', async () => {
    const user = await memberOfTwo();
    const path = `/api/v1/organizations/${owner.orgId}/members/${user.userId}`;
    await platform.json('DELETE', path, { token: owner.accessToken });
    const { body } = await login(platform, user.email);
    const found = await records({ ...user, accessToken: String(body.access_token) });
    const unknown = { ip: null, user_agent: null, request_id: null };
    expect(found.find(({ action }) => action === 'MEMBER_REMOVED')).toMatchObject({
      org_id: owner.orgId,
      user_id: owner.userId,
      ...unknown,
    });
    expect(found.find(({ action }) => action === 'LOGIN')?.ip).toBe('127.0.0.1');
  });

  it('name changes by operators of the installation, and failed log-ins with their origin', async () => {
    const [user, superuser] = [await platform.signUp(), await platform.signUp({ organization: null })];
    await makeSuperuser(platform, superuser);
    for (const is_active of [false, true]) {
      const request = { token: superuser.accessToken, body: { is_active } };
      await platform.json('PATCH', `/api/v1/installation/users/${user.userId}`, request);
    }
    await login(platform, user.email, 'wrong password 1');
    const { body } = await login(platform, user.email);
    const found = await records({ ...user, accessToken: String(body.access_token) });
    expect(found.slice(0, 4)).toMatchObject([
      { action: 'LOGIN' },
      { action: 'LOGIN_FAILED', ip: '127.0.0.1' },
      { action: 'USER_ENABLED', user_id: superuser.userId, ip: null },
      { action: 'USER_DISABLED', user_id: superuser.userId, ip: null },
    ]);
  });

  it('are not what others did, also not in the same organization', async () => {
    const [admin, user] = [
      await platform.signUp({ invitedBy: owner, role: 'admin' }),
      await platform.signUp({ invitedBy: owner }),
    ];
    for (const record of await records(user)) expect(record.user_id).toBe(user.userId);
    await login(platform, admin.email, 'wrong password 1');
    expect(await actions(user, { since: '2020-01-01T00:00:00Z' })).not.toContain('LOGIN_FAILED');
  });

  it('can be those of a period, and come page by page', async () => {
    const user = await platform.signUp({ organization: null });
    const [login] = await records(user);
    const at = String(
      (await platform.database.sql`select at from audit_log where id = ${login?.id ?? ''}`)[0]?.['at'].toISOString(),
    );
    expect(await actions(user, { since: at })).toContain('LOGIN');
    expect(await actions(user, { until: '2020-01-01T00:00:00Z' })).toEqual([]);
    const path = '/api/v1/auth/me/audit-log?limit=2';
    const first = await platform.json('GET', path, { token: user.accessToken });
    const second = await platform.json('GET', `${path}&cursor=${first.body.next_cursor}`, { token: user.accessToken });
    expect([first, second].flatMap(({ body }) => body.items.map(({ action }: Item) => action))).toEqual([
      'LOGIN',
      'EMAIL_VERIFIED',
      'REGISTER',
    ]);
    expect(second.body.next_cursor).toBeNull();
    expect((await platform.json('GET', `${path}&cursor=bm9uZQ`, { token: user.accessToken })).status).toBe(422);
  });
});
