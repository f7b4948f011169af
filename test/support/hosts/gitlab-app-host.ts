/**
 * A local host_b with an application for OAuth 2.0, as strict as GitLab: the redirect address, PKCE, codes that work
 * once, tokens that end, and refresh tokens that work once and end the access token of the same grant.
 */
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { answerHostB, refusal, type HostBProjectData } from './host-b.js';
import { openHost, type Host, type HostReply, type HostRequest } from './server.js';

interface Grant {
  readonly user: string;
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly endsAt: number;
  isRevoked: boolean;
}

interface Code {
  readonly user: string;
  readonly redirectUri: string;
  readonly challenge: string;
  readonly endsAt: number;
  /** What it was exchanged for. */
  grant: Grant | null;
}

export interface GitlabAppHost {
  readonly host: Host;
  /** Every token, code and secret that must not be shown. */
  readonly secrets: string[];
  readonly grants: Grant[];
  projects: HostBProjectData[];
  /** How long new access tokens live, in seconds. */
  lifetimeSeconds: number;
  /** The time of the host. */
  now: () => number;
  /** The user who is logged in to the host, in a browser. */
  user: string;
  /** The registered redirect address. */
  redirectUri: string;
  /** The settings of a server that uses the application. */
  readonly environment: Readonly<Record<string, string>>;
  /** What the user does who is sent there, and agrees. @returns what the host adds to the redirect address */
  authorize(url: string, user?: string): { readonly code: string; readonly state: string };
  /** Ends every grant of the application, as its user or an administrator can. */
  revokeAll(): void;
  /** The headers of a webhook with a secret token. */
  delivered(event: string, token?: string): Record<string, string>;
  stop(): Promise<void>;
}

const clientId = 'c2b3f9a1-the-application';
const clientSecret = 'gloas-secret-of-the-application';
const webhookSecret = 'webhook-token-of-gitlab';

export async function startGitlabAppHost(): Promise<GitlabAppHost> {
  const codes = new Map<string, Code>();

  const newSecret = (): string => {
    const secret = randomBytes(32).toString('hex');
    app.secrets.push(secret);
    return secret;
  };

  const newGrant = (user: string): Grant => {
    const endsAt = app.now() + app.lifetimeSeconds * 1000;
    const grant = { user, accessToken: newSecret(), refreshToken: newSecret(), endsAt, isRevoked: false };
    app.grants.push(grant);
    return grant;
  };

  const authorizationOf = (query: URLSearchParams, user: string): { readonly code: string; readonly state: string } => {
    const state = query.get('state') ?? '';
    const challenge = query.get('code_challenge') ?? '';
    const redirectUri = query.get('redirect_uri') ?? '';
    const faults = [
      query.get('client_id') !== clientId && 'client_id',
      redirectUri !== app.redirectUri && 'redirect_uri',
      query.get('response_type') !== 'code' && 'response_type',
      query.get('scope') !== 'read_api' && 'scope',
      query.get('code_challenge_method') !== 'S256' && 'code_challenge_method',
      !/^[\w-]{43}$/.test(challenge) && 'code_challenge',
      state === '' && 'state',
    ].filter((fault) => fault !== false);
    if (faults.length > 0) throw new Error(`The request is invalid: ${faults.join(', ')}`);
    const code = newSecret();
    codes.set(code, { user, redirectUri, challenge, endsAt: app.now() + 600_000, grant: null });
    return { code, state };
  };

  const exchange = (form: URLSearchParams): HostReply => {
    if (!isClient(form)) return oauthError(401, 'invalid_client');
    const grantType = form.get('grant_type');
    if (grantType === 'authorization_code') return redeem(form);
    if (grantType !== 'refresh_token') return oauthError(400, 'unsupported_grant_type');
    const grant = app.grants.find(({ refreshToken }) => refreshToken === form.get('refresh_token'));
    if (grant === undefined || grant.isRevoked) return oauthError(400, 'invalid_grant');
    grant.isRevoked = true;
    return tokensOf(newGrant(grant.user));
  };

  const redeem = (form: URLSearchParams): HostReply => {
    const code = codes.get(form.get('code') ?? '');
    if (code === undefined) return oauthError(400, 'invalid_grant');
    if (code.grant !== null) {
      code.grant.isRevoked = true; // the first client may have stolen it (RFC 6749, section 4.1.2)
      return oauthError(400, 'invalid_grant');
    }
    const verifier = form.get('code_verifier') ?? '';
    const challenge = createHash('sha256').update(verifier).digest('base64url');
    const isValid = code.endsAt > app.now() && form.get('redirect_uri') === code.redirectUri;
    if (!isValid || challenge !== code.challenge) return oauthError(400, 'invalid_grant');
    code.grant = newGrant(code.user);
    return tokensOf(code.grant);
  };

  const revoke = (form: URLSearchParams): HostReply => {
    if (!isClient(form)) return oauthError(403, 'unauthorized_client');
    const token = form.get('token');
    const grant = app.grants.find(({ accessToken, refreshToken }) => [accessToken, refreshToken].includes(token ?? ''));
    if (grant !== undefined) grant.isRevoked = true;
    return { status: 200, body: {} };
  };

  const tokensOf = ({ accessToken, refreshToken }: Grant): HostReply => ({
    status: 200,
    body: {
      ...{ access_token: accessToken, token_type: 'Bearer', expires_in: app.lifetimeSeconds },
      ...{ refresh_token: refreshToken, scope: 'read_api', created_at: Math.floor(app.now() / 1000) },
    },
  });

  const answerApi = (request: HostRequest): HostReply | Promise<HostReply> => {
    const token = /^Bearer (\S+)$/.exec(request.headers.authorization ?? '')?.[1];
    const grant = app.grants.find(({ accessToken }) => accessToken === token);
    if (token === undefined || grant === undefined) return refusal(401, 'Unauthorized');
    if (grant.isRevoked || grant.endsAt <= app.now()) {
      const error_description = grant.isRevoked
        ? 'Token was revoked. You have to re-authorize from the user.'
        : 'Token is expired. You can either do re-authorization or token refresh.';
      return oauthError(401, 'invalid_token', error_description);
    }
    if (request.path === '/api/v4/user') return { status: 200, body: { id: 7, username: grant.user } };
    if (request.path === '/api/v4/projects') {
      const body = app.projects.map(({ id, path, visibility }) => ({ id, path_with_namespace: path, visibility }));
      return { status: 200, headers: { 'x-next-page': '' }, body };
    }
    return answerHostB({ projects: app.projects, mostOffset: 50_000, token }, request);
  };

  const authorizePage = (request: HostRequest): HostReply => {
    const back = new URLSearchParams(authorizationOf(request.query, app.user)).toString();
    const denied = new URLSearchParams({ error: 'access_denied', state: request.query.get('state') ?? '' }).toString();
    const link = (query: string, text: string): string =>
      `<a href="${app.redirectUri}?${query.replaceAll('&', '&amp;')}">${text}</a>`;
    const html = `<!doctype html><title>Authorize</title><h1>Authorize Plumbline</h1>${link(back, 'Authorize')} ${link(denied, 'Deny')}`;
    return { status: 200, headers: { 'content-type': 'text/html' }, body: html };
  };

  const { host, stop } = await openHost((request) => {
    if (request.path === '/oauth/authorize') return authorizePage(request);
    if (request.path === '/oauth/token' && request.method === 'POST')
      return exchange(new URLSearchParams(request.body));
    if (request.path === '/oauth/revoke' && request.method === 'POST') return revoke(new URLSearchParams(request.body));
    return request.path.startsWith('/api/') ? answerApi(request) : refusal(404, 'Not Found');
  });
  const app: GitlabAppHost = {
    ...{ host, stop, grants: [], projects: [], lifetimeSeconds: 7200, now: Date.now, user: 'tanuki', redirectUri: '' },
    secrets: [clientSecret, webhookSecret],
    environment: {
      GITLAB_APP_URL: host.url,
      GITLAB_APP_CLIENT_ID: clientId,
      GITLAB_APP_CLIENT_SECRET: clientSecret,
      GITLAB_APP_WEBHOOK_SECRET: webhookSecret,
    },
    authorize: (url, user = app.user) => {
      const { origin, pathname, searchParams } = new URL(url);
      if (origin + pathname !== `${host.url}/oauth/authorize`) throw new Error(`${url} is not the authorization page`);
      return authorizationOf(searchParams, user);
    },
    revokeAll: () => {
      for (const grant of app.grants) grant.isRevoked = true;
    },
    delivered: (event, token = webhookSecret) => ({
      'X-Gitlab-Event': event,
      'X-Gitlab-Event-UUID': randomUUID(),
      'X-Gitlab-Token': token,
      'Content-Type': 'application/json',
      'User-Agent': 'GitLab/18.11.0',
    }),
  };
  return app;
}

function isClient(form: URLSearchParams): boolean {
  return form.get('client_id') === clientId && form.get('client_secret') === clientSecret;
}

/** GitLab names an error in the body and in a challenge. */
function oauthError(status: number, error: string, error_description = `It is ${error}.`): HostReply {
  const challenge = `Bearer realm="Doorkeeper", error="${error}", error_description="${error_description}"`;
  return { status, headers: { 'www-authenticate': challenge }, body: { error, error_description } };
}
