import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestPlatform, type JsonReply, type TestPlatform } from '../../../support/platform.js';
import { me, refresh, simultaneously } from '../auth/requests.js';
import { auditOf, storedRefreshTokens } from '../auth/stored.js';

const path = '/api/v1/auth/browser-session';
const own = { 'X-Plumbline-Browser': '1' };
const invalid = { status: 401, body: { type: '/problems/invalid-refresh-token' } };
const reused = { status: 401, body: { type: '/problems/refresh-token-reused' } };
const foreign = { status: 403, body: { type: '/problems/foreign-request' } };

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startTestPlatform();
});
afterAll(() => platform.stop());

type Headers = Readonly<Record<string, string>>;

function start(token: string, headers: Headers = {}): Promise<JsonReply> {
  return platform.json('POST', path, { body: { refresh_token: token }, headers });
}

function renew(cookie: string, headers: Headers = own): Promise<JsonReply> {
  return platform.json('POST', `${path}/refresh`, { headers: { Cookie: cookie, ...headers } });
}

function end(cookie: string, headers: Headers = {}): Promise<JsonReply> {
  return platform.json('DELETE', path, { headers: { Cookie: cookie, ...headers } });
}

/** The cookie that a renewal sets. */
async function cookieAfter(cookie: string): Promise<string> {
  return cookieOf(await renew(cookie));
}

/** `name=value` of the cookie that a reply sets. */
function cookieOf({ headers }: JsonReply): string {
  return headers.get('Set-Cookie')?.split(';')[0] ?? '';
}

/** Two JWTs for one stored token differ in their signature. */
function jtiOf(cookie: string): unknown {
  return decodeJwt(cookie.replace(/^\w+=/, '')).jti;
}

async function browser(): Promise<{ userId: string; orgId: string; cookie: string; accessToken: string }> {
  const { refreshToken, userId, orgId } = await platform.signUp();
  const started = await start(refreshToken);
  expect(started.status).toBe(200);
  return { userId, orgId, cookie: cookieOf(started), accessToken: String(started.body.access_token) };
}

async function revocations(userId: string): Promise<readonly unknown[]> {
  return (await storedRefreshTokens(platform, userId)).map((each) => each.revocation_reason);
}

describe('a browser session', () => {
  it('leaves no record in the audit log when it starts and when it is refreshed', async () => {
    const { refreshToken } = await platform.signUp();
    const started = await start(refreshToken);
    const renewed = await renew(cookieOf(started));
    const replayed = await renew(cookieOf(started));
    for (const reply of [started, renewed, replayed]) {
      expect(reply.status).toBe(200);
      expect(await auditOf(platform, reply)).toEqual([]);
    }
  });

  it('keeps the refresh token in a cookie, and out of the reply', async () => {
    const user = await platform.signUp();
    const reply = await start(user.refreshToken);
    expect(reply).toMatchObject({ status: 200, body: { token_type: 'bearer', user: { id: user.userId } } });
    expect(reply.body).not.toHaveProperty('refresh_token');
    expect(reply.headers.get('Set-Cookie')).toMatch(
      /^plumbline_session=[\w.-]+; Path=\/api\/v1\/auth\/browser-session; Max-Age=604800; HttpOnly; SameSite=Strict$/,
    );
    expect((await me(platform, String(reply.body.access_token))).status).toBe(200);
  });

  it('continues the session of the login, whose refresh token is used', async () => {
    const user = await platform.signUp({ organization: null });
    const { body } = await start(user.refreshToken);
    expect(decodeJwt(String(body.access_token))['sid']).toBe(decodeJwt(user.accessToken)['sid']);
    platform.clock.advance(11);
    expect(await refresh(platform, user.refreshToken)).toMatchObject(reused);
    expect((await me(platform, String(body.access_token))).status).toBe(401);
  });

  it('is renewed from the cookie, which changes each time', async () => {
    const { cookie, orgId } = await browser();
    const first = await renew(cookie);
    expect(first).toMatchObject({ status: 200, body: { user: { org_id: orgId } } });
    const second = await renew(cookieOf(first));
    expect(second.status).toBe(200);
    expect(new Set([cookie, cookieOf(first), cookieOf(second)].map(jtiOf)).size).toBe(3);
    expect((await me(platform, String(second.body.access_token))).status).toBe(200);
  });

  it('has a Secure cookie where the pages are served over https', async () => {
    const secure = await startTestPlatform({ environment: { APP_BASE_URL: 'https://app.example.com' } });
    const user = await secure.signUp({ organization: null });
    const started = await secure.json('POST', path, { body: { refresh_token: user.refreshToken } });
    const ended = await secure.json('DELETE', path);
    for (const reply of [started, ended]) expect(reply.headers.get('Set-Cookie')).toMatch(/; Secure$/);
    // A proxy that changes `Host`: the page is of APP_BASE_URL.
    const headers = { ...own, Cookie: cookieOf(started), Origin: 'https://app.example.com' };
    expect((await secure.json('POST', `${path}/refresh`, { headers })).status).toBe(200);
    await secure.stop();
  });

  it('is not started or renewed by an invalid refresh token', async () => {
    const user = await platform.signUp({ organization: null });
    expect(await start('nonsense')).toMatchObject(invalid);
    expect(await start(user.accessToken)).toMatchObject(invalid);
    expect(await renew('plumbline_session=nonsense')).toMatchObject(invalid);
    expect(await platform.json('POST', `${path}/refresh`, { headers: own })).toMatchObject(invalid);
  });

  it('is found among other values of its cookie, which another site of the domain can add', async () => {
    const { userId, cookie } = await browser();
    const ended = await browser();
    expect((await end(ended.cookie)).status).toBe(204);
    let good = cookie;
    for (const added of ['plumbline_session=x', 'plumbline_session=', ended.cookie]) {
      for (const order of [(other: string) => `${good}; ${other}`, (other: string) => `${other}; ${good}`]) {
        const reply = await renew(order(added));
        expect(reply).toMatchObject({ status: 200, body: { user: { id: userId } } });
        good = cookieOf(reply);
      }
    }
    expect((await end(`plumbline_session=x; ${good}`)).status).toBe(204);
    expect(await revocations(userId)).toContain('logout');
  });

  it('ignores tokens of several live sessions, of which one is added by another site of the domain', async () => {
    const [{ userId, cookie }, { userId: otherId, cookie: added }] = [await browser(), await browser()];
    for (const both of [`${cookie}; ${added}`, `${added}; ${cookie}`]) {
      expect(await renew(both)).toMatchObject(invalid);
      expect((await end(both)).status).toBe(204);
    }
    for (const id of [userId, otherId]) expect(await revocations(id)).not.toContain('logout');
    expect(await renew(`${cookie}; ${cookie}`)).toMatchObject({ status: 200, body: { user: { id: userId } } });
  });

  it('refuses a cookie that is too long', async () => {
    const violations = [{ path: '/cookie/plumbline_session', rule: 'maxLength' }];
    const cookie = `plumbline_session=${'a'.repeat(4097)}`;
    for (const reply of [await renew(cookie), await end(cookie)]) {
      expect(reply).toMatchObject({ status: 422, body: { violations } });
    }
  });

  it('ends with its last day, when nobody uses it', async () => {
    const { cookie } = await browser();
    platform.clock.advance(7 * 86_400);
    expect(await renew(cookie)).toMatchObject(invalid);
  });

  it('continues after a switch of its organization, with the new refresh token', async () => {
    const { userId, orgId, accessToken, cookie } = await browser();
    const body = { org_id: orgId };
    const switched = await platform.json('POST', '/api/v1/auth/switch-org', { token: accessToken, body });
    const next = await start(String(switched.body.refresh_token), { Cookie: cookie });
    expect(next).toMatchObject({ status: 200, body: { user: { id: userId, org_id: orgId } } });
    platform.clock.advance(3600);
    expect((await renew(cookieOf(next))).status).toBe(200);
  });

  it('survives another tab that renews it during a switch of its organization', async () => {
    const { orgId, accessToken, cookie } = await browser();
    const body = { org_id: orgId };
    const switched = await platform.json('POST', '/api/v1/auth/switch-org', { token: accessToken, body });
    const otherTab = await renew(cookie);
    expect(jtiOf(cookieOf(otherTab))).toBe(decodeJwt(String(switched.body.refresh_token)).jti);
    const again = await renew(cookieOf(otherTab));
    const started = await start(String(switched.body.refresh_token));
    expect(jtiOf(cookieOf(started))).toBe(jtiOf(cookieOf(again)));
  });
});

describe('a refresh token that is not of a browser session', () => {
  it('has no grace period when it is reused to start one: it ends its session', async () => {
    const user = await platform.signUp({ organization: null });
    const { body } = await refresh(platform, user.refreshToken);
    expect(await start(user.refreshToken)).toMatchObject(reused);
    expect((await me(platform, String(body.access_token))).status).toBe(401);
    expect(await revocations(user.userId)).toEqual(['rotated', 'reuse']);
  });

  it('is refused in the cookie, and stays usable outside of it', async () => {
    const user = await platform.signUp({ organization: null });
    expect(await renew(`plumbline_session=${user.refreshToken}`)).toMatchObject(invalid);
    expect((await refresh(platform, user.refreshToken)).status).toBe(200);
  });

  it('ends its session when it is reused in the cookie', async () => {
    const user = await platform.signUp({ organization: null });
    await refresh(platform, user.refreshToken);
    expect(await renew(`plumbline_session=${user.refreshToken}`)).toMatchObject(reused);
  });

  it('starts the session again when the reply with the cookie was lost', async () => {
    const user = await platform.signUp({ organization: null });
    const first = await start(user.refreshToken);
    platform.clock.advance(86_400);
    const second = await start(user.refreshToken);
    expect(second.status).toBe(200);
    expect(jtiOf(cookieOf(second))).toBe(jtiOf(cookieOf(first)));
  });
});

describe('the refresh token of a browser session', () => {
  const tokenIn = (cookie: string): string => cookie.replace('plumbline_session=', '');

  it('is refused outside of the cookie, and stays usable in it', async () => {
    const { cookie } = await browser();
    expect(await refresh(platform, tokenIn(cookie))).toMatchObject(invalid);
    expect((await renew(cookie)).status).toBe(200);
  });

  it('is refused after a switch of organization, until it is in the cookie', async () => {
    const { orgId, accessToken } = await browser();
    const body = { org_id: orgId };
    const switched = await platform.json('POST', '/api/v1/auth/switch-org', { token: accessToken, body });
    expect(await refresh(platform, switched.body.refresh_token)).toMatchObject(invalid);
    expect((await start(String(switched.body.refresh_token))).status).toBe(200);
  });

  it('has no grace period outside of the cookie, even if other refresh tokens have one', async () => {
    const lenient = await startTestPlatform({ environment: { AUTH_REFRESH_REUSE_GRACE: '30' } });
    const user = await lenient.signUp({ organization: null });
    const started = await lenient.json('POST', path, { body: { refresh_token: user.refreshToken } });
    const replies = [await refresh(lenient, user.refreshToken), await refresh(lenient, tokenIn(cookieOf(started)))];
    for (const reply of replies) expect(reply).toMatchObject(reused);
    await lenient.stop();
  });
});

describe('a cookie that is reused', () => {
  it('gives the same successor again until that is used, however long its reply was lost', async () => {
    const { cookie, userId } = await browser();
    const first = await renew(cookie);
    platform.clock.advance(6 * 86_400);
    const second = await renew(cookie);
    expect(second.status).toBe(200);
    expect(jtiOf(cookieOf(second))).toBe(jtiOf(cookieOf(first)));
    expect(await revocations(userId)).toContain(null);
    expect((await renew(cookieOf(second))).status).toBe(200);
  });

  it('gives all of twenty tabs at once the same successor', async () => {
    const { cookie } = await browser();
    const replies = await simultaneously(20, () => renew(cookie));
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(replies.map((reply) => jtiOf(cookieOf(reply)))).size).toBe(1);
  });

  it('ends the session when its successor was used, and is recorded once', async () => {
    const { cookie, userId } = await browser();
    const next = await renew(await cookieAfter(cookie));
    const reply = await renew(cookie);
    expect(reply).toMatchObject(reused);
    expect(await auditOf(platform, reply)).toMatchObject([{ action: 'REFRESH_TOKEN_REUSED', user_id: userId }]);
    const again = await renew(cookieOf(next));
    expect(again).toMatchObject(reused);
    expect(await auditOf(platform, again)).toEqual([]);
    expect((await me(platform, String(next.body.access_token))).status).toBe(401);
  });

  it('does not restore a revoked session, and has no grace period then', async () => {
    const { cookie, accessToken } = await browser();
    const next = await renew(cookie);
    expect((await platform.json('DELETE', '/api/v1/auth/sessions', { token: accessToken })).status).toBe(204);
    expect(await renew(cookie)).toMatchObject(reused);
    expect(await renew(cookieOf(next))).toMatchObject(reused);
    expect(await start(cookieOf(next).replace('plumbline_session=', ''))).toMatchObject(reused);
  });
});

describe('a log-out of the browser', () => {
  it('ends the session, clears the cookie and is recorded', async () => {
    const { cookie, accessToken, userId } = await browser();
    const reply = await end(cookie);
    expect(reply.status).toBe(204);
    expect(reply.headers.get('Set-Cookie')).toBe(
      'plumbline_session=; Path=/api/v1/auth/browser-session; Max-Age=0; HttpOnly; SameSite=Strict',
    );
    expect((await me(platform, accessToken)).status).toBe(401);
    expect((await revocations(userId)).at(-1)).toBe('logout');
    expect(await auditOf(platform, reply)).toMatchObject([{ action: 'LOGOUT', user_id: userId, status: 'success' }]);
    expect(await renew(cookie)).toMatchObject(reused);
  });

  it('gets the same reply without a valid cookie, and is not recorded', async () => {
    const { cookie } = await browser();
    await end(cookie);
    for (const reply of [
      await end(cookie),
      await end('plumbline_session=nonsense'),
      await platform.json('DELETE', path),
    ]) {
      expect(reply.status).toBe(204);
      expect(reply.headers.get('Set-Cookie')).toContain('Max-Age=0');
      expect(await auditOf(platform, reply)).toEqual([]);
    }
  });
});

describe('a page of another site', () => {
  const pages: readonly (readonly [string, Headers])[] = [
    ['of another site', { 'Sec-Fetch-Site': 'cross-site' }],
    ['of another port or subdomain', { 'Sec-Fetch-Site': 'same-site' }],
    ['whose browser sends the origin alone', { Origin: 'https://evil.example.com' }],
    ['that hides its origin', { Origin: 'null' }],
    ['of another port by its origin', { Origin: 'http://127.0.0.1:1' }],
  ];

  it.each(pages)('%s can use none of the operations', async (_page, headers) => {
    const { cookie, accessToken } = await browser();
    const other = await platform.signUp({ organization: null });
    expect(await start(other.refreshToken, headers)).toMatchObject(foreign);
    expect(await renew(cookie, { ...own, ...headers })).toMatchObject(foreign);
    expect(await end(cookie, headers)).toMatchObject(foreign);
    expect((await me(platform, accessToken)).status).toBe(200);
    expect((await renew(cookie)).status).toBe(200);
  });

  it.each([{}, { 'X-Plumbline-Browser': '' }, { 'X-Plumbline-Browser': '0' }])(
    'cannot renew the session without the header: %j',
    async (headers) => {
      const { cookie } = await browser();
      expect(await renew(cookie, headers)).toMatchObject(foreign);
    },
  );

  it('is refused for an origin in another spelling', async () => {
    const { cookie } = await browser();
    const headers = { Cookie: cookie, ...own, 'Sec-Fetch-Site': 'cross-site' };
    const reply = await platform.json('POST', '/api/v1/auth/browser%2Dsession/refresh', { headers });
    expect([403, 404]).toContain(reply.status);
  });

  it('is distinguished from a page of the console and from the address bar', async () => {
    const { cookie } = await browser();
    const first = await renew(cookie, { ...own, 'Sec-Fetch-Site': 'same-origin', Origin: platform.url });
    expect(first.status).toBe(200);
    expect((await renew(cookieOf(first), { ...own, 'Sec-Fetch-Site': 'none' })).status).toBe(200);
  });
});
