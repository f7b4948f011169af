/** What an app that the operator has registered at GitHub asks the host. */
import type { KeyObject } from 'node:crypto';
import { SignJWT } from 'jose';
import {
  RedirectRefusedError,
  UnreachableError,
  type OutboundFetch,
} from '@plumbline/contract/outbound/outbound-fetch';
import type { Clock } from '../../clock.js';
import type { AppSettings } from '../../server/settings/app-settings.js';
import { parsedJson, propertyOf } from '../../server/json-values.js';
import type { HostAnswer } from './host-app.js';

/** The identity of the app. */
export interface AppIdentity {
  readonly id: string;
  readonly privateKey: KeyObject;
  readonly slug: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly webhookSecret: string;
  /** The address of the host, for browsers. */
  readonly webUrl: string;
  /** The address of the API of the host. */
  readonly apiUrl: string;
  /** The base URL of its integrations; null: the public one. */
  readonly baseUrl: string | null;
}

const publicUrl = 'https://github.com';

/** The app of these settings; null: there is none. */
export function appIdentityOf(settings: AppSettings): AppIdentity | null {
  const { appId: id, appPrivateKey: privateKey, appSlug: slug, appUrl: webUrl } = settings;
  const { appClientId: clientId, appClientSecret: clientSecret, appWebhookSecret: webhookSecret } = settings;
  if (id === null || privateKey === null || slug === null) return null;
  if (clientId === null || clientSecret === null || webhookSecret === null) return null;
  const baseUrl = webUrl === publicUrl ? null : `${webUrl}/api/v3`;
  const apiUrl = baseUrl ?? 'https://api.github.com';
  return { id, privateKey, slug, clientId, clientSecret, webhookSecret, webUrl, apiUrl, baseUrl };
}

/** An installation, as the host describes it. */
export interface HostInstallation {
  readonly id: string;
  readonly account: string;
  readonly isSuspended: boolean;
}

export interface InstallationToken {
  readonly token: string;
  readonly expiresAt: Date;
}

/** Questions to the host. Answers never contain what the host wrote about a failure: it may repeat a token. */
export interface GithubClient {
  /** Creates a token that can read what the installation may read, for an hour. */
  createToken(installationId: string): Promise<HostAnswer<InstallationToken>>;
  readInstallation(installationId: string): Promise<HostAnswer<HostInstallation>>;
  /** A token of the user who has come back from the host with this code. The code is used up. */
  signIn(code: string): Promise<HostAnswer<string>>;
  /** The installations of the app with a repository that the user can read. */
  installationsOfUser(userToken: string): Promise<HostAnswer<readonly HostInstallation[]>>;
  /** How many repositories an installation can read; with a user's token, how many of them the user can read. */
  countRepositories(
    token: InstallationToken | { readonly userToken: string; readonly installationId: string },
  ): Promise<HostAnswer<number>>;
}

const timeoutMs = 10_000;
const maxBytes = 4 * 1024 * 1024;
/** A user has few installations; the host lists 100 per page. */
const mostPages = 20;

export function createGithubClient(identity: AppIdentity, fetch: OutboundFetch, clock: Clock): GithubClient {
  const { apiUrl, webUrl, clientId, clientSecret } = identity;

  const ask = async (
    url: string,
    request: { readonly method?: string; readonly authorization?: string; readonly body?: object },
  ): Promise<{ readonly status: number; readonly body: unknown } | { readonly status: null }> => {
    const { method = 'GET', authorization, body } = request;
    try {
      const reply = await fetch(url, {
        method,
        headers: {
          accept: url.startsWith(apiUrl) ? 'application/vnd.github+json' : 'application/json',
          'user-agent': 'plumbline',
          'x-github-api-version': '2022-11-28',
          ...(authorization === undefined ? {} : { authorization: `Bearer ${authorization}` }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: new AbortController().signal,
        ...{ timeoutMs, maxBytes },
      });
      return { status: reply.status, body: parsedJson(await reply.text()) };
    } catch (error) {
      if (error instanceof UnreachableError || error instanceof RedirectRefusedError) return { status: null };
      throw error;
    }
  };

  /** Asks as the app. A failure of the host is tried once more. */
  const askAsApp = async (path: string, method = 'GET'): ReturnType<typeof ask> => {
    const authorization = await signedIdentity(identity, clock.now());
    const reply = await ask(apiUrl + path, { method, authorization });
    return reply.status !== null && reply.status < 500 ? reply : ask(apiUrl + path, { method, authorization });
  };

  return {
    createToken: async (installationId) => {
      const path = `/app/installations/${installationId}`;
      const reply = await askAsApp(`${path}/access_tokens`, 'POST');
      const token = reply.status === 201 ? tokenIn(reply.body) : null;
      if (token !== null) return { value: token };
      if (reply.status === 404) return { refusal: 'removed' };
      if (reply.status !== 403) return { refusal: reply.status === 401 ? 'refused' : 'unreachable' };
      // The host answers 403 for suspended installations, and for limits. Its state decides.
      const state = await askAsApp(path);
      const isSuspended = state.status === 200 && installationIn(state.body)?.isSuspended === true;
      return { refusal: isSuspended ? 'suspended' : 'unreachable' };
    },
    readInstallation: async (installationId) => {
      const reply = await askAsApp(`/app/installations/${installationId}`);
      if (reply.status === 404) return { refusal: 'removed' };
      if (reply.status === 401) return { refusal: 'refused' };
      const installation = reply.status === 200 ? installationIn(reply.body) : null;
      return installation === null ? { refusal: 'unreachable' } : { value: installation };
    },
    signIn: async (code) => {
      const body = { client_id: clientId, client_secret: clientSecret, code };
      const reply = await ask(`${webUrl}/login/oauth/access_token`, { method: 'POST', body });
      if (reply.status === null || reply.status >= 500) return { refusal: 'unreachable' };
      // The host answers a code that is wrong or used with 200 and an error.
      const token = textIn(reply.body, 'access_token');
      return token === null ? { refusal: 'refused' } : { value: token };
    },
    installationsOfUser: async (authorization) => {
      const installations: HostInstallation[] = [];
      for (let page = 1; page <= mostPages; page += 1) {
        const reply = await ask(`${apiUrl}/user/installations?per_page=100&page=${page}`, { authorization });
        if (reply.status === 401 || reply.status === 403) return { refusal: 'refused' };
        const items = reply.status === 200 ? propertyOf(reply.body, 'installations') : null;
        if (!Array.isArray(items)) return { refusal: 'unreachable' };
        installations.push(...items.map(installationIn).filter((each) => each !== null));
        if (items.length < 100) break;
      }
      return { value: installations };
    },
    countRepositories: async (by) => {
      const [path, authorization] =
        'userToken' in by
          ? [`/user/installations/${by.installationId}/repositories`, by.userToken]
          : ['/installation/repositories', by.token];
      const reply = await ask(`${apiUrl}${path}?per_page=1`, { authorization });
      const count = reply.status === 200 ? propertyOf(reply.body, 'total_count') : null;
      return typeof count === 'number' ? { value: count } : { refusal: 'unreachable' };
    },
  };
}

/**
 * The app's proof of its identity: a JWT, which the host accepts for at most 10 minutes. Its start is in the past,
 * because the host refuses one that was issued after its own time
 * (https://docs.github.com/en/apps/creating-github-apps/authenticating-with-a-github-app/generating-a-json-web-token-jwt-for-a-github-app).
 */
function signedIdentity({ id, privateKey }: AppIdentity, now: Date): Promise<string> {
  const seconds = Math.floor(now.getTime() / 1000);
  return new SignJWT()
    .setProtectedHeader({ alg: 'RS256', typ: 'JWT' })
    .setIssuer(id)
    .setIssuedAt(seconds - 60)
    .setExpirationTime(seconds + 480)
    .sign(privateKey);
}

function textIn(value: unknown, name: string): string | null {
  const text = propertyOf(value, name);
  return typeof text === 'string' && text !== '' ? text : null;
}

function tokenIn(body: unknown): InstallationToken | null {
  const token = textIn(body, 'token');
  const expiresAt = new Date(textIn(body, 'expires_at') ?? Number.NaN);
  return token === null || Number.isNaN(expiresAt.getTime()) ? null : { token, expiresAt };
}

/** The id of an installation in what the host sent. The host's ids are numbers. */
export function installationIdIn(value: unknown): string | null {
  const id = propertyOf(value, 'id');
  return Number.isSafeInteger(id) && Number(id) > 0 ? String(id) : null;
}

function installationIn(value: unknown): HostInstallation | null {
  const id = installationIdIn(value);
  const account = propertyOf(value, 'account');
  const name = textIn(account, 'login') ?? textIn(account, 'slug'); // an enterprise has no login
  const suspendedAt = propertyOf(value, 'suspended_at');
  return id === null || name === null
    ? null
    : { id, account: name, isSuspended: suspendedAt !== null && suspendedAt !== undefined };
}
