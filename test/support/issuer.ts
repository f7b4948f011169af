/** A real issuer of OpenID Connect on this machine, in which tests log in without a browser. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { decodeJwt, exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWTPayload } from 'jose';
import Provider from 'oidc-provider';
import { onTestFinished } from 'vitest';

/** What the issuer says about who logs in. */
export interface IssuerAccount {
  readonly sub: string;
  readonly email?: string;
  readonly email_verified?: boolean;
  readonly name?: string;
}

export interface Issuer {
  readonly url: string;
  /** Who logs in next; null: the person cancels. */
  account: IssuerAccount | null;
  /** Whether a page asks the person first, as issuers do. Tests without a browser leave it out. */
  asks: boolean;
  /** Replaces the claims of ID tokens before they are signed. */
  forge: ((claims: JWTPayload) => JWTPayload) | null;
  /** Signs ID tokens instead of the issuer. */
  signInstead: ((claims: JWTPayload, kid: string) => string | Promise<string>) | null;
  /** Answers requests instead of the issuer if it returns true. */
  fault: ((request: IncomingMessage, response: ServerResponse) => boolean) | null;
  /** Paths of the requests of the server, in order. */
  readonly requests: string[];
  /** Signs with a new key from now on, and forgets the earlier one. */
  rotate(): Promise<void>;
  /** Signs claims as the issuer does. */
  sign(claims: JWTPayload, type?: string): Promise<string>;
  /** Sends a logout token to the client, as after a log-out at the issuer (OpenID Connect Back-Channel Logout 1.0). */
  logOut(subject: string, sid: string): Promise<void>;
  /** Does what a browser and its person do at the issuer. @returns the query of the redirect address */
  authorize(authorizationUrl: string): Promise<URL>;
  stop(): Promise<void>;
}

export const issuerClient = { id: 'plumbline', secret: 'a secret: with % & signs' };

/**
 * @param redirectUris the exact addresses to which the issuer may send browsers
 * @param logoutUri where it sends logout tokens to
 */
export async function startIssuer(redirectUris: readonly string[], logoutUri?: string): Promise<Issuer> {
  let current: Running | null = null;
  const server = createServer((request, response) => {
    issuer.requests.push(new URL(request.url ?? '/', issuer.url).pathname);
    if (issuer.fault?.(request, response) !== true) current?.handle(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer: Issuer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    account: null,
    asks: false,
    forge: null,
    signInstead: null,
    fault: null,
    requests: [],
    rotate: async () => {
      const { privateKey } = await generateKeyPair('RS256', { extractable: true });
      current = await createRunning(issuer, privateKey, redirectUris, logoutUri);
    },
    sign: (claims, type) => {
      if (current === null) throw new Error('the issuer has no key');
      return current.sign(claims, type);
    },
    logOut: async (subject, sid) => current?.logOut(subject, sid),
    authorize: (url) => authorize(url, redirectUris),
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  await issuer.rotate();
  return issuer;
}

/** Starts an issuer that ends with the test. */
export async function startIssuerForTest(redirectUris: readonly string[]): Promise<Issuer> {
  const issuer = await startIssuer(redirectUris);
  onTestFinished(() => issuer.stop());
  return issuer;
}

interface Running extends Pick<Issuer, 'sign' | 'logOut'> {
  handle(request: IncomingMessage, response: ServerResponse): unknown;
}

async function createRunning(
  issuer: Issuer,
  key: CryptoKey,
  redirectUris: readonly string[],
  logoutUri: string | undefined,
): Promise<Running> {
  const kid = crypto.randomUUID();
  const provider = new Provider(issuer.url, {
    clients: [
      {
        ...{ client_id: issuerClient.id, client_secret: issuerClient.secret },
        redirect_uris: [...redirectUris],
        token_endpoint_auth_method: 'client_secret_basic',
        ...(logoutUri !== undefined && {
          backchannel_logout_uri: logoutUri,
          backchannel_logout_session_required: true,
        }),
      },
    ],
    jwks: { keys: [{ ...(await exportJWK(key)), kid, alg: 'RS256', use: 'sig' }] },
    cookies: { keys: ['a key of this test'] },
    ttl: { AccessToken: 600, Grant: 600, IdToken: 600, Interaction: 600, Session: 600, AuthorizationCode: 60 },
    pkce: { required: () => true },
    // Its client is on this machine, where the default does not send logout tokens.
    fetch: (url: string | URL | Request, { ...options }: RequestInit = {}) => {
      Reflect.deleteProperty(options, 'dispatcher');
      return fetch(url, options);
    },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    features: { devInteractions: { enabled: false }, backchannelLogout: { enabled: true } },
    interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
    findAccount: (_ctx, sub) => ({
      accountId: sub,
      claims: () => ({ ...issuer.account, sub }),
    }),
  });
  provider.use(async (ctx, next) => {
    const path = ctx.path.split('/');
    if (path[1] === 'interaction') {
      await interact(provider, issuer, ctx.req, ctx.res, path[3]);
      ctx.respond = false;
      return;
    }
    await next();
    const body: unknown = ctx.body;
    if (ctx.path !== '/token' || typeof body !== 'object' || body === null || !('id_token' in body)) return;
    const claims = decodeJwt(String(body.id_token));
    if (issuer.forge === null && issuer.signInstead === null) return;
    const forged = issuer.forge?.(claims) ?? claims;
    const sign =
      issuer.signInstead ?? ((payload) => new SignJWT(payload).setProtectedHeader({ alg: 'RS256', kid }).sign(key));
    ctx.body = { ...body, id_token: await sign(forged, kid) };
  });
  return {
    handle: provider.callback(),
    sign: (claims, type) =>
      new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid, ...(type !== undefined && { typ: type }) }).sign(key),
    logOut: async (subject, sid) => {
      const client = await provider.Client.find(issuerClient.id);
      const send = client?.['backchannelLogout'];
      if (typeof send === 'function') await send.call(client, subject, sid);
    },
  };
}

/** Logs the account in, and lets the client know it. */
async function interact(
  provider: Provider,
  issuer: Issuer,
  request: IncomingMessage,
  response: ServerResponse,
  choice: string | undefined,
): Promise<void> {
  const { prompt, params, session, uid } = await provider.interactionDetails(request, response);
  const { account } = issuer;
  if (issuer.asks && choice === undefined && prompt.name === 'login') {
    response.writeHead(200, { 'Content-Type': 'text/html' });
    response.end(
      `<!doctype html><title>Issuer</title><link rel="icon" href="data:,"><a href="/interaction/${uid}/agree">Continue</a> <a href="/interaction/${uid}/cancel">Cancel</a>`,
    );
    return;
  }
  const finish = (result: Parameters<Provider['interactionFinished']>[2]): Promise<void> =>
    provider.interactionFinished(request, response, result, { mergeWithLastSubmission: true });
  if (account === null || choice === 'cancel') return finish({ error: 'access_denied' });
  if (prompt.name === 'login') return finish({ login: { accountId: account.sub, remember: false } });
  const grant = new provider.Grant({
    accountId: session?.accountId ?? account.sub,
    clientId: String(params['client_id']),
  });
  grant.addOIDCScope('openid email profile');
  return finish({ consent: { grantId: await grant.save() } });
}

/** Follows the redirects of the issuer up to the address of its client. */
async function authorize(start: string, redirectUris: readonly string[]): Promise<URL> {
  const cookies = new Map<string, string>();
  let url = new URL(start);
  for (let hops = 0; hops < 10; hops += 1) {
    if (redirectUris.includes(url.origin + url.pathname)) return url;
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const reply = await fetch(url, { redirect: 'manual', headers: { Cookie: cookie } });
    for (const each of reply.headers.getSetCookie()) {
      const [name = '', value = ''] = (each.split(';')[0] ?? '').split(/=(.*)/s);
      cookies.set(name, value);
    }
    const location = reply.headers.get('Location');
    if (location === null) throw new Error(`the issuer answered ${reply.status}: ${await reply.text()}`);
    url = new URL(location, url);
  }
  throw new Error('the issuer redirects without end');
}
