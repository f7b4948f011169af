import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startIssuer, type Issuer } from '../../../support/issuer.js';
import { testPassword, type JsonReply, type TestUser } from '../../../support/platform.js';
import { createServiceToken } from '../../../support/service-token.js';
import { forgot, login, me, refresh, reset } from '../auth/requests.js';
import { auditOf } from '../auth/stored.js';
import { enroll, verify } from '../mfa/requests.js';
import { logInAs, newAccount, problem, redirectUriOf, settingsFor } from '../providers/requests.js';
import { accountAt, connect, putSso, ssoAs, ssoRequest, startSsoStage } from './requests.js';

let operators: Issuer;
let stage: Awaited<ReturnType<typeof startSsoStage>>;
beforeAll(async () => {
  operators = await startIssuer([redirectUriOf('oidc')]);
  stage = await startSsoStage(4, settingsFor(operators));
});
afterAll(async () => {
  await stage.stop();
  await operators.stop();
});

const required = (owner: TestUser): object => ({ is_required: true, recovery_owner_id: owner.userId });
const organizationOf = (index: number): TestUser => {
  const owner = stage.owners[index];
  if (owner === undefined) throw new Error(`no owner ${index}`);
  return owner;
};

describe('requiring SSO', () => {
  it('ends the sessions of members at once, except those by SSO and of the recovery owner', async () => {
    const { platform } = stage;
    const owner = organizationOf(0);
    const domain = await connect(stage, owner);
    const member = await platform.signUp({ invitedBy: owner });
    const second = await platform.signUp({ invitedBy: owner, role: 'owner' });
    const bySso = await ssoAs(stage, owner.orgId, accountAt(domain));
    const machine = await createServiceToken(platform, owner, ['setup:read']);
    const reply = await putSso(stage, second, ssoRequest(stage.issuer, { ...required(owner), domains: [domain] }));
    expect(reply).toMatchObject({ status: 200, body: { connection: { is_required: true } } });
    expect(await auditOf(platform, reply)).toMatchObject([{ action: 'UPDATE', note: `${stage.issuer.url}, required` }]);
    for (const { accessToken, refreshToken } of [member, second]) {
      expect((await me(platform, accessToken)).status).toBe(401);
      expect((await refresh(platform, refreshToken)).status).toBe(401);
    }
    expect((await me(platform, owner.accessToken)).status).toBe(200);
    expect((await me(platform, String(bySso.body.access_token))).status).toBe(200);
    const current = await platform.json('GET', '/api/v1/service-tokens/current', { token: machine.token });
    expect(current.status).toBe(200);
    expect((await login(platform, member.email)).body.user).toMatchObject({ org_id: null, role: null });
    expect((await login(platform, owner.email)).body.user).toMatchObject({ org_id: owner.orgId });
  });

  it('also ends a session that a request at the same time has begun', async () => {
    const { platform } = stage;
    const owner = organizationOf(1);
    const domain = await connect(stage, owner);
    const member = await platform.signUp({ invitedBy: owner });
    await putSso(stage, owner, ssoRequest(stage.issuer, { ...required(owner), domains: [domain] }));
    // As if its transaction had begun before, and ended afterwards.
    await platform.database.sql`
      update refresh_tokens set revoked_at = null, revocation_reason = null
      where user_id = ${member.userId} and revocation_reason = 'session_ended'`;
    expect((await me(platform, member.accessToken)).status).toBe(401);
    const refreshed = await refresh(platform, member.refreshToken);
    expect(refreshed.status).toBe(200);
    const { body } = await me(platform, String(refreshed.body.access_token));
    expect(body).toMatchObject({ org_id: null, role: null });
  });

  it.each([
    ['no recovery owner', { recovery_owner_id: null }, '/body/recovery_owner_id'],
    ['no verified domain', { domains: ['unverified.example'] }, '/body/is_required'],
  ])('is refused with %s', async (_what, differences, path) => {
    const owner = organizationOf(2);
    const domain = await connect(stage, owner);
    const body = ssoRequest(stage.issuer, { ...required(owner), domains: [domain], ...differences });
    expect(await putSso(stage, owner, body)).toMatchObject({ status: 422, body: { violations: [{ path }] } });
  });

  it('is refused with a recovery owner who has no password, or is not an owner', async () => {
    const owner = organizationOf(2);
    const domain = await connect(stage, owner);
    const { body } = await ssoAs(stage, owner.orgId, accountAt(domain));
    for (const recovery_owner_id of [String(body.user.id), crypto.randomUUID()]) {
      const request = ssoRequest(stage.issuer, { is_required: true, recovery_owner_id, domains: [domain] });
      expect((await putSso(stage, owner, request)).status).toBe(422);
    }
  });
});

describe('an organization that requires SSO', () => {
  let owner: TestUser;
  let domain: string;
  beforeAll(async () => {
    owner = organizationOf(3);
    domain = await connect(stage, owner, required(owner));
  });

  it('is not entered by a password, also by a new one of a mail', async () => {
    const { platform } = stage;
    const member = await memberOf(owner);
    expect(problem(await logInTo(owner, member))).toBe('403 sso-required');
    await forgot(platform, member.email);
    const { token } = await platform.lastMail(member.email);
    const password = 'eleven loud mountains 11';
    expect((await reset(platform, token, password)).status).toBe(200);
    const reply = await logInTo(owner, member, password);
    expect(reply).toMatchObject({ status: 403, body: { type: '/problems/sso-required', org_id: owner.orgId } });
    expect(await auditOf(platform, reply)).toMatchObject([
      { action: 'LOGIN_FAILED', note: 'the organization requires SSO' },
    ]);
  });

  it('leaves members their accounts, in sessions by password that read nothing of it', async () => {
    const { platform } = stage;
    const member = await memberOf(owner);
    const { status, body } = await login(platform, member.email);
    expect({ status, body }).toMatchObject({ status: 200, body: { needs_onboarding: false, user: { org_id: null } } });
    const token = String(body.access_token);
    for (const part of ['', '/members', '/teams']) {
      const path = `/api/v1/organizations/${owner.orgId}${part}`;
      expect(problem(await platform.json('GET', path, { token }))).toBe('403 organization-required');
    }
    const proof = { token, body: { current_password: testPassword } };
    expect((await platform.json('POST', '/api/v1/auth/account-export', proof)).status).toBe(200);
    expect((await platform.json('POST', '/api/v1/auth/account-deletion', proof)).status).toBe(200);
  });

  it('is left by members who log in by password, but not in a session by SSO of another organization', async () => {
    const { platform } = stage;
    const member = await memberOf(owner);
    const provider = organizationOf(0);
    const elsewhere = await connect(stage, provider);
    const bySso = await ssoAs(stage, provider.orgId, accountAt(elsewhere));
    await addMembership(String(bySso.body.user.id), owner.orgId);
    const leave = (userId: string, token: unknown): Promise<JsonReply> =>
      platform.json('DELETE', `/api/v1/organizations/${owner.orgId}/members/${userId}`, { token: String(token) });
    const confined = await leave(String(bySso.body.user.id), bySso.body.access_token);
    expect(problem(confined)).toBe('403 organization-mismatch');
    const { body } = await login(platform, member.email);
    expect((await leave(member.userId, body.access_token)).status).toBe(200);
    expect((await login(platform, member.email)).body).toMatchObject({ needs_onboarding: true });
  });

  it('leaves members with a second factor their accounts', async () => {
    const { platform } = stage;
    const member = await memberOf(owner);
    const { nextCode } = await enroll(platform, member);
    const { body } = await login(platform, member.email);
    const reply = await verify(platform, { mfa_token: body.mfa_token, code: nextCode() });
    expect(reply).toMatchObject({ status: 200, body: { user: { org_id: null, role: null } } });
  });

  it('is not the one that a log-in chooses by itself, nor one to switch to', async () => {
    const { platform } = stage;
    const member = await memberOf(owner);
    const home = await platform.signUp();
    await addMembership(member.userId, home.orgId);
    const { body } = await login(platform, member.email);
    expect(body.user).toMatchObject({ org_id: home.orgId });
    const token = String(body.access_token);
    const target = { token, body: { org_id: owner.orgId } };
    expect(problem(await platform.json('POST', '/api/v1/auth/switch-org', target))).toBe('403 sso-required');
    expect(problem(await logInTo(owner, member))).toBe('403 sso-required');
  });

  it('is not entered by an identity provider of the operator, which leads to the account or another one', async () => {
    const { platform } = stage;
    const account = newAccount();
    const { body } = await logInAs(platform, operators, account);
    const userId = String(body.user.id);
    await platform.database.sql`delete from memberships where user_id = ${userId}`;
    await addMembership(userId, owner.orgId);
    const reply = await logInAs(platform, operators, account);
    expect(reply).toMatchObject({
      ...{ status: 200, body: { needs_onboarding: false, user: { id: userId, org_id: null, role: null } } },
    });
    const switched = { token: String(reply.body.access_token), body: { org_id: owner.orgId } };
    expect(problem(await platform.json('POST', '/api/v1/auth/switch-org', switched))).toBe('403 sso-required');
    const home = await platform.signUp();
    await addMembership(userId, home.orgId);
    expect((await logInAs(platform, operators, account)).body.user).toMatchObject({ org_id: home.orgId });
  });

  it('is not joined by an invite without SSO', async () => {
    const { platform } = stage;
    const user = await platform.signUp({ organization: null });
    const path = `/api/v1/organizations/${owner.orgId}/invites`;
    const invite = { email: user.email, role: 'member' };
    const { body } = await platform.json('POST', path, { token: owner.accessToken, body: invite });
    const { token: code } = await platform.lastMail(user.email);
    const token = user.accessToken;
    const refused = '403 sso-required';
    expect(problem(await platform.json('POST', '/api/v1/auth/accept-invite', { token, body: { token: code } }))).toBe(
      refused,
    );
    expect(problem(await platform.json('POST', `/api/v1/auth/me/invites/${body.id}/accept`, { token }))).toBe(refused);
    const joining = { action: 'join_org', invite_code: code };
    expect(problem(await platform.json('POST', '/api/v1/auth/onboard', { token, body: joining }))).toBe(refused);
  });

  it('is entered by SSO, and by the recovery owner', async () => {
    const { platform } = stage;
    const member = await memberOf(owner, accountAt(domain).email);
    const reply = await ssoAs(stage, owner.orgId, accountAt(domain, { email: member.email }));
    expect(reply.body.user).toMatchObject({ id: member.userId, org_id: owner.orgId });
    expect((await refresh(platform, String(reply.body.refresh_token))).status).toBe(200);
    expect((await login(platform, owner.email)).body.user).toMatchObject({ org_id: owner.orgId });
  });

  it('is not entered by a recovery owner who is no longer an owner', async () => {
    const { platform } = stage;
    const { sql } = platform.database;
    const token = String((await login(platform, owner.email)).body.access_token);
    expect((await me(platform, token)).body).toMatchObject({ org_id: owner.orgId });
    await sql`update memberships set role = 'viewer' where org_id = ${owner.orgId} and user_id = ${owner.userId}`;
    expect((await me(platform, token)).status).toBe(401);
    expect(
      problem(
        await platform.json('POST', '/api/v1/auth/login', {
          body: { email: owner.email, password: owner.password, org_id: owner.orgId },
        }),
      ),
    ).toBe('403 sso-required');
    await sql`update memberships set role = 'owner' where org_id = ${owner.orgId} and user_id = ${owner.userId}`;
    expect((await login(platform, owner.email)).body.user).toMatchObject({ org_id: owner.orgId });
  });
});

function logInTo({ orgId }: TestUser, { email }: TestUser, password = testPassword): Promise<JsonReply> {
  return stage.platform.json('POST', '/api/v1/auth/login', { body: { email, password, org_id: orgId } });
}

/** A member who has a password, and has joined before SSO was required. */
async function memberOf(owner: TestUser, email?: string): Promise<TestUser> {
  const user = await stage.platform.signUp({ organization: null, ...(email !== undefined && { email }) });
  await addMembership(user.userId, owner.orgId);
  return user;
}

async function addMembership(userId: string, orgId: string): Promise<void> {
  await stage.platform.database.sql`
    insert into memberships (user_id, org_id, role, joined_at, updated_at) values (${userId}, ${orgId}, 'member', now(), now())`;
}
