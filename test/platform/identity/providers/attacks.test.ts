import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT, type JWTPayload } from 'jose';
import { issuerClient, startIssuer, type Issuer } from '../../../support/issuer.js';
import type { TestPlatform } from '../../../support/platform.js';
import { simultaneously } from '../auth/requests.js';
import {
  appBaseUrl,
  begin,
  complete,
  goesTo,
  logInAs,
  newAccount,
  problem,
  redirectUriOf,
  startPlatformFor,
  type StartedLogin,
} from './requests.js';

const clientSecret = new TextEncoder().encode(issuerClient.secret);

let issuer: Issuer;
let platform: TestPlatform;
beforeAll(async () => {
  issuer = await startIssuer([redirectUriOf('oidc'), redirectUriOf('gitlab')]);
  platform = await startPlatformFor(issuer);
});
beforeEach(() => {
  Object.assign(issuer, { account: newAccount(), forge: null, signInstead: null, fault: null });
});
afterAll(async () => {
  await platform.stop();
  await issuer.stop();
});

/** An answer of the issuer that nobody has brought to the server. */
async function answered(): Promise<StartedLogin & { readonly callback: URLSearchParams }> {
  const started = await begin(platform);
  return { ...started, callback: (await issuer.authorize(started.url.href)).searchParams };
}

async function sessions(): Promise<number> {
  const rows = await platform.database.sql`select 1 from refresh_tokens`;
  return rows.length;
}

describe('the callback', () => {
  it('names the issuer, and is refused if it names another one', async () => {
    const { callback, cookie } = await answered();
    expect(callback.get('iss')).toBe(issuer.url);
    callback.set('iss', 'https://evil.example');
    const before = [await sessions(), issuer.requests.filter((path) => path === '/token').length];
    expect(problem(await complete(platform, callback.toString(), { cookie }))).toBe('400 provider-login-refused');
    expect([await sessions(), issuer.requests.filter((path) => path === '/token').length]).toEqual(before);
  });

  it('is refused without the name of an issuer that always sends it', async () => {
    const { callback, cookie } = await answered();
    callback.delete('iss');
    expect(problem(await complete(platform, callback.toString(), { cookie }))).toBe('400 provider-login-refused');
  });

  it('works once', async () => {
    const { callback, cookie } = await answered();
    expect((await complete(platform, callback.toString(), { cookie })).status).toBe(200);
    expect(problem(await complete(platform, callback.toString(), { cookie }))).toBe('400 invalid-login-attempt');
  });

  it('works once of ten times at once', async () => {
    const { callback, cookie } = await answered();
    const replies = await simultaneously(10, () => complete(platform, callback.toString(), { cookie }));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(replies.filter(({ status }) => status === 400)).toHaveLength(9);
  });

  it('is refused without the cookie, and with that of another browser, and then still works', async () => {
    const { callback, cookie } = await answered();
    const other = await begin(platform);
    for (const headers of [{}, { cookie: other.cookie }, { cookie: '__Host-plumbline_login=x' }]) {
      expect(problem(await complete(platform, callback.toString(), headers))).toBe('400 invalid-login-attempt');
    }
    expect((await complete(platform, callback.toString(), { cookie })).status).toBe(200);
  });

  it('is found among cookies that a sibling domain has planted', async () => {
    const { callback, cookie } = await answered();
    const planted = (await begin(platform)).cookie;
    const both = `${planted}; ${cookie}`;
    expect((await complete(platform, callback.toString(), { cookie: both })).status).toBe(200);
  });

  it('is refused with another state', async () => {
    const { callback, cookie } = await answered();
    callback.set('state', 'x'.repeat(43));
    expect(problem(await complete(platform, callback.toString(), { cookie }))).toBe('400 invalid-login-attempt');
    callback.delete('state');
    expect(problem(await complete(platform, callback.toString(), { cookie }))).toBe('400 invalid-login-attempt');
  });

  it('is refused after 10 minutes', async () => {
    const { callback, cookie } = await answered();
    platform.clock.advance(601);
    expect(problem(await complete(platform, callback.toString(), { cookie }))).toBe('400 invalid-login-attempt');
  });

  it.each(['code=a&code=b', 'error=access_denied&error=x', '', 'response=a.b.c'])(
    'is refused as %j',
    async (injected) => {
      const { url, cookie } = await begin(platform);
      const state = url.searchParams.get('state') ?? '';
      const reply = await complete(platform, `${injected}&state=${state}&iss=${encodeURIComponent(issuer.url)}`, {
        cookie,
      });
      expect(problem(reply)).toBe('400 provider-login-refused');
    },
  );

  it('is refused with the code of another attempt, which its verifier does not fit', async () => {
    const [mine, theirs] = [await answered(), await answered()];
    mine.callback.set('code', theirs.callback.get('code') ?? '');
    const before = await sessions();
    const reply = await complete(platform, mine.callback.toString(), { cookie: mine.cookie });
    expect(problem(reply)).toBe('400 provider-login-refused');
    expect(await sessions()).toBe(before);
  });

  it('is refused with a code that the issuer has redeemed', async () => {
    const first = await answered();
    await complete(platform, first.callback.toString(), { cookie: first.cookie });
    const second = await begin(platform);
    first.callback.set('state', second.url.searchParams.get('state') ?? '');
    const reply = await complete(platform, first.callback.toString(), { cookie: second.cookie });
    expect(problem(reply)).toBe('400 provider-login-refused');
  });
});

describe('the attempt for one provider', () => {
  it('is invalid at another one', async () => {
    const both = await startPlatformFor(issuer, {
      AUTH_GITLAB_URL: issuer.url,
      AUTH_GITLAB_CLIENT_ID: 'plumbline',
      AUTH_GITLAB_CLIENT_SECRET: 'a secret: with % & signs',
    });
    try {
      const { url, cookie } = await begin(both);
      const callback = (await issuer.authorize(url.href)).search.slice(1);
      const reply = await complete(both, callback, { cookie, provider: 'gitlab' });
      expect(problem(reply)).toBe('400 invalid-login-attempt');
      expect((await complete(both, callback, { cookie })).status).toBe(200);
      // The redirect addresses differ, so that a provider cannot pass as another one.
      expect((await begin(both, { provider: 'gitlab' })).url.searchParams.get('redirect_uri')).toBe(
        redirectUriOf('gitlab'),
      );
    } finally {
      await both.stop();
    }
  });
});

describe('an ID token', () => {
  it.each<[string, (claims: JWTPayload) => JWTPayload]>([
    ['from another issuer', (claims) => ({ ...claims, iss: 'https://evil.example' })],
    ['for another client', (claims) => ({ ...claims, aud: 'another' })],
    ['for several clients, of another one', (claims) => ({ ...claims, aud: ['plumbline', 'b'], azp: 'b' })],
    ['with another nonce', (claims) => ({ ...claims, nonce: 'x' })],
    ['without a nonce', ({ nonce: _nonce, ...claims }) => claims],
    ['that has expired', (claims) => ({ ...claims, exp: 1_700_000_000 })],
    ['about somebody else than the UserInfo', (claims) => ({ ...claims, sub: 'another' })],
    ['without a subject', ({ sub: _sub, ...claims }) => claims],
  ])('%s is refused', async (_what, forge) => {
    issuer.forge = forge;
    const { callback, cookie } = await answered();
    const before = await sessions();
    const reply = await complete(platform, callback.toString(), { cookie });
    expect(problem(reply)).toBe('502 identity-provider-failed');
    expect(await sessions()).toBe(before);
  });

  it.each<[string, NonNullable<Issuer['signInstead']>]>([
    ['that is not signed', (claims) => new UnsecuredJWT(claims).encode()],
    [
      'that was signed with the secret of the client',
      (claims, kid) => new SignJWT(claims).setProtectedHeader({ alg: 'HS256', kid }).sign(clientSecret),
    ],
    [
      'that was signed with another key under the id of the right one',
      async (claims, kid) => {
        const { privateKey } = await generateKeyPair('RS256');
        return new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid }).sign(privateKey);
      },
    ],
    [
      'that brings its key',
      async (claims) => {
        const { privateKey, publicKey } = await generateKeyPair('RS256');
        const jwk = await exportJWK(publicKey);
        return new SignJWT(claims).setProtectedHeader({ alg: 'RS256', jwk }).sign(privateKey);
      },
    ],
  ])('%s is refused', async (_what, sign) => {
    issuer.signInstead = sign;
    const { callback, cookie } = await answered();
    const before = await sessions();
    const reply = await complete(platform, callback.toString(), { cookie });
    expect(problem(reply)).toBe('502 identity-provider-failed');
    expect(await sessions()).toBe(before);
  });

  it('that was signed with a key of nobody is refused', async () => {
    const { callback, cookie } = await answered();
    issuer.fault = (request, response) => {
      if (!goesTo(request, '/jwks')) return false;
      response.setHeader('Content-Type', 'application/json');
      response.end('{"keys":[]}');
      return true;
    };
    const reply = await complete(platform, callback.toString(), { cookie });
    expect(problem(reply)).toBe('502 identity-provider-failed');
  });

  it('that was signed with the new key of the issuer is accepted at once', async () => {
    await logInAs(platform, issuer, newAccount());
    await issuer.rotate();
    expect((await logInAs(platform, issuer, newAccount())).status).toBe(200);
  });
});

describe('a provider', () => {
  it('that the person cancels at is named', async () => {
    const reply = await logInAs(platform, issuer, null);
    expect(reply).toMatchObject({ status: 400, body: { message: 'The log-in was cancelled at Example SSO.' } });
  });

  it.each(['/token', '/me', '/.well-known/openid-configuration', '/jwks'])(
    'that fails at %s is 502, and no secret is logged',
    async (path) => {
      const { callback, cookie } = await answered();
      for (const [status, type, body] of [
        [500, 'text/html', '<h1>error</h1>'],
        [200, 'application/json', '{"id_token":"secret-in-reply","access_token":['],
        [200, 'application/json', `"${'x'.repeat(1_100_000)}"`],
      ] as const) {
        issuer.fault = (request, response) => {
          if (!goesTo(request, path)) return false;
          response.writeHead(status, { 'Content-Type': type }).end(body);
          return true;
        };
        const next = status === 500 ? { callback, cookie } : await answeredBefore(path);
        const reply = await complete(platform, next.callback.toString(), { cookie: next.cookie });
        expect(problem(reply)).toBe('502 identity-provider-failed');
      }
      const log = platform.logLines.join('\n');
      expect(log).toContain('a log-in with an identity provider has failed');
      for (const secret of [
        'secret-in-reply',
        callback.get('code') ?? '?',
        'a secret: with',
        cookie.split('=')[1] ?? '?',
      ]) {
        expect(log).not.toContain(secret);
      }
    },
  );

  it('that names its error in a challenge too, as GitLab does, refuses the code', async () => {
    const { callback, cookie } = await answered();
    issuer.fault = (request, response) => {
      if (!goesTo(request, '/token')) return false;
      const challenge = 'Bearer realm="Doorkeeper", error="invalid_grant", error_description="It was used."';
      response.writeHead(400, { 'Content-Type': 'application/json', 'WWW-Authenticate': challenge });
      response.end('{"error":"invalid_grant","error_description":"It was used."}');
      return true;
    };
    expect(problem(await complete(platform, callback.toString(), { cookie }))).toBe('400 provider-login-refused');
  });

  it('that closes the connection is 502', async () => {
    const { callback, cookie } = await answered();
    issuer.fault = (request) => {
      if (goesTo(request, '/token')) request.socket.destroy();
      return goesTo(request, '/token');
    };
    expect(problem(await complete(platform, callback.toString(), { cookie }))).toBe('502 identity-provider-failed');
  });

  it('that redirects the request for tokens gets no secret anywhere else', async () => {
    const { callback, cookie } = await answered();
    issuer.fault = (request, response) => {
      if (goesTo(request, '/token')) response.writeHead(307, { Location: `${issuer.url}/elsewhere` }).end();
      return goesTo(request, '/token');
    };
    expect(problem(await complete(platform, callback.toString(), { cookie }))).toBe('502 identity-provider-failed');
    expect(issuer.requests).not.toContain('/elsewhere');
  });

  it('that is away when a log-in begins is 502, and 200 when it is back', async () => {
    const fresh = await startPlatformFor(issuer);
    try {
      issuer.fault = (request) => {
        request.socket.destroy();
        return true;
      };
      const reply = await fresh.json('POST', '/api/v1/auth/providers/oidc/start', { body: {} });
      expect(problem(reply)).toBe('502 identity-provider-failed');
      const { accessToken: token } = await fresh.signUp();
      const linking = await fresh.json('POST', '/api/v1/auth/providers/oidc/link', { body: {}, token });
      expect(problem(linking)).toBe('502 identity-provider-failed');
      issuer.fault = null;
      expect((await logInAs(fresh, issuer, newAccount())).status).toBe(200);
    } finally {
      await fresh.stop();
    }
  });

  it('whose metadata names another issuer is refused', async () => {
    const fresh = await startPlatformFor(issuer);
    try {
      issuer.fault = (request, response) => {
        if (!goesTo(request, '/.well-known/openid-configuration')) return false;
        response.setHeader('Content-Type', 'application/json');
        const authorization_endpoint = `${issuer.url}/auth`;
        response.end(JSON.stringify({ issuer: 'https://evil.example', authorization_endpoint }));
        return true;
      };
      const reply = await fresh.json('POST', '/api/v1/auth/providers/oidc/start', { body: {} });
      expect(problem(reply)).toBe('502 identity-provider-failed');
    } finally {
      await fresh.stop();
    }
  });
});

describe('pages of other sites', () => {
  it.each(['start', 'link', 'login'])('cannot use %s', async (verb) => {
    const { accessToken: token } = await platform.signUp();
    const body = verb === 'login' ? { callback: 'code=a&state=b' } : {};
    const headers = { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' };
    const reply = await platform.json('POST', `/api/v1/auth/providers/oidc/${verb}`, { body, token, headers });
    expect(problem(reply)).toBe('403 foreign-request');
  });

  it('do not keep those of the console from it', async () => {
    const headers = { Origin: appBaseUrl, 'Sec-Fetch-Site': 'same-origin' };
    const reply = await platform.json('POST', '/api/v1/auth/providers/oidc/start', { body: {}, headers });
    expect(reply.status).toBe(200);
    expect(reply.headers.get('Set-Cookie')).toMatch(
      /^__Host-plumbline_login=[\w-]{43}; Path=\/; Max-Age=600; HttpOnly; SameSite=Strict; Secure$/,
    );
  });
});

describe('the database', () => {
  it('has neither the state nor the secret of an attempt, and no attempt after its end', async () => {
    const { url, cookie } = await begin(platform);
    const rows = JSON.stringify(await platform.database.sql`select to_jsonb(login_attempts)::text from login_attempts`);
    for (const name of ['state', 'nonce', 'code_challenge']) expect(rows).not.toContain(url.searchParams.get(name));
    expect(rows).not.toContain(cookie.split('=')[1]);
    platform.clock.advance(601);
    await platform.running.retention.drain();
    expect(await platform.database.sql`select 1 from login_attempts`).toHaveLength(0);
  });
});

/** An answer of the issuer, whose fault at a path begins afterwards. */
async function answeredBefore(path: string): Promise<Awaited<ReturnType<typeof answered>>> {
  const { fault } = issuer;
  issuer.fault = path === '/token' ? fault : null;
  const result = await answered();
  issuer.fault = fault;
  return result;
}
