/**
 * A local host_a with an app: it checks the app's signed identity, installs the app, signs users in, and gives tokens of
 * installations, which end. Its API is below /api/v3, as that of an Enterprise Server.
 */
import { createHmac, generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto';
import { errors, jwtVerify } from 'jose';
import { answerHostA, paged, problem, type HostARepositoryData } from './host-a.js';
import { minimalRepository } from './host-a-bodies.js';
import { openHost, type Host, type HostReply, type HostRequest } from './server.js';

export interface Installation {
  readonly id: number;
  readonly account: string;
  /** The full names of the repositories that it may read. */
  repositories: string[];
  suspendedAt: string | null;
  /** By the name of a user: the repositories of the installation that the user can read. */
  readonly readers: Record<string, string[]>;
}

/** The parameters with which the host sends a browser back. */
export type Callback = Readonly<Record<'state' | 'code' | 'installation_id' | 'setup_action', string | undefined>>;

export interface AppHost {
  readonly host: Host;
  readonly appId: string;
  /** Every token and key that must not be shown: of installations, of users, the codes. */
  readonly secrets: string[];
  readonly installations: Map<number, Installation>;
  repositories: HostARepositoryData[];
  /** How long new tokens of installations live, in milliseconds. */
  tokenLifetimeMs: number;
  /** The time of the host. */
  now: () => number;
  /** The settings of a server that uses the app. */
  readonly environment: Readonly<Record<string, string>>;
  /** The user who is logged in to the host, in a browser. */
  user: string;
  /** Where it sends browsers back to. */
  callbackUrl: string;
  /** Installs the app at an account, as its owner. */
  install(account: string, repositories: string[], owner?: string): Installation;
  /** A code with which a user comes back. */
  codeOf(user: string): string;
  /** Ends all tokens of installations that were given out. */
  endTokens(): void;
  /** The headers of a webhook with this body. */
  signed(event: string, body: string, secret?: string): Record<string, string>;
  stop(): Promise<void>;
}

const clientId = 'Iv23liTheClient';
const clientSecret = 'client-secret-of-the-app';
const webhookSecret = 'webhook-secret-of-the-app';
const slug = 'plumbline-test';

export async function startAppHost(): Promise<AppHost> {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  // The host generates keys in this older form.
  const pem = privateKey.export({ type: 'pkcs1', format: 'pem' }).toString();
  const appId = '314159';
  const codes = new Map<string, string>();
  const userTokens = new Map<string, string>();
  const tokens = new Map<string, { readonly installation: number; endsAt: number }>();
  let lastId = 48_510_700;

  const newSecret = (prefix: string): string => {
    const secret = prefix + randomBytes(18).toString('hex');
    app.secrets.push(secret);
    return secret;
  };

  /** @returns null: it is the app */
  const refusalOfApp = async (request: HostRequest): Promise<HostReply | null> => {
    const [scheme, jwt = ''] = (request.headers.authorization ?? '').split(' ');
    const undecoded = problem(401, 'A JSON web token could not be decoded');
    if (scheme !== 'Bearer') return undecoded;
    const now = app.now();
    try {
      const options = { algorithms: ['RS256'], issuer: appId, currentDate: new Date(now) };
      const { payload } = await jwtVerify(jwt, publicKey, options);
      if (payload.iat === undefined || payload.iat > now / 1000) {
        return problem(
          401,
          "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued",
        );
      }
      if (payload.exp === undefined || payload.exp > now / 1000 + 600) {
        return problem(401, "'Expiration time' claim ('exp') is too far in the future");
      }
      return null;
    } catch (error) {
      if (error instanceof errors.JWTExpired) {
        return problem(
          401,
          "'Expiration time' claim ('exp') must be a numeric value representing the future time at which the assertion expires",
        );
      }
      return undecoded;
    }
  };

  const describe = ({ id, account, suspendedAt }: Installation): object => ({
    id,
    account: { login: account, type: 'Organization' },
    app_id: Number(appId),
    app_slug: slug,
    suspended_at: suspendedAt,
    permissions: { contents: 'read', metadata: 'read' },
    repository_selection: 'selected',
  });

  const answerApp = async (request: HostRequest, path: string): Promise<HostReply> => {
    const refusal = await refusalOfApp(request);
    if (refusal !== null) return refusal;
    const [, id = '', rest] = /^\/app\/installations\/(\d+)(\/access_tokens)?$/.exec(path) ?? [];
    const installation = app.installations.get(Number(id));
    if (installation === undefined) return problem(404, 'Not Found');
    if (rest === undefined) return { status: 200, body: describe(installation) };
    if (request.method !== 'POST') return problem(404, 'Not Found');
    if (installation.suspendedAt !== null) return problem(403, 'This installation has been suspended');
    const token = newSecret('ghs_');
    const endsAt = app.now() + app.tokenLifetimeMs;
    tokens.set(token, { installation: installation.id, endsAt });
    // The host gives times without milliseconds.
    const expires_at = new Date(endsAt).toISOString().replace(/\.\d+Z$/, 'Z');
    return { status: 201, body: { token, expires_at, permissions: {}, repository_selection: 'selected' } };
  };

  const answerUser = (request: HostRequest, path: string, url: string): HostReply => {
    const user = userTokens.get(bearerOf(request) ?? '');
    if (user === undefined) return problem(401, 'Bad credentials');
    const all = [...app.installations.values()].filter(({ readers }) => readers[user] !== undefined);
    if (path === '/user/installations') {
      const reply = paged(request, url, all.map(describe));
      return { ...reply, body: { total_count: all.length, installations: reply.body } };
    }
    const [, id] = /^\/user\/installations\/(\d+)\/repositories$/.exec(path) ?? [];
    const readable = all.find((each) => String(each.id) === id)?.readers[user];
    if (readable === undefined) return problem(404, 'Not Found');
    return listOf(request, url, readable);
  };

  const listOf = (request: HostRequest, url: string, names: readonly string[]): HostReply => {
    const listed = app.repositories.filter(({ fullName }) => names.includes(fullName)).map(minimalRepository);
    const reply = paged(request, url, listed);
    return { ...reply, body: { total_count: names.length, repositories: reply.body } };
  };

  /** What a token of an installation reads. */
  const answerInstallation = (request: HostRequest, path: string, url: string): HostReply | Promise<HostReply> => {
    const token = tokens.get(bearerOf(request) ?? '');
    const installation = app.installations.get(token?.installation ?? 0);
    if (token === undefined || installation === undefined || token.endsAt <= app.now()) {
      return problem(401, 'Bad credentials');
    }
    if (installation.suspendedAt !== null) return problem(403, 'This installation has been suspended');
    if (path === '/user' || path.startsWith('/user/')) return problem(403, 'Resource not accessible by integration');
    if (path === '/installation/repositories') return listOf(request, url, installation.repositories);
    const repositories = app.repositories.filter(({ fullName }) => installation.repositories.includes(fullName));
    return answerHostA({ repositories, largestPage: Infinity, hasSubIssues: true }, { ...request, path }, url);
  };

  const answer = (request: HostRequest, url: string): HostReply | Promise<HostReply> => {
    const { path } = request;
    if (path === `/github-apps/${slug}/installations/new`) return installPage(request);
    if (path === '/login/oauth/authorize') return authorizePage(request);
    if (path === '/login/oauth/access_token' && request.method === 'POST') return exchange(request);
    if (path === '/api/graphql') return answerInstallation(request, '/graphql', url);
    if (!path.startsWith('/api/v3/')) return problem(404, 'Not Found');
    const rest = path.slice('/api/v3'.length);
    if (rest.startsWith('/app/')) return answerApp(request, rest);
    const isOfUser = userTokens.has(bearerOf(request) ?? '');
    return isOfUser ? answerUser(request, rest, url) : answerInstallation(request, rest, url);
  };

  const backTo = (parameters: Readonly<Record<string, string>>): string =>
    `${app.callbackUrl}?${new URLSearchParams(parameters).toString()}`;

  const installPage = (request: HostRequest): HostReply => {
    const state = request.query.get('state') ?? '';
    const { id } = app.install(
      'acme',
      app.repositories.map(({ fullName }) => fullName),
      app.user,
    );
    const code = app.codeOf(app.user);
    const back = backTo({ code, installation_id: String(id), setup_action: 'install', state });
    const html = `<!doctype html><title>Install</title><h1>Install Plumbline</h1><a href="${back.replaceAll('&', '&amp;')}">Install</a>`;
    return { status: 200, headers: { 'content-type': 'text/html' }, body: html };
  };

  const authorizePage = (request: HostRequest): HostReply => {
    if (request.query.get('client_id') !== clientId) return problem(404, 'Not Found');
    const location = backTo({ code: app.codeOf(app.user), state: request.query.get('state') ?? '' });
    return { status: 302, headers: { location }, body: '' };
  };

  const exchange = (request: HostRequest): HostReply => {
    const form = JSON.parse(request.body) as Readonly<Record<string, string>>;
    if (form['client_id'] !== clientId || form['client_secret'] !== clientSecret) {
      return { status: 200, body: { error: 'incorrect_client_credentials', error_description: 'Incorrect.' } };
    }
    const user = codes.get(form['code'] ?? '');
    codes.delete(form['code'] ?? ''); // it is used up
    if (user === undefined) {
      const error_description = 'The code passed is incorrect or expired.';
      return { status: 200, body: { error: 'bad_verification_code', error_description } };
    }
    const access_token = newSecret('ghu_');
    userTokens.set(access_token, user);
    return { status: 200, body: { access_token, token_type: 'bearer', scope: '' } };
  };

  const { host, stop } = await openHost(answer);
  const app: AppHost = {
    ...{ host, appId, stop },
    secrets: [clientSecret, webhookSecret, pem.split('\n')[2] ?? pem],
    installations: new Map(),
    repositories: [],
    tokenLifetimeMs: 3_600_000,
    now: Date.now,
    user: 'octo',
    callbackUrl: '',
    environment: {
      GITHUB_APP_ID: appId,
      GITHUB_APP_PRIVATE_KEY: pem.replaceAll('\n', '\\n'),
      GITHUB_APP_SLUG: slug,
      GITHUB_APP_CLIENT_ID: clientId,
      GITHUB_APP_CLIENT_SECRET: clientSecret,
      GITHUB_APP_WEBHOOK_SECRET: webhookSecret,
      GITHUB_APP_URL: host.url,
    },
    install: (account, repositories, owner = app.user) => {
      lastId += 1;
      const readers = { [owner]: [...repositories] };
      const installation = { id: lastId, account, repositories, suspendedAt: null, readers };
      app.installations.set(lastId, installation);
      return installation;
    },
    codeOf: (user) => {
      const code = newSecret('');
      codes.set(code, user);
      return code;
    },
    endTokens: () => {
      for (const token of tokens.values()) token.endsAt = 0;
    },
    signed: (event, body, secret = webhookSecret) => ({
      'X-GitHub-Event': event,
      'X-GitHub-Delivery': randomUUID(),
      'X-Hub-Signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
      'Content-Type': 'application/json',
      'User-Agent': 'GitHub-Hookshot/044aadd',
    }),
  };
  return app;
}

/** The token of a request, in one of the ways in which clients send it. */
function bearerOf({ headers }: HostRequest): string | undefined {
  return /^(?:token|bearer) (\S+)$/i.exec(headers.authorization ?? '')?.[1];
}
