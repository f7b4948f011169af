import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createSecretBox } from '../../../src/platform/server/secrets/secret-box.js';
import type { ReceivedMail } from '../../support/mailbox.js';
import { startTestPlatform, testPassword, type JsonReply, type TestPlatform } from '../../support/platform.js';

/** What must not get out, by what it is. Replies that are there to hand a token over are where it is learned from. */
const secrets = new Map<string, string>();

const passwords = { first: testPassword, second: 'nine loud harbours 9', wrong: 'three wrong guesses 3' };
const metricsToken = 'metrics-token-0a1b2c3d4e5f';
const integrationToken = 'integration-token-5f4e3d2c1b0a';
const cookie = 'session-cookie-9f8e7d6c5b4a';
const secretsKey = Buffer.from('an installation-wide secret key!').toString('base64');

let platform: TestPlatform;
let codeHost: Server;
const problems: string[] = [];

beforeAll(async () => {
  platform = await startTestPlatform({ environment: { METRICS_TOKEN: metricsToken, SECRETS_KEY: secretsKey } });
  codeHost = createServer((request, response) => {
    // A code host that repeats what it was sent.
    response.writeHead(401).end(JSON.stringify({ message: request.headers.authorization }));
  });
  await new Promise<void>((resolve) => codeHost.listen(0, '127.0.0.1', resolve));
  learn('the secrets key', secretsKey, Buffer.from(secretsKey, 'base64').toString('hex'));
  learn('the database password', new URL(platform.databaseUri).password);
  learn('the token for metrics', metricsToken);
  learn('the token of an integration', integrationToken);
  learn('a cookie', cookie);
  for (const password of Object.values(passwords)) learn('a password', password);
  await beBusy();
});
afterAll(async () => {
  await platform.stop();
  codeHost.close();
});

describe('After valid and invalid calls of every operation', () => {
  test('there are enough log lines, problems and mails to check', () => {
    expect(new Set(secrets.values())).toEqual(
      new Set([
        'the secrets key',
        'the database password',
        'the token for metrics',
        'the token of an integration',
        'a cookie',
        'a password',
        'a password hash',
        'an access token',
        'a refresh token',
        'a one-time token',
        'a private key',
        'a service token',
      ]),
    );
    expect(problems.length).toBeGreaterThan(15);
    expect(platform.logLines.length).toBeGreaterThan(40);
    expect(platform.mailbox.mails.length).toBeGreaterThan(3);
  });

  test('no log line holds a secret', () => {
    for (const line of platform.logLines) expectNoSecret(line);
  });

  test('no problem holds a secret', () => {
    for (const problem of problems) expectNoSecret(problem);
  });

  test('no mail has a secret in its headers, or the secret of another mail in its text', () => {
    for (const { headers, subject, text, html, token } of platform.mailbox.mails) {
      expectNoSecret(JSON.stringify(headers) + subject);
      expect(token).not.toBe('');
      expectNoSecret(`${text}${html}`.replaceAll(token, ''));
    }
  });

  test('the database holds no secret that could be used', async () => {
    const { sql } = platform.database;
    const tables = await sql<{ name: string }[]>`
      select table_name as name from information_schema.tables where table_schema = 'public'`;
    for (const { name } of tables) {
      const rows = await sql<{ row: string }[]>`select t::text as row from ${sql(name)} t`;
      for (const { row } of rows) expectNoSecret(row.replaceAll(/\$2[aby]\$\d+\$[./\w]+/g, ''));
    }
  });
});

test('a mail server that cannot be reached: its password is not in the log', async () => {
  const password = 'smtp-password-1f2e3d4c';
  const environment = { MAIL_URL: `smtp://mailer:${password}@127.0.0.1:9` };
  const offline = await startTestPlatform({ environment });
  const body = { email: 'robin@example.com', password: testPassword };
  expect((await offline.json('POST', '/api/v1/auth/register', { body })).status).toBe(201);
  await offline.running.mails.drain();
  const log = offline.logLines.join('');
  const [waiting] = await offline.database.sql`select last_error from outgoing_mails`;
  await offline.stop();
  expect(log).toContain('mail not accepted; will retry');
  expect(log + JSON.stringify(waiting)).not.toContain(password);
});

function learn(what: string, ...values: readonly string[]): void {
  for (const value of values) {
    if (value.length < 8) throw new Error(`${what} is too short to be looked for`);
    secrets.set(value, what);
  }
}

function expectNoSecret(text: string): void {
  for (const [secret, what] of secrets) {
    // The message names the kind alone: a test's report is read by many.
    const encoded = [secret, encodeURIComponent(secret), Buffer.from(secret).toString('hex')];
    if (encoded.some((each) => text.includes(each))) expect.unreachable(`there is ${what} in ${text.slice(0, 60)}...`);
  }
}

/** Sends a request, keeps its problem, and learns the tokens that its reply hands over. */
async function send(method: string, path: string, token?: string, body?: unknown): Promise<JsonReply> {
  const headers = { Cookie: `session=${cookie}`, 'X-Api-Key': metricsToken };
  const reply = await platform.json(method, path, { token, body, headers });
  if (reply.status >= 400) problems.push(JSON.stringify([reply.body, [...reply.headers]]));
  for (const part of [reply.body, reply.body.tokens ?? {}]) {
    if (typeof part.access_token === 'string') learn('an access token', part.access_token);
    if (typeof part.refresh_token === 'string') learn('a refresh token', part.refresh_token);
  }
  return reply;
}

async function mailTo(address: string): Promise<ReceivedMail> {
  const mail = await platform.lastMail(address);
  learn('a one-time token', mail.token);
  return mail;
}

async function beBusy(): Promise<void> {
  const owner = await enter('owner@example.com', passwords.first);
  const token = await createOrganization(owner.access);
  await useIntegrations(token);
  await useServiceTokens(token);
  await inviteAndAccept(token.access, token.orgId);
  await sendWrongThings(token.access);
  // Reuse ends the session, so it is done in a session that nothing below needs.
  const other = await enter('other@example.com', passwords.first);
  await refreshAndReuse(other.refresh);
  await changePasswords(token.access);
  await breakTheDatabase(token.access);
}

async function enter(email: string, password: string): Promise<{ access: string; refresh: string }> {
  const credentials = { email, password };
  await send('POST', '/api/v1/auth/register', undefined, credentials);
  await send('POST', '/api/v1/auth/register', undefined, credentials);
  await send('POST', '/api/v1/auth/login', undefined, credentials);
  await mailTo(email);
  await send('POST', '/api/v1/auth/resend-verification', undefined, { email });
  const { token } = await mailTo(email);
  await send('GET', `/api/v1/auth/verify?token=${token}`);
  await send('GET', `/api/v1/auth/verify?token=${token}`);
  const { body } = await send('POST', '/api/v1/auth/login', undefined, credentials);
  return { access: String(body.access_token), refresh: String(body.refresh_token) };
}

async function createOrganization(token: string): Promise<{ access: string; orgId: string }> {
  const organization = { action: 'create_org', org_name: 'Example Works' };
  const { body } = await send('POST', '/api/v1/auth/onboard', token, organization);
  return { access: String(body.tokens.access_token), orgId: String(body.org_id) };
}

async function useIntegrations({ access }: { access: string }): Promise<void> {
  const address = codeHost.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const path = '/api/v1/admin/integrations';
  const credential = { provider: 'host_a', name: 'main', token: integrationToken };
  await send('POST', path, access, { ...credential, base_url: `http://someone:${integrationToken}@127.0.0.1` });
  const { body } = await send('POST', path, access, { ...credential, base_url: `http://127.0.0.1:${port}` });
  await send('POST', path, access, { ...credential, base_url: `http://127.0.0.1:${port}` });
  const tested = await send('POST', `${path}/${body.id}/test`, access);
  expect(tested.body).toMatchObject({ success: false });
  for (const reply of [tested, await send('GET', path, access), await send('GET', '/api/v1/admin/audit-log', access)]) {
    expectNoSecret(JSON.stringify(reply.body));
  }
}

/** Uses that are right, and wrong ones: without the scope, too long, in the address, and after the end. */
async function useServiceTokens({ access, orgId }: { access: string; orgId: string }): Promise<void> {
  const path = `/api/v1/organizations/${orgId}/service-tokens`;
  const wanted = { name: 'export', scopes: ['setup:read'], expires_in_days: 1 };
  const created = await send('POST', path, access, wanted);
  const id = String(created.body.service_token.id);
  const rotated = await send('POST', `${path}/${id}/rotate`, access, { overlap_seconds: 600 });
  const tokens = [String(created.body.token), String(rotated.body.token)];
  learn('a service token', ...tokens);
  for (const token of tokens) {
    await send('GET', '/api/v1/service-tokens/current', token);
    await send('GET', '/api/v1/admin/audit-log', token);
    await send('GET', '/api/v1/auth/me', token);
    await send('GET', `/nothing/${token}?token=${token}`, token);
    await send('POST', path, access, { ...wanted, expires_in_days: token });
    await send('GET', '/api/v1/service-tokens/current', token.repeat(50));
  }
  const listed = await send('GET', path, access);
  await send('DELETE', `${path}/${id}`, access);
  for (const token of tokens) await send('GET', '/api/v1/service-tokens/current', token);
  expectNoSecret(JSON.stringify([listed.body, (await send('GET', '/api/v1/admin/audit-log', access)).body]));
}

async function inviteAndAccept(access: string, orgId: string): Promise<void> {
  const email = 'colleague@example.com';
  const colleague = await enter(email, passwords.first);
  await send('POST', `/api/v1/organizations/${orgId}/invites`, access, { email, role: 'member' });
  const { token } = await mailTo(email);
  await send('POST', '/api/v1/auth/accept-invite', access, { token });
  await send('POST', '/api/v1/auth/accept-invite', colleague.access, { token });
  await send('POST', '/api/v1/auth/accept-invite', colleague.access, { token });
}

/** Secrets where they do not belong, and bodies that break off in the middle of one. */
async function sendWrongThings(access: string): Promise<void> {
  const email = 'owner@example.com';
  const password = passwords.wrong;
  for (let turn = 0; turn < 6; turn++) await send('POST', '/api/v1/auth/login', undefined, { email, password });
  await send('POST', '/api/v1/auth/login', undefined, { email: password, password: { password } });
  await send('GET', `/api/v1/auth/verify?token=${integrationToken}&password=${encodeURIComponent(password)}`);
  await send('GET', `/nothing/${access}?token=${access}`);
  await send('GET', `/api/v1/auth/me?token=${access}`, `${access}x`);
  await send('GET', '/metrics', metricsToken);
  await send('POST', '/api/v1/auth/validate', undefined, { token: access });
  for (const text of [`{"password":"${password}`, password, `{"token":"${access}"`, `{"${access}":}`]) {
    const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${access}` };
    const url = `${platform.url}/api/v1/auth/change-password`;
    problems.push(await (await platform.fetch(url, { method: 'POST', headers, body: text })).text());
  }
}

async function refreshAndReuse(first: string): Promise<void> {
  const { body } = await send('POST', '/api/v1/auth/refresh', undefined, { refresh_token: first });
  await send('POST', '/api/v1/auth/refresh', undefined, { refresh_token: first });
  await send('POST', '/api/v1/auth/refresh', undefined, { refresh_token: String(body.refresh_token) });
  await send('POST', '/api/v1/auth/logout', undefined, { refresh_token: first });
}

async function changePasswords(access: string): Promise<void> {
  const path = '/api/v1/auth/change-password';
  await send('POST', path, access, { current_password: passwords.wrong, new_password: passwords.second });
  await send('POST', path, access, { current_password: passwords.first, new_password: 'short' });
  const email = 'colleague@example.com';
  await send('POST', '/api/v1/auth/forgot-password', undefined, { email });
  const { token } = await mailTo(email);
  const reset = { token, new_password: passwords.second };
  await send('POST', '/api/v1/auth/reset-password', undefined, { token, new_password: 'short' });
  await send('POST', '/api/v1/auth/reset-password', undefined, reset);
  await send('POST', '/api/v1/auth/reset-password', undefined, reset);
}

/** Statements that fail get into the log, and must not take their parameters along. */
async function breakTheDatabase(access: string): Promise<void> {
  const { sql } = platform.database;
  const [stored] = await sql<{ hash: string }[]>`select password_hash as hash from users limit 1`;
  learn('a password hash', stored?.hash ?? '');
  const [key] = await sql<
    { kid: string; sealed: Uint8Array }[]
  >`select kid, private_jwk_sealed as sealed from signing_keys`;
  const box = createSecretBox(Buffer.from(secretsKey, 'base64'));
  const { d }: { d?: unknown } = JSON.parse(box.open(key?.sealed ?? Buffer.of(), `signing_key:${key?.kid}`));
  learn('a private key', String(d));
  await sql`alter table audit_log rename to audit_log_elsewhere`;
  await sql`alter table outgoing_mails rename to outgoing_mails_elsewhere`;
  const credentials = { email: 'unlucky@example.com', password: passwords.second };
  const failed = [
    await send('POST', '/api/v1/auth/register', undefined, credentials),
    await send('POST', '/api/v1/auth/login', undefined, { ...credentials, email: 'colleague@example.com' }),
    await send('POST', '/api/v1/admin/integrations', access, {
      provider: 'host_b',
      name: 'x',
      token: integrationToken,
    }),
  ];
  expect(failed.map(({ status }) => status)).toEqual([500, 500, 500]);
  await sql`alter table audit_log_elsewhere rename to audit_log`;
  await sql`alter table outgoing_mails_elsewhere rename to outgoing_mails`;
}
