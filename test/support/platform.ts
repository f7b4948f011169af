import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Database } from '../../src/database/connection.js';
import { startPlatform, type RunningPlatform } from '../../src/platform/platform.js';
import { readSettings } from '../../src/platform/server/settings.js';
import type { StartExecution } from '../../src/platform/sources/sync-runs/jobs/sync-job.js';
import { captureLog } from './captured-log.js';
import { createMovableClock, type MovableClock } from './clock.js';
import { startMailbox, type Mailbox } from './mailbox.js';
import { createTestDatabase } from './postgres.js';
import { recordingFetch } from './recorder.js';

/** A running Platform on a separate database, with a real mail server, observed by the contract recorder. */
export interface TestPlatform {
  readonly url: string;
  readonly fetch: typeof fetch;
  readonly database: Database;
  readonly databaseUri: string;
  readonly clock: MovableClock;
  readonly mailbox: Mailbox;
  /** The log as JSON lines. */
  readonly logLines: readonly string[];
  readonly running: RunningPlatform;
  /** Sends a request with a JSON body through the recorder. */
  json(method: string, path: string, options?: RequestOptions): Promise<JsonReply>;
  /** Registers, verifies and logs in. */
  signUp(options?: SignUpOptions): Promise<TestUser>;
  /** Delivers what is in the outbox, and gives the last mail for an address. */
  lastMail(address: string): Promise<Mailbox['mails'][number]>;
  stop(): Promise<void>;
}

export interface RequestOptions {
  readonly token?: string | undefined;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface JsonReply {
  readonly status: number;
  /** The parsed body; {} where there is none. Tests look into it freely: the recorder has validated it. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- see above
  readonly body: any;
  readonly headers: Headers;
}

export interface SignUpOptions {
  readonly email?: string;
  /** Name of an organization to create; null: the user stays without one. Default: a new one. */
  readonly organization?: string | null;
  /** Joins this user's organization by invite instead, with `role`. */
  readonly invitedBy?: TestUser;
  readonly role?: 'owner' | 'admin' | 'member' | 'viewer';
}

export interface TestUser {
  readonly email: string;
  readonly password: string;
  readonly userId: string;
  /** Empty for a user without an organization. */
  readonly orgId: string;
  readonly accessToken: string;
  readonly refreshToken: string;
}

export const testPassword = 'seven quiet rivers 7';

/** Rate limits are off or out of reach, and hashing is cheap, unless a test says otherwise. */
const testEnvironment: Readonly<Record<string, string>> = {
  PORT: '0',
  AUTH_BCRYPT_COST: '4',
  AUTH_AUTO_CREATE_ORG_ON_REGISTER: 'false',
  REPLY_VALIDATION: 'always',
  SECRETS_KEY: Buffer.alloc(32, 7).toString('base64'),
  SHUTDOWN_DEADLINE: '5',
  SHUTDOWN_DRAIN: '0',
  INTEGRATION_NETWORKS: '127.0.0.0/8', // code hosts of tests are on this machine
  SYNC_JOBS: '0', // tests play the worker themselves, unless they say otherwise
  SYNC_PERIOD_DAYS: '36500', // their histories have fixed dates
  AUTH_REGISTER_LIMIT: 'off',
  AUTH_REGISTER_ATTEMPT_LIMIT: 'off',
  AUTH_VERIFY_LIMIT: 'off',
  AUTH_RESEND_LIMIT: 'off',
  AUTH_FORGOT_LIMIT: 'off',
  AUTH_MAIL_IP_LIMIT: 'off',
  AUTH_MAIL_ADDRESS_LIMIT: 'off',
  AUTH_LOGIN_ATTEMPT_LIMIT: 'off',
  AUTH_LOGIN_IP_LIMIT: 'off',
  AUTH_LOGIN_LIMIT: 'off',
  AUTH_REFRESH_LIMIT: 'off',
  AUTH_BROWSER_SESSION_LIMIT: 'off',
  AUTH_VALIDATE_LIMIT: 'off',
  // Counted after authentication: on and never reached, so that every reply to a caller tells them.
  AUTH_CHANGE_PASSWORD_LIMIT: '100000/hour',
  AUTH_INVITE_LIMIT: '100000/hour',
  ANALYTICS_QUERY_LIMIT: '100000/hour',
  AUTH_INVITE_ADDRESS_LIMIT: '100000/hour',
  INTEGRATION_TEST_LIMIT: '100000/hour',
  WEBHOOK_TEST_LIMIT: '100000/hour',
  APP_INSTALLATION_LIMIT: '100000/hour',
  HOST_EVENT_LIMIT: '100000/hour',
  SYNC_REPOSITORIES_LIMIT: '100000/hour',
  SERVICE_TOKEN_LIMIT: '100000/hour',
};

export interface TestPlatformOptions {
  readonly environment?: Readonly<Record<string, string>>;
  /** Uses this database, and leaves it to the caller to drop it. */
  readonly databaseUri?: string;
  readonly mailbox?: Mailbox;
  readonly clock?: MovableClock;
  readonly executeSync?: StartExecution;
  readonly importConnector?: (name: string) => Promise<unknown>;
}

function isForm(headers: RequestOptions['headers']): boolean {
  return headers?.['Content-Type'] === 'application/x-www-form-urlencoded';
}

function formOf(body: unknown): string {
  return new URLSearchParams(Object(body)).toString();
}

export async function startTestPlatform(options: TestPlatformOptions = {}): Promise<TestPlatform> {
  const ownDatabase = options.databaseUri === undefined ? await createTestDatabase() : null;
  const databaseUri = options.databaseUri ?? ownDatabase?.uri ?? '';
  const mailbox = options.mailbox ?? (await startMailbox());
  const home = await mkdtemp(join(tmpdir(), 'plumbline-test-'));
  const { log, lines: logLines } = captureLog();
  const clock = options.clock ?? createMovableClock();
  const environment = { ...testEnvironment, PLUMBLINE_HOME: home, MAIL_URL: mailbox.url, DATABASE_URI: databaseUri };
  const running = await startPlatform(readSettings({ ...environment, ...options.environment }), {
    log,
    clock,
    ...(options.executeSync === undefined ? {} : { executeSync: options.executeSync }),
    ...(options.importConnector === undefined ? {} : { importConnector: options.importConnector }),
  });
  const send = recordingFetch('platform');

  const json: TestPlatform['json'] = async (method, path, { token, body, headers } = {}) => {
    const reply = await send(`${running.url}${path}`, {
      method,
      headers: {
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: isForm(headers) ? formOf(body) : JSON.stringify(body) }),
    });
    const text = await reply.text();
    const isJson = /[/+]json\b/.test(reply.headers.get('Content-Type') ?? '');
    const parsed: unknown = isJson ? JSON.parse(text) : text === '' ? {} : text;
    return { status: reply.status, body: parsed, headers: reply.headers };
  };

  const lastMail: TestPlatform['lastMail'] = async (address) => {
    await running.mails.drain();
    // Another server of the database may be sending it.
    for (let looks = 0; looks < 40; looks++) {
      const mail = mailbox.to(address).at(-1);
      if (mail !== undefined) return mail;
      await setTimeout(50);
    }
    throw new Error(`no mail has come for ${address}`);
  };

  const platform: TestPlatform = {
    url: running.url,
    fetch: send,
    database: running.database,
    databaseUri,
    clock,
    mailbox,
    logLines,
    running,
    json,
    lastMail,
    signUp: (signUpOptions) => signUp(platform, signUpOptions),
    stop: async () => {
      await running.stop();
      if (options.mailbox === undefined) await mailbox.stop();
      await ownDatabase?.drop();
      await rm(home, { recursive: true, force: true });
    },
  };
  return platform;
}

async function signUp(platform: TestPlatform, options: SignUpOptions = {}): Promise<TestUser> {
  const email = options.email ?? `${randomUUID()}@example.com`;
  const credentials = { email, password: testPassword };
  const registered = await platform.json('POST', '/api/v1/auth/register', { body: credentials });
  expectStatus(registered, 201);
  const { token } = await platform.lastMail(email);
  expectStatus(await platform.json('GET', `/api/v1/auth/verify?token=${token}`), 200);
  const login = await platform.json('POST', '/api/v1/auth/login', { body: credentials });
  expectStatus(login, 200);
  const user: TestUser = {
    ...credentials,
    userId: String(login.body.user.id),
    orgId: String(login.body.user.org_id ?? ''),
    accessToken: String(login.body.access_token),
    refreshToken: String(login.body.refresh_token),
  };
  if (options.invitedBy !== undefined)
    return joinOrganization(platform, user, options.invitedBy, options.role ?? 'member');
  if (options.organization === null || user.orgId !== '') return user;
  const body = { action: 'create_org', org_name: options.organization ?? 'Example' };
  return inOrganization(user, await platform.json('POST', '/api/v1/auth/onboard', { token: user.accessToken, body }));
}

async function joinOrganization(
  platform: TestPlatform,
  user: TestUser,
  inviter: TestUser,
  role: string,
): Promise<TestUser> {
  const path = `/api/v1/organizations/${inviter.orgId}/invites`;
  const body = { email: user.email, role };
  expectStatus(await platform.json('POST', path, { token: inviter.accessToken, body }), 201);
  const { token } = await platform.lastMail(user.email);
  const accept = { token: user.accessToken, body: { token } };
  return inOrganization(user, await platform.json('POST', '/api/v1/auth/accept-invite', accept));
}

function inOrganization(user: TestUser, reply: JsonReply): TestUser {
  expectStatus(reply, 200);
  const { tokens, org_id: orgId } = reply.body;
  return {
    ...user,
    orgId: String(orgId),
    accessToken: String(tokens.access_token),
    refreshToken: String(tokens.refresh_token),
  };
}

function expectStatus(reply: JsonReply, status: number): void {
  if (reply.status !== status)
    throw new Error(`expected ${status}, got ${reply.status}: ${JSON.stringify(reply.body)}`);
}
