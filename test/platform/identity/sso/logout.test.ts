import type { JWTPayload } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { issuerClient } from '../../../support/issuer.js';
import type { JsonReply } from '../../../support/platform.js';
import { me, refresh } from '../auth/requests.js';
import { enroll, verify } from '../mfa/requests.js';
import { accountAt, connect, ssoAs, startSsoStage } from './requests.js';

let stage: Awaited<ReturnType<typeof startSsoStage>>;
let domain: string;
beforeAll(async () => {
  stage = await startSsoStage();
  domain = await connect(stage, stage.owner);
});
beforeEach(() => {
  Object.assign(stage.issuer, { fault: null, forge: null });
});
afterAll(() => stage.stop());

const event = { 'http://schemas.openid.net/event/backchannel-logout': {} };

/** The claims of a logout token of the issuer. */
function claims(differences: Readonly<Record<string, unknown>> = {}): JWTPayload {
  const now = Math.floor(stage.platform.clock.now().getTime() / 1000);
  const common = { iss: stage.issuer.url, aud: issuerClient.id, iat: now, exp: now + 120, jti: crypto.randomUUID() };
  return { ...common, events: event, ...differences };
}

async function send(body: string): Promise<string> {
  const { platform, owner } = stage;
  const reply = await platform.fetch(`${platform.url}/api/v1/auth/sso/${owner.orgId}/logout`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body,
  });
  const text = await reply.text();
  const problem: unknown = text === '' ? {} : JSON.parse(text);
  return `${reply.status} ${String(Object(problem).type ?? '').replace('/problems/', '')}`.trim();
}

const sendToken = async (token: JWTPayload): Promise<string> =>
  send(`logout_token=${await stage.issuer.sign(token, 'logout+jwt')}`);

const isAlive = async ({ body }: JsonReply): Promise<boolean> =>
  (await me(stage.platform, String(body.access_token))).status === 200;

describe('a log-out at the provider', () => {
  it('ends the session that it names, and no other one', async () => {
    const { owner, issuer, platform } = stage;
    const account = accountAt(domain);
    const sids: string[] = [];
    issuer.forge = (token) => {
      sids.push(String(token['sid']));
      return token;
    };
    const [first, second] = [await ssoAs(stage, owner.orgId, account), await ssoAs(stage, owner.orgId, account)];
    await issuer.logOut(account.sub, sids[0] ?? '');
    expect([await isAlive(first), await isAlive(second)]).toEqual([false, true]);
    expect((await refresh(platform, String(first.body.refresh_token))).status).toBe(401);
    const records = await platform.database.sql`
      select 1 from audit_log where org_id = ${owner.orgId} and action = 'SESSION_REVOKED'
        and user_id = ${String(first.body.user.id)} and note = 'logged out at the identity provider'`;
    expect(records).toHaveLength(1);
  });

  it('ends all sessions of an account that it names without a session', async () => {
    const { owner } = stage;
    const [account, other] = [accountAt(domain), accountAt(domain)];
    const sessions = [await ssoAs(stage, owner.orgId, account), await ssoAs(stage, owner.orgId, account)];
    const foreign = await ssoAs(stage, owner.orgId, other);
    expect(await sendToken(claims({ sub: account.sub }))).toBe('204');
    expect(await Promise.all([...sessions, foreign].map(isAlive))).toEqual([false, false, true]);
  });

  it('ends a log-in that waits for the second factor', async () => {
    const { platform, owner } = stage;
    const [account, other] = [accountAt(domain), accountAt(domain)];
    const statuses: number[] = [];
    for (const { email, sub } of [account, other]) {
      const user = await platform.signUp({ email, invitedBy: owner });
      const { nextCode } = await enroll(platform, user);
      const awaited = await ssoAs(stage, owner.orgId, accountAt(domain, { email, sub }));
      expect(awaited.body).toMatchObject({ status: 'mfa_required' });
      expect(await sendToken(claims({ sub: account.sub }))).toBe('204');
      const request = { mfa_token: awaited.body.mfa_token, code: nextCode() };
      statuses.push((await verify(platform, request)).status);
    }
    expect(statuses).toEqual([400, 200]);
  });

  it('leaves sessions of the account that did not begin by SSO', async () => {
    const { platform, owner } = stage;
    const user = await platform.signUp({ email: accountAt(domain).email, invitedBy: owner });
    const account = accountAt(domain, { email: user.email });
    await ssoAs(stage, owner.orgId, account);
    expect(await sendToken(claims({ sub: account.sub }))).toBe('204');
    expect((await me(platform, user.accessToken)).status).toBe(200);
  });

  it('is accepted once', async () => {
    const token = claims({ sub: 'somebody' });
    expect(await sendToken(token)).toBe('204');
    expect(await sendToken(token)).toBe('400 invalid-logout-token');
  });
});

describe('a logout token', () => {
  it.each<[string, Readonly<Record<string, unknown>>]>([
    ['of another issuer', { iss: 'https://evil.example' }],
    ['for another client', { aud: 'another' }],
    ['that has expired', { exp: 1_700_000_000 }],
    ['without an expiry', { exp: undefined }],
    ['without an id', { jti: undefined }],
    ['without the event', { events: { 'http://schemas.openid.net/event/another': {} } }],
    ['whose event is not an object', { events: { 'http://schemas.openid.net/event/backchannel-logout': true } }],
    ['with a nonce, as ID tokens have', { nonce: 'a' }],
    ['about nobody', { sub: undefined }],
    ['whose account is not a text', { sub: 7 }],
    ['whose account has the character U+0000', { sub: 'a\0b' }],
    ['whose session has the character U+0000', { sid: 'a\0b' }],
    ['whose session is too long', { sid: 'a'.repeat(1025) }],
    ['that expires after the year 9999', { exp: 253_402_300_800 }],
  ])('%s is refused', async (_what, differences) => {
    expect(await sendToken(claims({ sub: 'somebody', ...differences }))).toBe('400 invalid-logout-token');
  });

  it('that is not signed claims is refused', async () => {
    expect(await send('logout_token=a.b.c')).toBe('400 invalid-logout-token');
  });

  it.each(['logout_token=', 'another=a', 'logout_token=a&logout_token=b', '{"logout_token":"a"}'])(
    'is not in the form %j',
    async (body) => {
      expect(await send(body)).toBe('422 validation-failed');
    },
  );

  it('may come with other values, which are ignored', async () => {
    const token = await stage.issuer.sign(claims({ sub: 'somebody' }), 'logout+jwt');
    expect(await send(`a=b&logout_token=${token}&a=c&__proto__=d`)).toBe('204');
  });

  it('that nobody has signed is refused', async () => {
    const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
    const unsigned = `${encode({ alg: 'none' })}.${encode(claims({ sub: 'somebody' }))}.`;
    expect(await send(`logout_token=${unsigned}`)).toBe('400 invalid-logout-token');
  });

  it('that is signed with a new key of the issuer is accepted at once', async () => {
    await stage.issuer.rotate();
    expect(await sendToken(claims({ sub: 'somebody' }))).toBe('204');
  });

  it('is not judged while the keys cannot be read', async () => {
    for (const path of ['/.well-known/openid-configuration', '/jwks']) {
      stage.issuer.fault = (request, response) => {
        if (request.url !== path) return false;
        response.writeHead(503).end();
        return true;
      };
      expect(await sendToken(claims({ sub: 'somebody' }))).toBe('502 identity-provider-failed');
    }
  });
});
