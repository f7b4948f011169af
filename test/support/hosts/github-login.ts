/** A local GitHub Enterprise Server: the part of it with which people log in, as rude as the real one. */
import { createHash, randomUUID } from 'node:crypto';
import { startHost, type Host, type HostReply, type HostRequest } from './server.js';

export interface GithubEmail {
  readonly email: string;
  readonly primary: boolean;
  readonly verified: boolean;
  readonly visibility: string | null;
}

export interface GithubLogin {
  readonly host: Host;
  /** Who logs in next. */
  user: { readonly id: number; readonly login: string; readonly name: string | null };
  emails: readonly GithubEmail[];
  /** Does what a browser and its person do at the host. @returns the query of the redirect address */
  authorize(authorizationUrl: string): URLSearchParams;
}

export const githubClient = { id: 'Iv1.8a61f9b3a7aba766', secret: '0123456789abcdef0123456789abcdef01234567' };

/** Starts the host; it ends with the test. */
export async function startGithubLogin(redirectUri: string): Promise<GithubLogin> {
  const codes = new Map<string, { readonly challenge: string | null; readonly redirectUri: string | null }>();
  const tokens = new Set<string>();

  const answer = (request: HostRequest): HostReply => {
    if (request.path === '/login/oauth/access_token') return exchange(request);
    // Requests without a name of the program are refused before anything else.
    if ((request.headers['user-agent'] ?? '') === '') return { status: 403, body: 'Request forbidden by rules' };
    if (!tokens.has((request.headers.authorization ?? '').replace('Bearer ', ''))) {
      return { status: 401, body: { message: 'Bad credentials', status: '401' } };
    }
    if (request.path === '/api/v3/user') return { status: 200, body: { ...github.user, email: null, type: 'User' } };
    if (request.path !== '/api/v3/user/emails') return { status: 404, body: { message: 'Not Found', status: '404' } };
    const size = Number(request.query.get('per_page') ?? 30);
    return { status: 200, body: github.emails.slice(0, size) };
  };

  /** Errors have the status 200, and replies are forms unless the client asks for JSON. */
  const exchange = (request: HostRequest): HostReply => {
    const form = new URLSearchParams(request.body);
    const code = codes.get(form.get('code') ?? '');
    codes.delete(form.get('code') ?? '');
    const isJson = request.headers.accept?.includes('application/json') === true;
    const reply = (body: Record<string, string>): HostReply => ({
      status: 200,
      ...(isJson ? { body } : { headers: formHeaders, body: new URLSearchParams(body).toString() }),
    });
    if (form.get('client_id') !== githubClient.id || form.get('client_secret') !== githubClient.secret) {
      return reply({
        error: 'incorrect_client_credentials',
        error_description: 'The client_id and/or client_secret passed are incorrect.',
      });
    }
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    if (code === undefined || (code.challenge !== null && code.challenge !== challenge)) {
      return reply({ error: 'bad_verification_code', error_description: 'The code passed is incorrect or expired.' });
    }
    if (form.get('redirect_uri') !== code.redirectUri) {
      return reply({
        error: 'redirect_uri_mismatch',
        error_description: 'The redirect_uri MUST match the registered callback URL.',
      });
    }
    const token = `gho_${randomUUID().replaceAll('-', '')}`;
    tokens.add(token);
    return reply({ access_token: token, token_type: 'bearer', scope: 'read:user,user:email' });
  };

  const github: GithubLogin = {
    host: await startHost(answer),
    user: { id: 583_231, login: 'octocat', name: null },
    emails: [],
    authorize: (authorizationUrl) => {
      const asked = new URL(authorizationUrl).searchParams;
      if (asked.get('redirect_uri') !== redirectUri) throw new Error('the redirect_uri is not registered');
      const code = randomUUID();
      codes.set(code, { challenge: asked.get('code_challenge'), redirectUri: asked.get('redirect_uri') });
      return new URLSearchParams({ code, state: asked.get('state') ?? '' });
    },
  };
  return github;
}

const formHeaders = { 'Content-Type': 'application/x-www-form-urlencoded; charset=utf-8' };
