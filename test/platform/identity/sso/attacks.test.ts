import type { JWTPayload } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { problem } from '../providers/requests.js';
import { accountAt, beginSso, completeSso, connect, putSso, ssoAs, ssoRequest, startSsoStage } from './requests.js';

let stage: Awaited<ReturnType<typeof startSsoStage>>;
let domain: string;
beforeAll(async () => {
  stage = await startSsoStage(2);
  domain = await connect(stage, stage.owner);
});
beforeEach(() => {
  Object.assign(stage.issuer, { account: accountAt(domain), forge: null, fault: null });
});
afterAll(() => stage.stop());

/** An answer of the issuer that nobody has brought to the server. */
async function answered(): Promise<{ readonly cookie: string; readonly callback: URLSearchParams }> {
  const { url, cookie } = await beginSso(stage, stage.owner.orgId);
  return { cookie, callback: (await stage.issuer.authorize(url.href)).searchParams };
}

const complete = async (callback: URLSearchParams, cookie?: string): Promise<string> =>
  problem(await completeSso(stage, stage.owner.orgId, callback.toString(), cookie));

async function sessions(): Promise<number> {
  return (await stage.platform.database.sql`select 1 from sso_sessions`).length;
}

describe('the answer of the provider', () => {
  it('works once', async () => {
    const { callback, cookie } = await answered();
    expect(await complete(callback, cookie)).toContain('200');
    expect(await complete(callback, cookie)).toBe('400 invalid-login-attempt');
  });

  it('is refused without an attempt of this browser', async () => {
    const { callback } = await answered();
    const other = await beginSso(stage, stage.owner.orgId);
    expect(await complete(callback)).toBe('400 invalid-login-attempt');
    expect(await complete(callback, other.cookie)).toBe('400 invalid-login-attempt');
  });

  it('is refused if nobody has asked for it', async () => {
    const callback = new URLSearchParams({ code: 'a', state: 'b'.repeat(43), iss: stage.issuer.url });
    expect(await complete(callback)).toBe('400 invalid-login-attempt');
  });

  it('is refused if it names another issuer, and the code is sent to nobody', async () => {
    const { callback, cookie } = await answered();
    callback.set('iss', 'https://evil.example');
    const before = stage.issuer.requests.filter((path) => path === '/token').length;
    expect(await complete(callback, cookie)).toBe('400 provider-login-refused');
    expect(stage.issuer.requests.filter((path) => path === '/token')).toHaveLength(before);
  });

  it('is refused at another organization with the same provider', async () => {
    const [, other] = stage.owners;
    if (other === undefined) throw new Error('no second owner');
    await connect(stage, other);
    const { callback, cookie } = await answered();
    const reply = await completeSso(stage, other.orgId, callback.toString(), cookie);
    expect(problem(reply)).toBe('400 invalid-login-attempt');
    // An address that is verified for the one organization does not lead into the other.
    const account = accountAt(domain);
    expect(problem(await ssoAs(stage, other.orgId, account))).toBe('403 sso-not-admitted');
  });

  it('is refused with the code of another attempt, which its verifier does not fit', async () => {
    const [mine, theirs] = [await answered(), await answered()];
    mine.callback.set('code', theirs.callback.get('code') ?? '');
    expect(await complete(mine.callback, mine.cookie)).toBe('400 provider-login-refused');
  });

  it('is refused with a code that was redeemed', async () => {
    const first = await answered();
    await complete(first.callback, first.cookie);
    const second = await beginSso(stage, stage.owner.orgId);
    first.callback.set('state', second.url.searchParams.get('state') ?? '');
    expect(await complete(first.callback, second.cookie)).toBe('400 provider-login-refused');
  });

  it('says that the person has cancelled', async () => {
    const reply = await ssoAs(stage, stage.owner.orgId, null);
    expect(reply).toMatchObject({
      status: 400,
      body: { message: 'The log-in was cancelled at the identity provider.' },
    });
  });
});

describe('an ID token', () => {
  it.each<[string, (claims: JWTPayload) => JWTPayload]>([
    ['from another issuer', (claims) => ({ ...claims, iss: 'https://evil.example' })],
    ['for another client', (claims) => ({ ...claims, aud: 'another' })],
    ['with another nonce', (claims) => ({ ...claims, nonce: 'x' })],
    ['that has expired', (claims) => ({ ...claims, exp: 1_700_000_000 })],
    ['about somebody else than the UserInfo', (claims) => ({ ...claims, sub: 'another' })],
  ])('%s is refused', async (_what, forge) => {
    stage.issuer.forge = forge;
    const before = await sessions();
    const { callback, cookie } = await answered();
    expect(await complete(callback, cookie)).toBe('502 identity-provider-failed');
    expect(await sessions()).toBe(before);
  });

  it('that is signed with a new key is accepted at once', async () => {
    await ssoAs(stage, stage.owner.orgId, accountAt(domain));
    await stage.issuer.rotate();
    expect((await ssoAs(stage, stage.owner.orgId, accountAt(domain))).status).toBe(200);
  });
});

describe('an identity', () => {
  it.each([
    ['an unverified address', { email_verified: false }],
    ['an address without a word about it', { email_verified: undefined }],
    ['no address', { email: undefined }],
    ['an address of another domain', { email: 'robin@gmail.example' }],
    ['an address of a subdomain', { email: 'robin@sub.DOMAIN' }],
    ['an address with the domain in front of another one', { email: 'robin@DOMAIN.evil.example' }],
  ])('is refused with %s', async (_what, differences) => {
    const account = accountAt(domain, JSON.parse(JSON.stringify(differences).replace('DOMAIN', domain)) as object);
    const { email_verified: _verified, ...unsaid } = account;
    const chosen = 'email_verified' in differences && differences.email_verified === undefined ? unsaid : account;
    const { email: _email, ...nameless } = chosen;
    const sent = 'email' in differences && differences.email === undefined ? nameless : chosen;
    const before = await sessions();
    expect(problem(await ssoAs(stage, stage.owner.orgId, sent))).toBe('403 sso-not-admitted');
    expect(await sessions()).toBe(before);
  });

  it('logs in no more when the domain is given up', async () => {
    const [, other] = stage.owners;
    if (other === undefined) throw new Error('no second owner');
    const given = await connect(stage, other);
    const account = accountAt(given);
    expect((await ssoAs(stage, other.orgId, account)).status).toBe(200);
    await putSso(stage, other, ssoRequest(stage.issuer));
    expect(problem(await ssoAs(stage, other.orgId, account))).toBe('403 sso-not-admitted');
  });
});

describe('a log-in', () => {
  it.each(['https://evil.example/', '//evil.example', '/\\evil.example', 'javascript:alert(1)'])(
    'does not return to %j',
    async (page) => {
      const body = { return_to: page };
      const path = `/api/v1/auth/sso/${stage.owner.orgId}/start`;
      expect(problem(await stage.platform.json('POST', path, { body }))).toBe('422 validation-failed');
    },
  );

  it.each(['start', 'login', 'link'])('is refused to pages of other sites: %s', async (verb) => {
    const { platform, owner } = stage;
    const reply = await platform.json('POST', `/api/v1/auth/sso/${owner.orgId}/${verb}`, {
      body: verb === 'login' ? { callback: 'code=a&state=b' } : {},
      headers: { Origin: 'https://evil.example' },
      ...(verb === 'link' && { token: owner.accessToken }),
    });
    expect(problem(reply)).toBe('403 foreign-request');
  });

  it.each(['start', 'login', 'link'])('is not found for an organization without SSO: %s', async (verb) => {
    const { platform, owner } = stage;
    const body = verb === 'login' ? { callback: 'code=a&state=b' } : {};
    const token = owner.accessToken;
    const reply = await platform.json('POST', `/api/v1/auth/sso/${crypto.randomUUID()}/${verb}`, { body, token });
    expect(problem(reply)).toBe('404 sso-not-found');
  });

  it('that a provider initiates begins at the provider of the organization only', async () => {
    const { platform, owner, issuer } = stage;
    const path = `/api/v1/auth/sso/${owner.orgId}/start`;
    const foreign = await platform.json('POST', path, { body: { iss: 'https://evil.example' } });
    expect(problem(foreign)).toBe('404 sso-not-found');
    const own = await platform.json('POST', path, { body: { iss: issuer.url, login_hint: 'robin' } });
    expect(String(own.body.authorization_url)).toContain('login_hint=robin');
  });

  it.each(['start', 'link', 'login'])('reports a provider that has failed: %s', async (verb) => {
    const { platform, owner, issuer } = stage;
    const { callback, cookie } = await answered();
    issuer.fault = (_request, response) => {
      response.writeHead(503).end('overloaded');
      return true;
    };
    const fresh = await platform.signUp();
    const reply = await platform.json('POST', `/api/v1/auth/sso/${owner.orgId}/${verb}`, {
      body: verb === 'login' ? { callback: callback.toString() } : {},
      headers: { Cookie: cookie },
      ...(verb === 'link' && { token: fresh.accessToken }),
    });
    expect(problem(reply)).toBe('502 identity-provider-failed');
    expect(platform.logLines.join('')).not.toContain('a secret: with');
  });
});

describe('the metadata of an issuer', () => {
  it('cannot make the browser run a script', async () => {
    const { platform, owner, issuer } = stage;
    const url = `${issuer.url}/.well-known/openid-configuration`;
    const metadata: unknown = await (await fetch(url)).json();
    issuer.fault = (request, response) => {
      if (request.url !== '/.well-known/openid-configuration') return false;
      response.setHeader('Content-Type', 'application/json');
      response.end(JSON.stringify(Object.assign({}, metadata, { authorization_endpoint: 'javascript:alert(1)//' })));
      return true;
    };
    const reply = await platform.json('POST', `/api/v1/auth/sso/${owner.orgId}/start`, { body: {} });
    expect(problem(reply)).toBe('502 identity-provider-failed');
  });
});

describe('the address of an issuer', () => {
  it('is not called in networks that the operator has not allowed', async () => {
    const closed = await startSsoStage(1, { INTEGRATION_NETWORKS: '' });
    try {
      const named = closed.issuer.url.replace('127.0.0.1', 'localhost');
      const reply = await putSso(closed, closed.owner, ssoRequest(closed.issuer, { issuer: named }));
      expect(problem(reply)).toBe('502 identity-provider-failed');
      expect(closed.issuer.requests).toEqual([]);
    } finally {
      await closed.stop();
    }
  });
});

describe('an identity of a foreign organization that somebody links to an account', () => {
  it('is unlinked by the link "this was not me" of the mail about it', async () => {
    const { platform } = stage;
    const victim = await platform.signUp();
    const identity = accountAt(domain);
    const linked = await ssoAs(stage, stage.owner.orgId, identity, { token: victim.accessToken });
    expect(linked.status).toBe(200);
    expect((await ssoAs(stage, stage.owner.orgId, identity)).body.user).toMatchObject({ email: victim.email });
    const { token } = await platform.lastMail(victim.email);
    expect((await platform.json('POST', '/api/v1/auth/secure-account', { body: { token } })).status).toBe(200);
    expect((await ssoAs(stage, stage.owner.orgId, identity)).body.user).not.toMatchObject({ email: victim.email });
  });
});
