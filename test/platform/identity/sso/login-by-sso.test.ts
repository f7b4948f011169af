import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { JsonReply } from '../../../support/platform.js';
import { testPassword } from '../../../support/platform.js';
import { makeSuperuser } from '../../../support/superuser.js';
import { simultaneously } from '../auth/requests.js';
import { auditOf } from '../auth/stored.js';
import { problem } from '../providers/requests.js';
import {
  accountAt,
  beginSso,
  callbackOf,
  completeSso,
  connect,
  putSso,
  ssoAs,
  ssoRequest,
  startSsoStage,
} from './requests.js';

let stage: Awaited<ReturnType<typeof startSsoStage>>;
let domain: string;
beforeAll(async () => {
  stage = await startSsoStage(2);
});
beforeEach(async () => {
  Object.assign(stage.issuer, { forge: null, fault: null });
  domain = await connect(stage, stage.owner);
});
afterAll(() => stage.stop());

const get = (path: string, reply: JsonReply): Promise<JsonReply> =>
  stage.platform.json('GET', path, { token: String(reply.body.access_token) });

describe('the first log-in by SSO', () => {
  it('creates an account without a password, which joins the organization', async () => {
    const { platform, owner } = stage;
    const account = accountAt(domain);
    const reply = await ssoAs(stage, owner.orgId, account, { body: { return_to: '/overview' } });
    expect(reply).toMatchObject({
      status: 200,
      body: {
        needs_onboarding: false,
        return_to: '/overview',
        user: { email: account.email, auth_provider: 'sso', is_verified: true, org_id: owner.orgId, role: 'member' },
      },
    });
    expect((await get('/api/v1/auth/me', reply)).body).toMatchObject({ org_id: owner.orgId, role: 'member' });
    const records = (await auditOf(platform, reply)).map(({ action, note }) => `${action} ${note ?? ''}`);
    expect(records.sort()).toEqual(['LOGIN by SSO', 'MEMBER_JOINED by SSO', 'REGISTER ']);
    const body = { email: account.email, password: testPassword };
    expect(problem(await platform.json('POST', '/api/v1/auth/login', { body }))).toBe('401 invalid-credentials');
  });

  it('asks with PKCE, state, nonce and the hint, and the address of this organization', async () => {
    const { url } = await beginSso(stage, stage.owner.orgId, { body: { login_hint: 'robin@example.com' } });
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      response_type: 'code',
      redirect_uri: callbackOf(stage.owner.orgId),
      login_hint: 'robin@example.com',
      code_challenge_method: 'S256',
      state: expect.stringMatching(/^[\w-]{43}$/) as string,
      nonce: expect.stringMatching(/^[\w-]{43}$/) as string,
    });
  });

  it('leads to the same account the next time, also with another address of the domain', async () => {
    const { orgId } = stage.owner;
    const account = accountAt(domain);
    const first = await ssoAs(stage, orgId, account);
    const again = await ssoAs(stage, orgId, { ...account, email: `changed@${domain}` });
    expect(again.body.user).toMatchObject({ id: first.body.user.id, email: account.email });
  });

  it('creates one account when two tabs log in at once', async () => {
    const { orgId } = stage.owner;
    stage.issuer.account = accountAt(domain);
    const first = await beginSso(stage, orgId);
    const second = await beginSso(stage, orgId, { cookie: first.cookie });
    const replies = await simultaneously(2, async (index) => {
      const { url, cookie } = index === 0 ? first : second;
      return completeSso(stage, orgId, (await stage.issuer.authorize(url.href)).search.slice(1), cookie);
    });
    expect(replies.map(({ status }) => status)).toEqual([200, 200]);
    expect(replies[0]?.body.user.id).toBe(replies[1]?.body.user.id);
  });

  it('is refused to strangers without auto_join, until an invite waits for them', async () => {
    const { platform, owner, issuer } = stage;
    await putSso(stage, owner, ssoRequest(issuer, { auto_join: false, domains: [domain] }));
    const unverified = accountAt(domain);
    const credentials = { email: unverified.email, password: testPassword };
    await platform.json('POST', '/api/v1/auth/register', { body: credentials });
    expect(problem(await ssoAs(stage, owner.orgId, unverified))).toBe('403 sso-not-admitted');
    const [kept] = await platform.database.sql<{ password_hash: string | null }[]>`
      select password_hash from users where email = ${unverified.email}`;
    expect(kept?.password_hash).not.toBeNull();
    const account = accountAt(domain);
    expect(problem(await ssoAs(stage, owner.orgId, account))).toBe('403 sso-not-admitted');
    const rows = await platform.database.sql`select 1 from users where email = ${account.email}`;
    expect(rows).toHaveLength(0);
    const body = { email: account.email, role: 'viewer' };
    const invites = `/api/v1/organizations/${owner.orgId}/invites`;
    await platform.json('POST', invites, { token: owner.accessToken, body });
    expect((await ssoAs(stage, owner.orgId, account)).body.user).toMatchObject({ role: 'viewer' });
  });

  it('is refused while the organization is marked for deletion', async () => {
    const { platform, owner } = stage;
    const path = `/api/v1/organizations/${owner.orgId}/deletion`;
    const body = { current_password: testPassword };
    await platform.json('POST', path, { token: owner.accessToken, body });
    expect(problem(await ssoAs(stage, owner.orgId, accountAt(domain)))).toBe('403 sso-not-admitted');
    await platform.json('DELETE', path, { token: owner.accessToken });
  });
});

describe('an existing account with the address', () => {
  it('is linked at once if it belongs to this organization alone', async () => {
    const { platform, owner } = stage;
    const user = await platform.signUp({ email: accountAt(domain).email, invitedBy: owner });
    const reply = await ssoAs(stage, owner.orgId, accountAt(domain, { email: user.email }));
    expect(reply.body.user).toMatchObject({ id: user.userId, role: 'member' });
    expect((await platform.lastMail(user.email)).subject).toBe('A way to log in was added to your account');
  });

  it('loses the password that a stranger gave it, if it was never verified', async () => {
    const { platform, owner } = stage;
    const account = accountAt(domain);
    const credentials = { email: account.email, password: testPassword };
    await platform.json('POST', '/api/v1/auth/register', { body: credentials });
    expect((await ssoAs(stage, owner.orgId, account)).status).toBe(200);
    const login = await platform.json('POST', '/api/v1/auth/login', { body: credentials });
    expect(problem(login)).toBe('401 invalid-credentials');
  });

  it('is replaced with the organization that a stranger got with it, if it was never verified', async () => {
    const other = await startSsoStage(1, { AUTH_AUTO_CREATE_ORG_ON_REGISTER: 'true' });
    onTestFinished(() => other.stop());
    const { platform, owner, issuer } = other;
    const account = accountAt(await connect(other, owner, { auto_join: false }));
    const credentials = { email: account.email, password: testPassword };
    const { body: registered } = await platform.json('POST', '/api/v1/auth/register', { body: credentials });
    const { sql } = platform.database;
    const strangers = () => sql`select 1 from organizations where id = ${String(registered.org_id)}`;
    expect(problem(await ssoAs(other, owner.orgId, account))).toBe('403 sso-not-admitted');
    expect(await strangers()).toHaveLength(1);

    await putSso(other, owner, ssoRequest(issuer, { domains: [account.email.split('@')[1]] }));
    const reply = await ssoAs(other, owner.orgId, account);
    expect(reply).toMatchObject({ status: 200, body: { user: { org_id: owner.orgId, auth_provider: 'sso' } } });
    expect(reply.body.user.id).not.toBe(registered.user_id);
    expect(await strangers()).toHaveLength(0);
    const login = await platform.json('POST', '/api/v1/auth/login', { body: credentials });
    expect(problem(login)).toBe('401 invalid-credentials');
    const records = (await auditOf(platform, reply)).map(({ action, resource_kind: kind }) => `${action} ${kind}`);
    expect(records).toEqual(expect.arrayContaining(['DELETE ORGANIZATION', 'DELETE USER', 'REGISTER USER']));
  });

  it('is linked only by its holder if it belongs to another organization', async () => {
    const { platform, owner } = stage;
    const user = await platform.signUp({ email: accountAt(domain).email });
    const account = accountAt(domain, { email: user.email });
    expect(problem(await ssoAs(stage, owner.orgId, account))).toBe('409 account-exists');
    const linked = await ssoAs(stage, owner.orgId, account, {
      token: user.accessToken,
      body: { return_to: '/account' },
    });
    expect(linked).toMatchObject({ status: 200, body: { status: 'sso_linked', return_to: '/account' } });
    expect((await ssoAs(stage, owner.orgId, account)).body.user).toMatchObject({
      id: user.userId,
      org_id: owner.orgId,
    });
    const again = accountAt(domain);
    expect(problem(await ssoAs(stage, owner.orgId, again, { token: user.accessToken }))).toBe(
      '409 identity-already-linked',
    );
  });

  it('is linked only by its holder if it is a superuser, who has no such rights in the session', async () => {
    const { platform, owner } = stage;
    const user = await platform.signUp({ email: accountAt(domain).email, organization: null });
    await makeSuperuser(platform, user);
    const account = accountAt(domain, { email: user.email });
    expect(problem(await ssoAs(stage, owner.orgId, account))).toBe('409 account-exists');
    expect((await ssoAs(stage, owner.orgId, account, { token: user.accessToken })).status).toBe(200);
    const reply = await ssoAs(stage, owner.orgId, account);
    expect(reply.body.user).toMatchObject({ is_superuser: false, role: 'member' });
    expect((await get('/api/v1/installation/users', reply)).status).toBe(403);

    // Not even with a proof of the account in that session.
    const token = String(reply.body.access_token);
    const proof = { current_password: user.password };
    expect((await platform.json('POST', '/api/v1/auth/step-up', { token, body: proof })).status).toBe(200);
    const path = `/api/v1/installation/users/${(await platform.signUp()).userId}`;
    expect(problem(await platform.json('PATCH', path, { token, body: { is_active: false } }))).toBe(
      '403 superuser-required',
    );
    expect(problem(await platform.json('DELETE', path, { token }))).toBe('403 superuser-required');
  });

  it('of a superuser resets no second factor that protects other organizations', async () => {
    const { platform, owner, owners } = stage;
    const account = accountAt(domain);
    const operator = await platform.signUp({ email: account.email, invitedBy: owner, role: 'owner' });
    await makeSuperuser(platform, operator);
    await ssoAs(stage, owner.orgId, account, { token: operator.accessToken });
    const elsewhere = owners[1];
    if (elsewhere === undefined) throw new Error('no second owner');
    const member = await platform.signUp({ invitedBy: elsewhere });
    await platform.database.sql`
      insert into memberships (user_id, org_id, role, joined_at) values (${member.userId}, ${owner.orgId}, 'member', now())`;
    await platform.database.sql`
      insert into totp_secrets (user_id, secret_sealed, started_at, enabled_at)
      values (${member.userId}, ''::bytea, now(), now())`;
    const bySso = String((await ssoAs(stage, owner.orgId, account)).body.access_token);
    const path = `/api/v1/organizations/${owner.orgId}/members`;
    const listed = await platform.json('GET', path, { token: bySso });
    expect(listed.body.items).toContainEqual(
      expect.objectContaining({ user_id: member.userId, mfa_resettable: false }),
    );
    const reply = await platform.json('DELETE', `${path}/${member.userId}/mfa`, { token: bySso });
    expect(problem(reply)).toBe('409 mfa-not-resettable');
  });

  it('is refused like a wrong password if it is disabled', async () => {
    const { platform, owner } = stage;
    const account = accountAt(domain);
    const { body } = await ssoAs(stage, owner.orgId, account);
    await platform.database.sql`update users set is_active = false where id = ${String(body.user.id)}`;
    const reply = await ssoAs(stage, owner.orgId, account);
    expect(problem(reply)).toBe('401 invalid-credentials');
    expect(await auditOf(platform, reply)).toMatchObject([{ action: 'LOGIN_FAILED', status: 'failure' }]);
  });

  it('is not linked if it is disabled', async () => {
    const { platform, owner } = stage;
    const user = await platform.signUp({ email: accountAt(domain).email, invitedBy: owner });
    const { sql } = platform.database;
    await sql`update users set is_active = false where id = ${user.userId}`;
    const before = await platform.lastMail(user.email);
    const reply = await ssoAs(stage, owner.orgId, accountAt(domain, { email: user.email }));
    expect(problem(reply)).toBe('401 invalid-credentials');
    expect(await auditOf(platform, reply)).toMatchObject([{ action: 'LOGIN_FAILED', status: 'failure' }]);
    expect(await sql`select 1 from sso_identities where user_id = ${user.userId}`).toHaveLength(0);
    expect(await platform.lastMail(user.email)).toEqual(before);
  });
});

describe('a link', () => {
  it('needs a session that has begun a short time ago, and not by SSO', async () => {
    const { platform, owner } = stage;
    const path = `/api/v1/auth/sso/${owner.orgId}/link`;
    const { body } = await ssoAs(stage, owner.orgId, accountAt(domain));
    const bySso = await platform.json('POST', path, { token: String(body.access_token), body: {} });
    expect(problem(bySso)).toBe('403 recent-login-required');
    const github = await platform.json('POST', '/api/v1/auth/providers/oidc/link', {
      ...{ token: String(body.access_token), body: {} },
    });
    expect(problem(github)).toBe('403 recent-login-required');
  });

  it('is not made when the session has ended meanwhile', async () => {
    const { platform, owner, issuer } = stage;
    const user = await platform.signUp();
    issuer.account = accountAt(domain);
    const { url, cookie } = await beginSso(stage, owner.orgId, { token: user.accessToken });
    await platform.json('DELETE', '/api/v1/auth/sessions', { token: user.accessToken });
    const back = await issuer.authorize(url.href);
    expect(problem(await completeSso(stage, owner.orgId, back.search.slice(1), cookie))).toBe(
      '400 invalid-login-attempt',
    );
  });
});

describe('a session by SSO', () => {
  it('is exported with the data of its account', async () => {
    const { platform, owner, issuer } = stage;
    const user = await platform.signUp({ email: accountAt(domain).email, invitedBy: owner });
    const account = accountAt(domain, { email: user.email });
    await ssoAs(stage, owner.orgId, account);
    const body = { current_password: testPassword };
    const reply = await platform.json('POST', '/api/v1/auth/account-export', { token: user.accessToken, body });
    expect(reply.body.identities).toMatchObject([{ provider: 'sso', issuer: issuer.url, subject: account.sub }]);
  });

  it('stays one when it is refreshed, and when it moves to the cookie of a browser', async () => {
    const { platform, owner } = stage;
    const user = await platform.signUp({ email: accountAt(domain).email });
    const account = accountAt(domain, { email: user.email });
    await ssoAs(stage, owner.orgId, account, { token: user.accessToken });
    const { body } = await ssoAs(stage, owner.orgId, account);
    const refresh = { refresh_token: String(body.refresh_token) };
    const refreshed = await platform.json('POST', '/api/v1/auth/refresh', { body: refresh });
    expect(refreshed.body).toMatchObject({ token_type: 'bearer' });
    const token = String(refreshed.body.access_token);
    const elsewhere = { token, body: { org_id: user.orgId } };
    expect(problem(await platform.json('POST', '/api/v1/auth/switch-org', elsewhere))).toBe('403 sso-session-confined');
  });

  it('reads no other organization of its user', async () => {
    const { platform, owner } = stage;
    const user = await platform.signUp({ email: accountAt(domain).email });
    const account = accountAt(domain, { email: user.email });
    await ssoAs(stage, owner.orgId, account, { token: user.accessToken });
    const { body } = await ssoAs(stage, owner.orgId, account);
    const query = `{ __typename catalog(orgId: "${user.orgId}", dimension: TEAM) { values { value } } }`;
    const statusWith = async (token: string): Promise<number> => {
      const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` };
      return (
        await fetch(`${platform.url}/graphql?org_id=${user.orgId}`, {
          method: 'POST',
          headers,
          body: JSON.stringify({ query }),
        })
      ).status;
    };
    expect(await statusWith(user.accessToken)).toBe(200);
    expect(await statusWith(String(body.access_token))).toBe(403);
  });

  it('accepts no invites of other organizations, and creates none to work in', async () => {
    const { platform, owner, owners } = stage;
    const [, other] = owners;
    if (other === undefined) throw new Error('no second owner');
    const account = accountAt(domain);
    const { body } = await ssoAs(stage, owner.orgId, account);
    const token = String(body.access_token);
    const invite = { email: account.email, role: 'member' };
    const path = `/api/v1/organizations/${other.orgId}/invites`;
    const { body: created } = await platform.json('POST', path, { token: other.accessToken, body: invite });
    const { token: code } = await platform.lastMail(account.email);
    const confined = '403 sso-session-confined';
    expect(problem(await platform.json('POST', `/api/v1/auth/me/invites/${created.id}/accept`, { token }))).toBe(
      confined,
    );
    expect(problem(await platform.json('POST', '/api/v1/auth/accept-invite', { token, body: { token: code } }))).toBe(
      confined,
    );
    const joining = { action: 'join_org', invite_code: code };
    expect(problem(await platform.json('POST', '/api/v1/auth/onboard', { token, body: joining }))).toBe(confined);
    const further = { name: 'Beside it' };
    expect(problem(await platform.json('POST', '/api/v1/organizations', { token, body: further }))).toBe(confined);
    await platform.json('DELETE', `/api/v1/organizations/${owner.orgId}/members/${body.user.id}`, { token });
    const refreshed = await platform.json('POST', '/api/v1/auth/refresh', {
      body: { refresh_token: body.refresh_token },
    });
    const orgless = String(refreshed.body.access_token);
    const creation = { action: 'create_org', org_name: 'Mine' };
    expect(problem(await platform.json('POST', '/api/v1/auth/onboard', { token: orgless, body: creation }))).toBe(
      confined,
    );
  });

  it('remains by SSO when its user changes the password', async () => {
    const { platform, owner } = stage;
    const user = await platform.signUp({ email: accountAt(domain).email });
    const account = accountAt(domain, { email: user.email });
    await ssoAs(stage, owner.orgId, account, { token: user.accessToken });
    const { body } = await ssoAs(stage, owner.orgId, account);
    const change = { current_password: testPassword, new_password: 'eleven loud mountains 11' };
    const path = '/api/v1/auth/change-password';
    const changed = await platform.json('POST', path, { token: String(body.access_token), body: change });
    expect(changed.status).toBe(200);
    const elsewhere = { token: String(changed.body.tokens.access_token), body: { org_id: user.orgId } };
    expect(problem(await platform.json('POST', '/api/v1/auth/switch-org', elsewhere))).toBe('403 sso-session-confined');
  });

  it('ends with the SSO of the organization', async () => {
    const { platform, owner } = stage;
    const reply = await ssoAs(stage, owner.orgId, accountAt(domain));
    const path = `/api/v1/organizations/${owner.orgId}/sso`;
    expect((await platform.json('DELETE', path, { token: owner.accessToken })).status).toBe(204);
    expect((await get('/api/v1/auth/me', reply)).status).toBe(401);
    const refresh = { refresh_token: String(reply.body.refresh_token) };
    expect((await platform.json('POST', '/api/v1/auth/refresh', { body: refresh })).status).toBe(401);
  });
});

describe('roles by groups', () => {
  const roles = [
    { group: 'watchers', role: 'viewer' },
    { group: 'leads', role: 'admin' },
  ];

  it('are set at each log-in, the most powerful of several', async () => {
    const { owner, issuer } = stage;
    const groups = { groups_claim: 'groups', group_roles: roles };
    await putSso(stage, owner, ssoRequest(issuer, { ...groups, domains: [domain] }));
    const account = accountAt(domain);
    const roleOf = async (groups: unknown): Promise<unknown> => {
      issuer.forge = (claims) => ({ ...claims, groups });
      return (await ssoAs(stage, owner.orgId, account)).body.user.role;
    };
    expect(await roleOf(['watchers', 'leads'])).toBe('admin');
    expect(await roleOf('watchers')).toBe('viewer');
    expect(await roleOf([])).toBe('member');
    expect(await roleOf([{ group: 'leads' }])).toBe('member');
  });

  it.each<[string, object]>([
    ['leaves the claim out', {}],
    ['refers to another place instead of the claim', { _claim_names: { groups: 'src1' } }],
    ['sends null', { groups: null }],
  ])('stay when the provider %s, and new members get the default role', async (_what, sent) => {
    const { platform, owner, issuer } = stage;
    const mapping = { groups_claim: 'groups', group_roles: roles, default_role: 'viewer' };
    await putSso(stage, owner, ssoRequest(issuer, { ...mapping, domains: [domain] }));
    const account = accountAt(domain);
    issuer.forge = (claims) => ({ ...claims, groups: ['leads'] });
    expect((await ssoAs(stage, owner.orgId, account)).body.user.role).toBe('admin');
    issuer.forge = (claims) => ({ ...claims, ...sent });
    expect((await ssoAs(stage, owner.orgId, account)).body.user.role).toBe('admin');
    const warnings = platform.logLines.filter((line) => line.includes('names no groups') && line.includes(owner.orgId));
    expect(warnings).not.toHaveLength(0);
    expect((await ssoAs(stage, owner.orgId, accountAt(domain))).body.user.role).toBe('viewer');
  });

  it('never change owners', async () => {
    const { platform, owner, issuer } = stage;
    const user = await platform.signUp({ email: accountAt(domain).email, invitedBy: owner, role: 'owner' });
    const groups = { groups_claim: 'name', group_roles: roles };
    await putSso(stage, owner, ssoRequest(issuer, { ...groups, domains: [domain] }));
    const reply = await ssoAs(stage, owner.orgId, accountAt(domain, { email: user.email, name: 'watchers' }));
    expect(reply.body.user).toMatchObject({ role: 'owner' });
  });
});
