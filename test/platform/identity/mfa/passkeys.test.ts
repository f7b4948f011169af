import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPasskeyDevice, type Differences, type PasskeyDevice } from '../../../support/passkey-device.js';
import { startTestPlatform, type JsonReply, type TestPlatform, type TestUser } from '../../../support/platform.js';
import { auditOf } from '../auth/stored.js';
import { enroll, logIn, problem, verify } from './requests.js';

const appUrl = 'https://plumbline.example';
const path = '/api/v1/auth/me/mfa/passkeys';
let platform: TestPlatform;
beforeAll(async () => {
  platform = await startTestPlatform({
    environment: { APP_BASE_URL: appUrl, AUTH_LOGIN_ATTEMPT_LIMIT: '100000/hour' },
  });
});
afterAll(() => platform.stop());

const begin = (token: string): Promise<JsonReply> => platform.json('POST', `${path}/start`, { token });
const add = (token: string, created: object, name = 'Phone'): Promise<JsonReply> =>
  platform.json('POST', path, { token, body: { name, ...created } });
const challenge = async (): Promise<string> =>
  String((await platform.json('POST', '/api/v1/auth/passkeys/start')).body.challenge);
const enterBy = (proof: object): Promise<JsonReply> =>
  platform.json('POST', '/api/v1/auth/passkeys/login', { body: proof });
const state = (token: string): Promise<JsonReply> => platform.json('GET', '/api/v1/auth/me/mfa', { token });

interface WithPasskey {
  readonly user: TestUser;
  readonly device: PasskeyDevice;
  readonly added: JsonReply;
}

async function withPasskey(user?: TestUser, differences: Differences = {}): Promise<WithPasskey> {
  const account = user ?? (await platform.signUp());
  const device = createPasskeyDevice(appUrl);
  const { body } = await begin(account.accessToken);
  const added = await add(account.accessToken, device.create(String(body.challenge), differences));
  return { user: account, device, added };
}

describe('adding a passkey', () => {
  it('makes log-ins ask for it, gives recovery codes, is recorded, and causes a mail', async () => {
    const { user, added } = await withPasskey();
    expect(added).toMatchObject({ status: 200, body: { passkey: { name: 'Phone', last_used_at: null } } });
    expect(added.body.recovery_codes).toHaveLength(10);
    expect(await auditOf(platform, added)).toMatchObject([{ action: 'MFA_CHANGED', note: 'passkey_added' }]);
    expect((await platform.lastMail(user.email)).text).toContain('A passkey was added');
    expect((await logIn(platform, user)).body).toMatchObject({
      status: 'mfa_required',
      methods: ['passkey', 'recovery_code'],
    });
    expect((await state(user.accessToken)).body).toMatchObject({
      ...{ totp_enabled_at: null, recovery_codes_left: 10, passkeys: [added.body.passkey] },
    });
  });

  it('is undone by the link "this was not me" of its mail, and older passkeys stay', async () => {
    const { user, device } = await withPasskey();
    await platform.database.sql`
      update security_mails set expires_at = created_at - interval '1 second' where user_id = ${user.userId}`;
    const { body: entered } = await enterBy(device.prove(await challenge()));
    const { device: foreign } = await withPasskey({ ...user, accessToken: String(entered.access_token) });
    expect((await enterBy(foreign.prove(await challenge()))).status).toBe(200);
    const { token } = await platform.lastMail(user.email);
    expect((await platform.json('POST', '/api/v1/auth/secure-account', { body: { token } })).status).toBe(200);
    expect(problem(await enterBy(foreign.prove(await challenge())))).toBe('400 invalid-passkey');
    expect((await enterBy(device.prove(await challenge()))).status).toBe(200);
  });

  it('tells the browser which passkeys the account has', async () => {
    const { user, device } = await withPasskey();
    expect((await begin(user.accessToken)).body).toMatchObject({
      ...{ rp_id: 'plumbline.example', user_name: user.email, exclude_credentials: [device.credentialId] },
    });
  });

  it('keeps the recovery codes of an account that has some', async () => {
    const { user } = await enroll(platform);
    const { added } = await withPasskey(user);
    expect(added.body.recovery_codes).toEqual([]);
    expect((await logIn(platform, user)).body.methods).toEqual(['passkey', 'totp', 'recovery_code']);
  });

  it.each<[string, Differences]>([
    ['of another origin', { origin: 'https://plumbline.example.attacker.example' }],
    ['of another host', { rpId: 'attacker.example' }],
    ['whose user was not verified', { userVerified: false }],
    ['that is a proof', { type: 'webauthn.get' }],
    ['with an attestation, whose certificates could make the server call any address', { format: 'packed' }],
  ])('refuses one %s', async (_what, differences) => {
    const { added } = await withPasskey(undefined, differences);
    expect(problem(added)).toBe('400 invalid-passkey');
  });

  it('refuses nonsense', async () => {
    const { accessToken: token } = await platform.signUp();
    const nonsense = { credential_id: 'AAAA', client_data_json: 'AAAA', attestation_object: 'AAAA' };
    expect(problem(await add(token, nonsense))).toBe('400 invalid-passkey');
  });

  it('accepts a challenge once, of the same session, for 10 minutes, and none of a log-in', async () => {
    const { accessToken: token } = await platform.signUp();
    const other = await platform.signUp();
    const device = createPasskeyDevice(appUrl);
    const ask = async (of: string): Promise<string> => String((await begin(of)).body.challenge);
    expect(problem(await add(token, device.create(await ask(other.accessToken))))).toBe('400 invalid-passkey');
    expect(problem(await add(token, device.create(await challenge())))).toBe('400 invalid-passkey');
    const used = await ask(token);
    expect((await add(token, device.create(used))).status).toBe(200);
    expect(problem(await add(token, createPasskeyDevice(appUrl).create(used)))).toBe('400 invalid-passkey');
    await platform.database.sql`update passkey_challenges set expires_at = now() - interval '1 second'`;
    const late = device.create(await ask(token));
    await platform.database.sql`update passkey_challenges set expires_at = now() - interval '1 second'`;
    expect(problem(await add(token, late))).toBe('400 invalid-passkey');
  });

  it('refuses the passkey of somebody else, and more than 20', async () => {
    const { device } = await withPasskey();
    const other = await platform.signUp();
    const token = other.accessToken;
    const { body } = await begin(token);
    expect(problem(await add(token, device.create(String(body.challenge))))).toBe('409 passkey-exists');
    await platform.database.sql`
      insert into passkeys (id, user_id, name, credential_id, public_key, counter, created_at)
      select gen_random_uuid(), ${other.userId}, 'x', 'full' || n, '', 0, now() from generate_series(1, 20) n`;
    await platform.database.sql`update refresh_tokens set second_factor_at = now() where user_id = ${other.userId}`;
    expect(problem((await withPasskey(other)).added)).toBe('409 too-many-passkeys');
  });

  it('needs a fresh proof, as deleting one does', async () => {
    const { user, device, added } = await withPasskey();
    const { body } = await begin(user.accessToken);
    platform.clock.advance(601);
    expect(problem(await begin(user.accessToken))).toBe('403 recent-login-required');
    const late = await add(user.accessToken, device.create(String(body.challenge)));
    expect(problem(late)).toBe('403 recent-login-required');
    const one = `${path}/${String(added.body.passkey.id)}`;
    const deletion = await platform.json('DELETE', one, { token: user.accessToken });
    expect(problem(deletion)).toBe('403 recent-login-required');
  });
});

describe('a passkey', () => {
  it('logs in without a password and without a code, once per challenge', async () => {
    const { user, device } = await withPasskey();
    const proof = device.prove(await challenge());
    const reply = await enterBy(proof);
    expect(reply).toMatchObject({ status: 200, body: { user: { id: user.userId, org_id: user.orgId } } });
    expect(await auditOf(platform, reply)).toMatchObject([{ action: 'LOGIN', note: 'by passkey' }]);
    expect((await state(String(reply.body.access_token))).body.passkeys[0].last_used_at).not.toBeNull();
    expect(problem(await enterBy(proof))).toBe('400 invalid-passkey');
  });

  it('is the second factor of a log-in by password, also while codes are locked', async () => {
    const { user } = await enroll(platform);
    const { device } = await withPasskey(user);
    const login = await logIn(platform, user);
    const body = { mfa_token: login.body.mfa_token };
    for (let count = 0; count < 5; count += 1) await verify(platform, { ...body, code: '000000' });
    const reply = await verify(platform, { ...body, passkey: device.prove(await challenge()) });
    expect(reply).toMatchObject({ status: 200, body: { user: { id: user.userId } } });
  });

  it('of somebody else does not count as the second factor', async () => {
    const { user } = await withPasskey();
    const attacker = await withPasskey();
    const login = await logIn(platform, user);
    const passkey = attacker.device.prove(await challenge());
    const reply = await verify(platform, { mfa_token: login.body.mfa_token, passkey });
    expect(problem(reply)).toBe('403 wrong-code');
  });

  it.each<[string, Differences]>([
    ['of another origin', { origin: 'https://attacker.example' }],
    ['of another host', { rpId: 'attacker.example' }],
    ['whose user was not verified', { userVerified: false }],
    ['that creates a passkey', { type: 'webauthn.create' }],
  ])('is refused with an answer %s', async (_what, differences) => {
    const { device } = await withPasskey();
    expect(problem(await enterBy(device.prove(await challenge(), differences)))).toBe('400 invalid-passkey');
  });

  it('is refused with the signature of another device', async () => {
    const { device } = await withPasskey();
    const forged = createPasskeyDevice(appUrl).prove(await challenge());
    expect(problem(await enterBy({ ...forged, credential_id: device.credentialId }))).toBe('400 invalid-passkey');
  });

  it('is refused when the counter of its device has not moved: it was copied', async () => {
    const { device } = await withPasskey(undefined, { counter: 5 });
    expect((await enterBy(device.prove(await challenge(), { counter: 6 }))).status).toBe(200);
    for (const counter of [6, 3, 0]) {
      expect(problem(await enterBy(device.prove(await challenge(), { counter })))).toBe('400 invalid-passkey');
    }
  });

  it('is refused to an account that is disabled', async () => {
    const { user, device } = await withPasskey();
    await platform.database.sql`update users set is_active = false where id = ${user.userId}`;
    expect(problem(await enterBy(device.prove(await challenge())))).toBe('400 invalid-passkey');
  });

  it('can be renamed and deleted by its holder alone', async () => {
    const { user, device, added } = await withPasskey();
    const other = await platform.signUp();
    const one = `${path}/${String(added.body.passkey.id)}`;
    const rename = { body: { name: ' Old phone ' } };
    expect(problem(await platform.json('PATCH', one, { ...rename, token: other.accessToken }))).toBe(
      '404 passkey-not-found',
    );
    expect(problem(await platform.json('DELETE', one, { token: other.accessToken }))).toBe('404 passkey-not-found');
    expect(await platform.json('PATCH', one, { ...rename, token: user.accessToken })).toMatchObject({
      ...{ status: 200, body: { name: 'Old phone' } },
    });
    const deletion = await platform.json('DELETE', one, { token: user.accessToken });
    expect(deletion.status).toBe(204);
    expect(await auditOf(platform, deletion)).toMatchObject([{ action: 'MFA_CHANGED', note: 'passkey_removed' }]);
    expect((await state(user.accessToken)).body).toEqual({
      ...{ totp_enabled_at: null, recovery_codes_left: 0, passkeys: [] },
    });
    expect(problem(await enterBy(device.prove(await challenge())))).toBe('400 invalid-passkey');
    expect((await logIn(platform, user)).body).toHaveProperty('access_token');
  });

  it('is part of the export of the account', async () => {
    const { user, added } = await withPasskey();
    const reply = await platform.json('POST', '/api/v1/auth/account-export', {
      ...{ token: user.accessToken, body: { current_password: user.password } },
    });
    expect(reply.body.second_factor).toMatchObject({ recovery_codes_left: 10, passkeys: [added.body.passkey] });
  });
});
