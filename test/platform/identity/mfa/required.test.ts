import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestPlatform, type JsonReply, type TestPlatform, type TestUser } from '../../../support/platform.js';
import { createServiceToken } from '../../../support/service-token.js';
import { makeSuperuser } from '../../../support/superuser.js';
import { auditOf } from '../auth/stored.js';
import { enroll, logIn, problem, verify } from './requests.js';

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startTestPlatform();
});
afterAll(() => platform.stop());

const demand = ({ orgId, accessToken: token }: TestUser, isRequired = true): Promise<JsonReply> =>
  platform.json('PATCH', `/api/v1/organizations/${orgId}/mfa-requirement`, {
    ...{ token, body: { mfa_required: isRequired } },
  });
const me = (token: string): Promise<JsonReply> => platform.json('GET', '/api/v1/auth/me', { token });
const members = ({ orgId }: TestUser, token: string): Promise<JsonReply> =>
  platform.json('GET', `/api/v1/organizations/${orgId}/members`, { token });

/** @param orgId that the query is about; default: that of the token */
async function statusOfQuery(token: string, orgId?: string): Promise<number> {
  const about = orgId === undefined ? '' : `catalog(orgId: "${orgId}", dimension: TEAM) { values { value } }`;
  const reply = await fetch(`${platform.url}/graphql${orgId === undefined ? '' : `?org_id=${orgId}`}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
    body: JSON.stringify({ query: `{ __typename ${about} }` }),
  });
  return reply.status;
}

/** An owner with a second factor, whose organization demands one, and a member without. */
async function strictOrganization(): Promise<{ owner: TestUser; member: TestUser }> {
  const { user: owner } = await enroll(platform);
  const member = await platform.signUp({ invitedBy: owner });
  expect(await demand(owner)).toMatchObject({ status: 200, body: { id: owner.orgId, mfa_required: true } });
  return { owner, member };
}

describe('an organization that demands a second factor', () => {
  it('is closed to sessions without one at once, and says what to do', async () => {
    const { owner, member } = await strictOrganization();
    const reply = await members(owner, member.accessToken);
    expect(problem(reply)).toBe('403 organization-required');
    expect(reply.body.message).toContain('demands a second factor');
    expect((await me(member.accessToken)).body).toMatchObject({ org_id: null, role: null, mfa_missing: true });
    expect((await members(owner, owner.accessToken)).status).toBe(200);
    expect((await me(owner.accessToken)).body).toMatchObject({ org_id: owner.orgId, mfa_missing: false });
  });

  it('is closed to log-ins, refreshes, switches and queries without one', async () => {
    const { owner, member } = await strictOrganization();
    const { body: login } = await logIn(platform, member, owner.orgId);
    const { body: pair } = await platform.json('POST', '/api/v1/auth/refresh', {
      body: { refresh_token: member.refreshToken },
    });
    const { body: switched } = await platform.json('POST', '/api/v1/auth/switch-org', {
      ...{ token: login.access_token, body: { org_id: owner.orgId } },
    });
    for (const { access_token: token } of [login, pair, switched]) {
      expect(problem(await members(owner, String(token)))).toBe('403 organization-required');
      expect(await statusOfQuery(String(token))).toBe(403);
    }
  });

  it('lets members without one leave, and do nothing else', async () => {
    const { owner, member } = await strictOrganization();
    const other = await platform.signUp({ invitedBy: owner });
    const leave = (path: string): Promise<JsonReply> =>
      platform.json('DELETE', `/api/v1/organizations/${owner.orgId}/members/${path}`, { token: member.accessToken });
    for (const path of [other.userId, `${member.userId}?deactivate_webhooks=true`]) {
      expect(problem(await leave(path))).toBe('403 organization-required');
    }
    expect(await leave(member.userId)).toMatchObject({
      status: 200,
      body: { service_tokens: [], webhooks: [], integrations: [] },
    });
    expect((await me(member.accessToken)).status).toBe(401);
  });

  it('is named as the organization of the onboarding, whose next step is not to create another one', async () => {
    const { owner, member } = await strictOrganization();
    const path = '/api/v1/auth/onboarding/state';
    const { status, body } = await platform.json('GET', path, { token: member.accessToken });
    expect({ status, body }).toMatchObject({ status: 200, body: { org_id: owner.orgId, next_step: 'integration' } });
  });

  it('opens when the session is proved by one', async () => {
    const { owner, member } = await strictOrganization();
    const { nextCode } = await enroll(platform, member);
    expect((await members(owner, member.accessToken)).status).toBe(200);
    const login = await logIn(platform, member);
    const { body } = await verify(platform, { mfa_token: login.body.mfa_token, code: nextCode() });
    expect((await members(owner, String(body.access_token))).status).toBe(200);
  });

  it('closes again when the member removes the last one', async () => {
    const { owner, member } = await strictOrganization();
    await enroll(platform, member);
    const removal = await platform.json('DELETE', '/api/v1/auth/me/mfa/totp', { token: member.accessToken });
    expect(removal.status).toBe(204);
    expect(problem(await members(owner, member.accessToken))).toBe('403 organization-required');
  });

  it('stays open to service tokens, and leaves other organizations alone', async () => {
    const { owner, member } = await strictOrganization();
    const { token } = await createServiceToken(platform, owner, ['members:read']);
    expect((await members(owner, token)).status).toBe(200);
    const { body } = await platform.json('POST', '/api/v1/organizations', {
      ...{ token: member.accessToken, body: { name: 'Another one' } },
    });
    const { body: switched } = await platform.json('POST', '/api/v1/auth/switch-org', {
      ...{ token: member.accessToken, body: { org_id: body.id } },
    });
    expect((await me(String(switched.access_token))).body).toMatchObject({ org_id: body.id, mfa_missing: false });
    expect(await statusOfQuery(String(switched.access_token), String(body.id))).toBe(200);
    expect(await statusOfQuery(String(switched.access_token), owner.orgId)).toBe(403);
  });

  it('keeps superusers without one from its figures, too', async () => {
    const { owner } = await strictOrganization();
    const operator = await platform.signUp();
    await makeSuperuser(platform, operator);
    const { orgId } = await platform.signUp();
    expect(await statusOfQuery(operator.accessToken, orgId)).toBe(200);
    expect(await statusOfQuery(operator.accessToken, owner.orgId)).toBe(403);
  });
});

describe('the demand for a second factor', () => {
  it('is recorded, and can be taken back', async () => {
    const { user } = await enroll(platform);
    const reply = await demand(user);
    expect(await auditOf(platform, reply)).toMatchObject([{ action: 'UPDATE', note: 'second factor demanded' }]);
    const back = await demand(user, false);
    expect(back).toMatchObject({ status: 200, body: { mfa_required: false } });
    expect(await auditOf(platform, back)).toMatchObject([{ note: 'second factor no longer demanded' }]);
  });

  it('is taken back by owners without one, too: that locks nobody out', async () => {
    expect(await demand(await platform.signUp(), false)).toMatchObject({ status: 200, body: { mfa_required: false } });
  });

  it('is refused to owners without one, who would be locked out', async () => {
    expect(problem(await demand(await platform.signUp()))).toBe('409 no-second-factor');
  });

  it('needs a fresh proof by the second factor', async () => {
    const { user } = await enroll(platform);
    platform.clock.advance(601);
    expect(problem(await demand(user))).toBe('403 recent-login-required');
  });

  it('is for owners', async () => {
    const owner = await platform.signUp();
    const admin = await platform.signUp({ invitedBy: owner, role: 'admin' });
    expect(problem(await demand(admin))).toBe('403 insufficient-role');
  });
});
