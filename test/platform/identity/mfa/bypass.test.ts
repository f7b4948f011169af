import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startIssuer, type Issuer } from '../../../support/issuer.js';
import { testPassword, type JsonReply, type TestPlatform } from '../../../support/platform.js';
import { createServiceToken } from '../../../support/service-token.js';
import { logInAs, newAccount, redirectUriOf, startPlatformFor } from '../providers/requests.js';
import { enroll, logIn, problem, verify } from './requests.js';

let issuer: Issuer;
let platform: TestPlatform;
beforeAll(async () => {
  issuer = await startIssuer([redirectUriOf('oidc')]);
  platform = await startPlatformFor(issuer);
});
afterAll(async () => {
  await platform.stop();
  await issuer.stop();
});

const post = (path: string, body: unknown, token?: string): Promise<JsonReply> =>
  platform.json('POST', `/api/v1/auth/${path}`, { body, token });
const removeApp = (token: string): Promise<JsonReply> => platform.json('DELETE', '/api/v1/auth/me/mfa/totp', { token });

/** What the database knows about the proofs of the latest session of a user. */
async function secondFactorAt(userId: string): Promise<Date | null> {
  const [row] = await platform.database.sql<{ second_factor_at: Date | null }[]>`
    select second_factor_at from refresh_tokens where user_id = ${userId} and revoked_at is null
    order by created_at desc limit 1`;
  if (row === undefined) throw new Error('the user has no session');
  return row.second_factor_at;
}

describe('the second factor is asked for', () => {
  it('after a new password, which only needs the mailbox', async () => {
    const { user } = await enroll(platform);
    await post('forgot-password', { email: user.email });
    const { token } = await platform.lastMail(user.email);
    const password = 'nine loud harbours 9';
    const reset = await post('reset-password', { token, new_password: password });
    expect(reset.body).not.toHaveProperty('tokens');
    expect((await logIn(platform, { ...user, password })).body).toMatchObject({ status: 'mfa_required' });
  });

  it('after the link "this was not me", which only needs the mailbox', async () => {
    const { user } = await enroll(platform);
    platform.clock.advance(8 * 86_400); // the link of the mail about the app has ended
    await platform.json('POST', '/api/v1/auth/login', {
      ...{
        body: { email: user.email, password: user.password },
        headers: { 'User-Agent': 'Mozilla/5.0 Firefox/140.0' },
      },
    });
    await post('forgot-password', { email: user.email });
    const { token: forgotten } = await platform.lastMail(user.email);
    await post('reset-password', { token: forgotten, new_password: 'nine loud harbours 9' });
    const { token } = await platform.lastMail(user.email);
    expect((await post('secure-account', { token })).status).toBe(200);
    const reset = await platform.lastMail(user.email);
    await post('reset-password', { token: reset.token, new_password: testPassword });
    expect((await logIn(platform, user)).body).toMatchObject({ status: 'mfa_required' });
  });

  it('after a log-in with an identity provider, with the page to return to', async () => {
    const { user, nextCode } = await enroll(platform);
    const account = newAccount();
    await logInAs(platform, issuer, account, { token: user.accessToken });
    const login = await logInAs(platform, issuer, account, { returnTo: '/account' });
    expect(login).toMatchObject({ status: 200, body: { status: 'mfa_required', return_to: '/account' } });
    expect(login.body).not.toHaveProperty('access_token');
    const reply = await verify(platform, { mfa_token: login.body.mfa_token, code: nextCode() });
    expect(reply.body.user.id).toBe(user.userId);
    const [record] = await platform.database.sql`
      select note from audit_log where action = 'LOGIN' and user_id = ${user.userId} order by at desc limit 1`;
    expect(record?.['note']).toBe('by oidc');
  });

  it('after a change of the address', async () => {
    const { user, enter } = await enroll(platform);
    const email = newAccount().email;
    const token = await enter();
    await post('change-email', { new_email: email, current_password: user.password }, token);
    for (const address of [user.email, email]) {
      await post('change-email/verify', { token: (await platform.lastMail(address)).token });
    }
    expect((await logIn(platform, { ...user, email })).body).toMatchObject({ status: 'mfa_required' });
  });

  it('in every log-in: a known device does not replace it', async () => {
    const { user, enter } = await enroll(platform);
    await enter();
    expect((await logIn(platform, user)).body).toMatchObject({ status: 'mfa_required' });
  });
});

describe('a session that was not proved by the second factor', () => {
  it('of before the set-up cannot remove it, although its log-in is recent', async () => {
    const user = await platform.signUp();
    const { body: second } = await logIn(platform, user);
    await enroll(platform, user);
    expect(problem(await removeApp(String(second.access_token)))).toBe('403 recent-login-required');
  });

  it('does not become one by a refresh', async () => {
    const user = await platform.signUp();
    const { body: second } = await logIn(platform, user);
    await enroll(platform, user);
    const { body: pair } = await post('refresh', { refresh_token: second.refresh_token });
    expect(problem(await removeApp(String(pair.access_token)))).toBe('403 recent-login-required');
  });

  it('does not become one by a change of the password', async () => {
    const user = await platform.signUp();
    const { body: second } = await logIn(platform, user);
    await enroll(platform, user);
    const body = { current_password: user.password, new_password: 'nine loud harbours 9' };
    const changed = await post('change-password', body, String(second.access_token));
    expect(changed.status).toBe(200);
    expect(problem(await removeApp(String(changed.body.tokens.access_token)))).toBe('403 recent-login-required');
  });
});

describe('a session that was proved by the second factor', () => {
  it('keeps the time of the proof in a refresh, a cookie, another organization and a change of the password', async () => {
    const { user, nextCode } = await enroll(platform);
    const login = await logIn(platform, user);
    const { body } = await verify(platform, { mfa_token: login.body.mfa_token, code: nextCode() });
    const proved = await secondFactorAt(user.userId);
    expect(proved).not.toBeNull();
    platform.clock.advance(60);
    const { body: pair } = await post('refresh', { refresh_token: body.refresh_token });
    expect(await secondFactorAt(user.userId)).toEqual(proved);
    const { body: switched } = await post('switch-org', { org_id: user.orgId }, pair.access_token);
    expect(await secondFactorAt(user.userId)).toEqual(proved);
    const change = { current_password: user.password, new_password: 'nine loud harbours 9' };
    const { body: changed } = await post('change-password', change, switched.access_token);
    expect(await secondFactorAt(user.userId)).toEqual(proved);
    expect((await removeApp(String(changed.tokens.access_token))).status).toBe(204);
  });
});

it('a service token works without the second factor, and cannot touch it', async () => {
  const { user } = await enroll(platform);
  const { token } = await createServiceToken(platform, user, ['analytics:read']);
  expect((await platform.json('GET', '/api/v1/service-tokens/current', { token })).status).toBe(200);
  expect((await removeApp(token)).status).toBe(401);
  expect((await platform.json('POST', '/api/v1/auth/me/mfa/totp', { token })).status).toBe(401);
});
