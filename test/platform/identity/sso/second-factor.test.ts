/** What a log-in by SSO proves: the way into one organization, and not the account as a whole. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPasskeyDevice } from '../../../support/passkey-device.js';
import type { JsonReply, TestUser } from '../../../support/platform.js';
import { login, me } from '../auth/requests.js';
import { enroll, verify } from '../mfa/requests.js';
import { appBaseUrl, problem } from '../providers/requests.js';
import { accountAt, connect, putSso, ssoAs, ssoRequest, startSsoStage } from './requests.js';

let stage: Awaited<ReturnType<typeof startSsoStage>>;
let domain: string;
beforeAll(async () => {
  stage = await startSsoStage(2);
  domain = await connect(stage, stage.owner);
});
afterAll(() => stage.stop());

const send = (method: string, path: string, token: string, body?: object): Promise<JsonReply> =>
  stage.platform.json(method, path, { token, ...(body !== undefined && { body }) });

/** A member with an authenticator app, whose account is linked to an identity of the provider. */
async function enrolledMember() {
  const account = accountAt(domain);
  const user = await stage.platform.signUp({ invitedBy: stage.owner, email: account.email });
  const enrolled = await enroll(stage.platform, user);
  const token = await enrolled.enter();
  const { body: other } = await send('POST', '/api/v1/organizations', token, { name: 'Another' });
  const linked = await ssoAs(stage, stage.owner.orgId, account, { token });
  expect(linked).toMatchObject({ status: 200, body: { status: 'sso_linked' } });
  return { account, enrolled, other: String(other.id) };
}

describe('an account with a second factor', () => {
  it('is asked for it after SSO, and its session is one by SSO', async () => {
    const { account, enrolled, other } = await enrolledMember();
    const awaited = await ssoAs(stage, stage.owner.orgId, account);
    expect(awaited).toMatchObject({ status: 200, body: { status: 'mfa_required', return_to: null } });
    expect(awaited.body.access_token).toBeUndefined();
    const code = enrolled.nextCode();
    const entered = await verify(stage.platform, { mfa_token: awaited.body.mfa_token, code });
    expect(entered).toMatchObject({ status: 200, body: { user: { org_id: stage.owner.orgId } } });
    const token = String(entered.body.access_token);
    const switched = await send('POST', '/api/v1/auth/switch-org', token, { org_id: other });
    expect(problem(switched)).toBe('403 sso-session-confined');
  });
});

describe('a session by SSO', () => {
  const sessionOf = async (): Promise<string> =>
    String((await ssoAs(stage, stage.owner.orgId, accountAt(domain))).body.access_token);

  it.each([
    ['set up an authenticator app', '/api/v1/auth/me/mfa/totp'],
    ['add a passkey', '/api/v1/auth/me/mfa/passkeys/start'],
  ])('cannot %s', async (_what, path) => {
    expect(problem(await send('POST', path, await sessionOf()))).toBe('403 recent-login-required');
  });

  it('can work for the organization', async () => {
    const account = accountAt(domain);
    const { body } = await ssoAs(stage, stage.owner.orgId, account);
    const path = `/api/v1/organizations/${stage.owner.orgId}`;
    const { user } = body as { user: { id: string } };
    await send('PATCH', `${path}/members/${user.id}`, stage.owner.accessToken, { role: 'admin' });
    const token = { name: 'by SSO', scopes: ['analytics:read'], expires_in_days: 1 };
    expect((await send('POST', `${path}/service-tokens`, String(body.access_token), token)).status).toBe(201);
  });

  it('needs no second factor of ours where the organization demands one', async () => {
    const { platform, owners } = stage;
    const [, owner] = owners as [TestUser, TestUser];
    const other = await connect(stage, owner);
    const { user } = await enroll(platform, owner);
    const path = `/api/v1/organizations/${user.orgId}/mfa-requirement`;
    expect((await send('PATCH', path, user.accessToken, { mfa_required: true })).status).toBe(200);
    const bySso = await ssoAs(stage, owner.orgId, accountAt(other));
    expect((await me(platform, String(bySso.body.access_token))).body).toMatchObject({ org_id: owner.orgId });
  });
});

describe('an organization that requires SSO', () => {
  it('lets nobody in by passkey, which leads to the account, and does not change its settings in an old session', async () => {
    const { platform, owner } = stage;
    const member = await platform.signUp({ invitedBy: owner });
    const device = createPasskeyDevice(appBaseUrl);
    const started = await send('POST', '/api/v1/auth/me/mfa/passkeys/start', member.accessToken);
    const created = device.create(String(started.body.challenge));
    const added = await send('POST', '/api/v1/auth/me/mfa/passkeys', member.accessToken, { name: 'Key', ...created });
    expect(added.status).toBe(200);
    const required = { is_required: true, recovery_owner_id: owner.userId, domains: [domain] };
    expect((await putSso(stage, owner, ssoRequest(stage.issuer, required))).status).toBe(200);
    const byPasskey = async (): Promise<JsonReply> => {
      const { body } = await platform.json('POST', '/api/v1/auth/passkeys/start');
      return platform.json('POST', '/api/v1/auth/passkeys/login', { body: device.prove(String(body.challenge)) });
    };
    const entered = await byPasskey();
    expect(entered).toMatchObject({ status: 200, body: { needs_onboarding: false, user: { org_id: null } } });
    const switched = await send('POST', '/api/v1/auth/switch-org', String(entered.body.access_token), {
      org_id: owner.orgId,
    });
    expect(problem(switched)).toBe('403 sso-required');
    const other = await send('POST', '/api/v1/organizations', String(entered.body.access_token), { name: 'Another' });
    expect(other.status).toBe(201);
    expect((await byPasskey()).body.user).toMatchObject({ org_id: other.body.id });

    const { body: later } = await login(platform, owner.email);
    platform.clock.advance(601);
    const old = { ...owner, accessToken: String(later.access_token) };
    expect(problem(await putSso(stage, old, ssoRequest(stage.issuer, required)))).toBe('403 recent-login-required');
    const path = `/api/v1/organizations/${owner.orgId}/sso`;
    expect(problem(await send('DELETE', path, old.accessToken))).toBe('403 recent-login-required');
  });
});
