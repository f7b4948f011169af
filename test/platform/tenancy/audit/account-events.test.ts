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

  it('that is verified with an organization are read by its admins', async () => {
    const withOrganization = await startTestPlatform({ environment: { AUTH_AUTO_CREATE_ORG_ON_REGISTER: 'true' } });
    onTestFinished(() => withOrganization.stop());
    const { accessToken: token } = await withOrganization.signUp();
    const { body } = await withOrganization.json('GET', '/api/v1/admin/audit-log', { token });
    expect(body.items.map(({ action }: AuditItem) => action)).toContain('EMAIL_VERIFIED');
  });
});

describe('events outside of organizations', () => {
  const installation = { scope: 'installation', limit: '200' };

  it('are read by superusers, with those of all organizations', async () => {
    const [orgless, unknown] = [await platform.signUp({ organization: null }), newEmail()];
    await login(platform, unknown, 'wrong password 1');
    const operator = await platform.signUp();
    await makeSuperuser(platform, operator);
    const ofOrgless = await items({ ...installation, user_id: orgless.userId }, operator);
    expect(ofOrgless.map(({ action, org_id }) => [action, org_id])).toEqual([
      ['LOGIN', null],
      ['EMAIL_VERIFIED', null],
      ['REGISTER', null],
    ]);
    const all = await items({ ...installation, action: 'LOGIN_FAILED' }, operator);
    expect(all.filter(({ user_id, org_id }) => user_id === null && org_id === null)).toHaveLength(1);
    const organizations = new Set((await items(installation, operator)).map(({ org_id }) => org_id));
    expect([...organizations]).toEqual(expect.arrayContaining([owner.orgId, stranger.orgId, null]));
    expect((await items({ user_id: orgless.userId }, operator)).length).toBe(0);
  });

  it('are refused to others, with service tokens, too', async () => {
    for (const by of [owner, admin])
      expect((await read(installation, by)).body.type).toBe('/problems/superuser-required');
    const { token } = await createServiceToken(platform, owner, ['audit:read']);
    const reply = await platform.json('GET', '/api/v1/admin/audit-log?scope=installation', { token });
    expect(reply).toMatchObject({ status: 403, body: { type: '/problems/superuser-required' } });
  });
});
