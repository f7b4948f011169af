import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startTestPlatform, type JsonReply, type TestPlatform, type TestUser } from '../../../support/platform.js';
import { makeSuperuser } from '../../../support/superuser.js';
import { createServiceToken } from '../../../support/service-token.js';
import { forgot, login, newEmail, reset } from '../../identity/auth/requests.js';
import { acceptInvite, invite } from '../../identity/onboarding/requests.js';

interface AuditItem {
  readonly action: string;
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
});

afterAll(() => platform.stop());

function read(filters: Readonly<Record<string, string>>, by = owner): Promise<JsonReply> {
  const query = new URLSearchParams(filters).toString();
  return platform.json('GET', `/api/v1/admin/audit-log?${query}`, { token: by.accessToken });
}

async function items(filters: Readonly<Record<string, string>>, by = owner): Promise<AuditItem[]> {
  const { status, body } = await read(filters, by);
  expect(status).toBe(200);
  return body.items as AuditItem[];
}

describe('events of an account', () => {
  /** A member of two organizations: first of another one, then of the owner's. */
  async function memberOfTwo(): Promise<TestUser> {
    const first = await platform.signUp({ invitedBy: stranger });
    const { token } = await invite(platform, owner, first.email);
    await acceptInvite(platform, first.accessToken, token);
    return first;
  }
  const actions = async (by: TestUser, user: TestUser): Promise<string[]> =>
    (await items({ user_id: user.userId, limit: '200' }, by)).map(({ action }) => action);

  it('that are failed logins are read by the admins of each organization of the user', async () => {
    const user = await memberOfTwo();
    for (let count = 0; count < 3; count += 1) await login(platform, user.email, 'wrong password 1');
    for (const by of [owner, admin, stranger]) {
      expect((await items({ action: 'LOGIN_FAILED', user_id: user.userId }, by)).length).toBe(3);
    }
  });

  it('that are password resets, changes and new names are read by the admins of each organization', async () => {
    const user = await memberOfTwo();
    await forgot(platform, user.email);
    const { token } = await platform.lastMail(user.email);
    expect((await reset(platform, token, 'nine loud harbours 9')).status).toBe(200);
    const { body } = await login(platform, user.email, 'nine loud harbours 9');
    const named = { token: String(body.access_token), body: { full_name: 'Vera Example' } };
    expect((await platform.json('PATCH', '/api/v1/auth/me', named)).status).toBe(200);
    const change = { current_password: 'nine loud harbours 9', new_password: 'five green lanterns 5' };
    const changed = await platform.json('POST', '/api/v1/auth/change-password', { ...named, body: change });
    expect(changed.status).toBe(200);
    for (const by of [owner, stranger]) {
      expect(await actions(by, user)).toEqual(
        expect.arrayContaining(['PASSWORD_RESET_REQUESTED', 'PASSWORD_RESET', 'PASSWORD_CHANGED', 'UPDATE']),
      );
    }
  });

  it('stay readable after the user has left', async () => {
    const user = await memberOfTwo();
    await login(platform, user.email, 'wrong password 1');
    await platform.json('DELETE', `/api/v1/organizations/${owner.orgId}/members/${user.userId}`, {
      token: owner.accessToken,
    });
    await login(platform, user.email, 'wrong password 1');
    expect((await items({ action: 'LOGIN_FAILED', user_id: user.userId })).length).toBe(1);
    expect((await items({ action: 'LOGIN_FAILED', user_id: user.userId }, stranger)).length).toBe(2);
  });

  it('are all that the admins of one organization read of what a member does elsewhere', async () => {
    const user = await memberOfTwo();
    const { body } = await login(platform, user.email);
    const inside = { token: String(body.access_token), body: { org_id: stranger.orgId } };
    const switched = await platform.json('POST', '/api/v1/auth/switch-org', inside);
    const token = String(switched.body.access_token ?? switched.body.tokens.access_token);
    await platform.json('DELETE', '/api/v1/auth/sessions', { token });
    await login(platform, user.email, 'wrong password 1');
    const records = await items({ user_id: user.userId, limit: '200' });
    expect(new Set(records.map(({ org_id }) => org_id))).toEqual(new Set([owner.orgId]));
    expect(records.map(({ action }) => action).sort()).toEqual(['LOGIN', 'LOGIN_FAILED', 'MEMBER_JOINED']);
    expect(await actions(stranger, user)).toContain('SESSION_REVOKED');
  });

  it('that is verified with an organization are read by its admins', async () => {
    const withOrganization = await startTestPlatform({ environment: { AUTH_AUTO_CREATE_ORG_ON_REGISTER: 'true' } });
    onTestFinished(() => withOrganization.stop());
    const { accessToken: token } = await withOrganization.signUp();
    const { body } = await withOrganization.json('GET', '/api/v1/admin/audit-log', { token });
    expect(body.items.map(({ action }: AuditItem) => action)).toContain('EMAIL_VERIFIED');
  });
});

describe('the audit log of the installation', () => {
  const path = '/api/v1/installation/audit-log';
  let superuser: TestUser;
  beforeAll(async () => {
    superuser = await platform.signUp({ organization: null });
    await makeSuperuser(platform, superuser);
  });

  async function readAll(filters: Readonly<Record<string, string>>, by = superuser): Promise<AuditItem[]> {
    const query = new URLSearchParams({ limit: '200', ...filters }).toString();
    const { status, body } = await platform.json('GET', `${path}?${query}`, { token: by.accessToken });
    expect(status).toBe(200);
    return body.items as AuditItem[];
  }

  it('has the records of all organizations and those outside of them, for a superuser without an organization', async () => {
    const [orgless, unknown] = [await platform.signUp({ organization: null }), newEmail()];
    await login(platform, unknown, 'wrong password 1');
    const ofOrgless = await readAll({ user_id: orgless.userId });
    expect(ofOrgless.map(({ action, org_id }) => [action, org_id])).toEqual([
      ['LOGIN', null],
      ['EMAIL_VERIFIED', null],
      ['REGISTER', null],
    ]);
    const failed = await readAll({ action: 'LOGIN_FAILED' });
    expect(failed.filter(({ user_id, org_id }) => user_id === null && org_id === null)).toHaveLength(1);
    const organizations = new Set((await readAll({})).map(({ org_id }) => org_id));
    expect([...organizations]).toEqual(expect.arrayContaining([owner.orgId, stranger.orgId, null]));
  });

  it('can be filtered by an organization', async () => {
    const records = await readAll({ org_id: stranger.orgId });
    expect(new Set(records.map(({ org_id }) => org_id))).toEqual(new Set([stranger.orgId]));
  });

  it('comes page by page, without a repetition', async () => {
    const ids: string[] = [];
    let cursor: string | null = null;
    do {
      const query = new URLSearchParams({ limit: '7', ...(cursor !== null && { cursor }) }).toString();
      const { body } = await platform.json('GET', `${path}?${query}`, { token: superuser.accessToken });
      ids.push(...(body.items as { id: string }[]).map(({ id }) => id));
      cursor = body.next_cursor as string | null;
    } while (cursor !== null);
    const [all] = await platform.database.sql<{ count: number }[]>`select count(*)::int from audit_log`;
    expect([ids.length, new Set(ids).size]).toEqual([all?.count, all?.count]);
  });

  it('is refused to others', async () => {
    for (const { accessToken: token } of [owner, admin]) {
      const reply = await platform.json('GET', path, { token });
      expect(reply).toMatchObject({ status: 403, body: { type: '/problems/superuser-required' } });
    }
    const { token } = await createServiceToken(platform, owner, ['audit:read']);
    expect((await platform.json('GET', path, { token })).status).toBe(401);
  });
});
