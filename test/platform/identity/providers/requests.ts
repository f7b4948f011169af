import type { IncomingMessage } from 'node:http';
import { startTestPlatform, type JsonReply, type TestPlatform } from '../../../support/platform.js';
import { issuerClient, type Issuer, type IssuerAccount } from '../../../support/issuer.js';

/** Where the tests' server is for browsers. Nothing is there: a test plays the browser. */
export const appBaseUrl = 'https://plumbline.example';

export const redirectUriOf = (provider: string): string => `${appBaseUrl}/login/callback/${provider}`;

/** The settings of a server that trusts the issuer under its two names. */
export function settingsFor(issuer: Issuer): Record<string, string> {
  return {
    APP_BASE_URL: appBaseUrl,
    AUTH_LOGIN_ATTEMPT_LIMIT: '100000/hour', // on and never reached, so that every reply tells it
    AUTH_OIDC_ISSUER: issuer.url,
    AUTH_OIDC_CLIENT_ID: issuerClient.id,
    AUTH_OIDC_CLIENT_SECRET: issuerClient.secret,
    AUTH_OIDC_NAME: 'Example SSO',
  };
}

export function startPlatformFor(issuer: Issuer, environment: Record<string, string> = {}): Promise<TestPlatform> {
  return startTestPlatform({ environment: { ...settingsFor(issuer), ...environment } });
}

export interface StartedLogin {
  readonly url: URL;
  /** `name=value` of the cookie that binds the attempt to the browser. */
  readonly cookie: string;
}

/** Begins a log-in. @param token of the account that the identity is linked to; absent: it logs in */
export async function begin(
  platform: TestPlatform,
  { provider = 'oidc', token, cookie, returnTo }: BeginOptions = {},
): Promise<StartedLogin> {
  const verb = token === undefined ? 'start' : 'link';
  const reply = await platform.json('POST', `/api/v1/auth/providers/${provider}/${verb}`, {
    body: returnTo === undefined ? {} : { return_to: returnTo },
    ...(token !== undefined && { token }),
    ...(cookie !== undefined && { headers: { Cookie: cookie } }),
  });
  if (reply.status !== 200) throw new Error(`the log-in does not begin: ${JSON.stringify(reply.body)}`);
  return {
    url: new URL(String(reply.body.authorization_url)),
    cookie: reply.headers.get('Set-Cookie')?.split(';')[0] ?? '',
  };
}

export interface BeginOptions {
  readonly provider?: string;
  readonly token?: string;
  readonly cookie?: string;
  readonly returnTo?: string;
}

/** Brings the answer of the provider to the server. */
export function complete(
  platform: TestPlatform,
  callback: string,
  { cookie, provider = 'oidc' }: { readonly cookie?: string; readonly provider?: string },
): Promise<JsonReply> {
  return platform.json('POST', `/api/v1/auth/providers/${provider}/login`, {
    body: { callback },
    ...(cookie !== undefined && { headers: { Cookie: cookie } }),
  });
}

/** Logs in, or links, from the beginning to the end. */
export async function logInAs(
  platform: TestPlatform,
  issuer: Issuer,
  account: IssuerAccount | null,
  options: BeginOptions = {},
): Promise<JsonReply> {
  issuer.account = account;
  const { url, cookie } = await begin(platform, options);
  const back = await issuer.authorize(url.href);
  return complete(platform, back.search.slice(1), { cookie, ...options });
}

/** An account at the issuer that nobody has used. */
export function newAccount(differences: Partial<IssuerAccount> = {}): IssuerAccount & { readonly email: string } {
  const sub = crypto.randomUUID();
  return { sub, email: `${sub}@example.com`, email_verified: true, name: 'Robin Example', ...differences };
}

/** Whether a request of the server goes to a path of the issuer. */
export function goesTo(request: IncomingMessage, path: string): boolean {
  return (request.url ?? '').split('?')[0] === path;
}

/** The status and the problem of a refusal: `409 account-exists`. */
export function problem({ status, body }: JsonReply): string {
  return `${status} ${String(body.type).replace('/problems/', '')}`;
}
