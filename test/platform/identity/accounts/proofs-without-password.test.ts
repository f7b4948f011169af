/** How people without a password prove that an account is theirs, before they take, move or delete it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startIssuer, type Issuer, type IssuerAccount } from '../../../support/issuer.js';
import { createPasskeyDevice, type PasskeyDevice } from '../../../support/passkey-device.js';
import type { JsonReply, TestPlatform, TestUser } from '../../../support/platform.js';
import { forgot, login, newEmail, reset } from '../auth/requests.js';
import { enroll, verify } from '../mfa/requests.js';
import { appBaseUrl, logInAs, newAccount, problem, redirectUriOf, settingsFor } from '../providers/requests.js';
import { accountAt, connect, ssoAs, startSsoStage } from '../sso/requests.js';

let operators: Issuer;
let stage: Awaited<ReturnType<typeof startSsoStage>>;
let platform: TestPlatform;
let domain: string;
beforeAll(async () => {
  operators = await startIssuer([redirectUriOf('oidc')]);
  stage = await startSsoStage(2, { ...settingsFor(operators), AUTH_CHANGE_PASSWORD_LIMIT: '100/hour' });
  platform = stage.platform;
  domain = await connect(stage, stage.owner);
});
afterAll(async () => {
  await stage.stop();
  await operators.stop();
});

const send = (path: string, token: string, body: object): Promise<JsonReply> =>
  platform.json('POST', path, { token, body });

const stepUp = (token: string, body: object): Promise<JsonReply> => send('/api/v1/auth/step-up', token, body);

/** What is done with an account, and the status of its reply. The deletion is the last. */
const tasks: readonly (readonly [number, (token: string, proof?: object) => Promise<JsonReply>])[] = [
  [200, (token, proof) => send('/api/v1/auth/account-export', token, { ...proof })],
  [202, (token, proof) => send('/api/v1/auth/change-email', token, { new_email: newEmail(), ...proof })],
  [200, (token, proof) => send('/api/v1/auth/account-deletion', token, { ...proof })],
];

async function expectAllAllowed(token: string, proof?: object): Promise<void> {
  for (const [status, task] of tasks) expect((await task(token, proof)).status).toBe(status);
}

async function expectAllRefused(token: string, refusal = '403 recent-login-required'): Promise<void> {
  for (const [, task] of tasks) expect(problem(await task(token))).toBe(refusal);
}

const tokenOf = ({ status, body }: JsonReply): string => {
  if (status !== 200) throw new Error(`the log-in fails: ${JSON.stringify(body)}`);
  return String(body.access_token);
};

/** The holder of a session, as helpers of tests take it. */
const userOf = ({ body }: JsonReply, email: string): TestUser => ({
  ...{ userId: String(body.user.id), orgId: String(body.user.org_id), email, password: '' },
  ...{ accessToken: String(body.access_token), refreshToken: String(body.refresh_token) },
});

type LogIn = (account: IssuerAccount) => Promise<JsonReply>;
const bySso: LogIn = (account) => ssoAs(stage, stage.owner.orgId, account);
const byProvider: LogIn = (account) => logInAs(platform, operators, account);

async function addPasskey(token: string): Promise<PasskeyDevice> {
  const device = createPasskeyDevice(appBaseUrl);
  const path = '/api/v1/auth/me/mfa/passkeys';
  const { body } = await send(`${path}/start`, token, {});
  expect((await send(path, token, { name: 'Phone', ...device.create(String(body.challenge)) })).status).toBe(200);
  return device;
}

async function challenge(): Promise<string> {
  return String((await platform.json('POST', '/api/v1/auth/passkeys/start')).body.challenge);
}

describe.each([
  ['SSO', bySso, () => accountAt(domain)],
  ['a provider of the operator', byProvider, () => newAccount()],
])('an account of %s without a password', (_way, logIn, accountOf) => {
  it('is proved by a log-in of the last 10 minutes', async () => {
    const account = accountOf();
    const old = tokenOf(await logIn(account));
    platform.clock.advance(601);
    await expectAllRefused(old);
    await expectAllAllowed(tokenOf(await logIn(account)));
  });

  it('does not match a password', async () => {
    const token = tokenOf(await logIn(accountOf()));
    for (const [, task] of tasks) {
      expect(problem(await task(token, { current_password: 'seven quiet rivers 7' }))).toBe('403 wrong-password');
    }
  });
});

describe('an account of a provider with a second factor', () => {
  it('is proved by a code of its app', async () => {
    const account = newAccount();
    const user = userOf(await byProvider(account), account.email);
    const { nextCode } = await enroll(platform, user);
    platform.clock.advance(601);
    await expectAllRefused(user.accessToken);
    const awaited = await byProvider(account);
    const entered = await verify(platform, { mfa_token: awaited.body.mfa_token, code: nextCode() });
    expect((await tasks[0]?.[1](tokenOf(entered)))?.status).toBe(200);
    expect((await stepUp(user.accessToken, { code: nextCode() })).status).toBe(200);
    await expectAllAllowed(user.accessToken);
  });

  it('is proved by its passkey, also by a log-in with it', async () => {
    const token = tokenOf(await byProvider(newAccount()));
    const device = await addPasskey(token);
    platform.clock.advance(601);
    await expectAllRefused(token);
    const passkey = device.prove(await challenge());
    const entered = await platform.json('POST', '/api/v1/auth/passkeys/login', { body: passkey });
    expect((await tasks[0]?.[1](tokenOf(entered)))?.status).toBe(200);
    expect((await stepUp(token, { passkey: device.prove(await challenge()) })).status).toBe(200);
    await expectAllAllowed(token);
  });
});

describe('an account of SSO', () => {
  /** Chooses a password by mail, and logs in with it. */
  async function choosePassword(email: string, password = 'eleven loud mountains 11'): Promise<TestUser> {
    await forgot(platform, email);
    const { token } = await platform.lastMail(email);
    expect((await reset(platform, token, password)).status).toBe(200);
    return { ...userOf(await login(platform, email, password), email), password };
  }

  it('with a second factor is proved by that', async () => {
    const account = accountAt(domain);
    await bySso(account);
    const { nextCode } = await enroll(platform, await choosePassword(account.email));
    const awaited = await bySso(account);
    const token = tokenOf(await verify(platform, { mfa_token: awaited.body.mfa_token, code: nextCode() }));
    platform.clock.advance(601);
    await expectAllRefused(token);
    expect((await stepUp(token, { code: nextCode() })).status).toBe(200);
    await expectAllAllowed(token);
  });

  it('with a passkey is proved by that', async () => {
    const account = accountAt(domain);
    await bySso(account);
    const device = await addPasskey((await choosePassword(account.email)).accessToken);
    const awaited = await bySso(account);
    const passkey = device.prove(await challenge());
    const token = tokenOf(await verify(platform, { mfa_token: awaited.body.mfa_token, passkey }));
    platform.clock.advance(601);
    await expectAllRefused(token);
    expect((await stepUp(token, { passkey: device.prove(await challenge()) })).status).toBe(200);
    await expectAllAllowed(token);
  });

  it('with a password is proved by the password alone', async () => {
    const account = accountAt(domain);
    await bySso(account);
    const { password } = await choosePassword(account.email);
    const token = tokenOf(await bySso(account));
    await expectAllRefused(token);
    await expectAllAllowed(token, { current_password: password });
  });

  it.each(['another organization', 'an identity of another provider'])('with %s needs a password', async (what) => {
    const account = accountAt(domain);
    const { userId } = userOf(await bySso(account), account.email);
    await (what === 'another organization'
      ? platform.database.sql`
          insert into memberships (user_id, org_id, role, joined_at, updated_at)
          values (${userId}, ${String(stage.owners[1]?.orgId)}, 'member', now(), now())`
      : platform.database.sql`
          insert into user_identities (user_id, provider, issuer, subject, email, linked_at)
          values (${userId}, 'github', 'https://github.com', ${userId}, ${account.email}, now())`);
    const token = tokenOf(await bySso(account));
    await expectAllRefused(token);
    const [, task] = tasks[0] ?? [];
    expect((await task?.(token))?.body.message).toContain('A log-in by SSO does not prove this.');
    const { password } = await choosePassword(account.email);
    await expectAllAllowed(tokenOf(await bySso(account)), { current_password: password });
  });

  it('deletes the organization as its owner', async () => {
    const email = stage.owners[1]?.email ?? '';
    const owner = userOf(await login(platform, email), email);
    const other = await connect(stage, owner);
    const account = accountAt(other);
    const member = userOf(await ssoAs(stage, owner.orgId, account), account.email);
    const path = `/api/v1/organizations/${owner.orgId}`;
    const role = { token: owner.accessToken, body: { role: 'owner' } };
    expect((await platform.json('PATCH', `${path}/members/${member.userId}`, role)).status).toBe(200);
    expect((await send(`${path}/deletion`, tokenOf(await ssoAs(stage, owner.orgId, account)), {})).status).toBe(202);
  });
});
