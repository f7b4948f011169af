/** What tests of several server processes on one database share. */
import type postgres from 'postgres';
import { expect, vi } from 'vitest';
import type { Mailbox } from '../../../support/mailbox.js';
import { testPassword, type JsonReply, type TestPlatform } from '../../../support/platform.js';
import type { LoadReply } from '../../service/load.js';

type SendJson = TestPlatform['json'];

/** Settings of servers without files, which no rate limit of accounts stops. */
export function serverSettings(databaseUri: string, mailUrl: string): Record<string, string> {
  return {
    PLUMBLINE_HOME: '/nonexistent', // servers with these settings need no files
    DATABASE_URI: databaseUri,
    MAIL_URL: mailUrl,
    SECRETS_KEY: Buffer.alloc(32, 7).toString('base64'),
    REPLY_VALIDATION: 'always',
    SYNC_JOBS: '1',
    AUTH_REGISTER_LIMIT: 'off',
    AUTH_REGISTER_ATTEMPT_LIMIT: 'off',
    AUTH_MAIL_IP_LIMIT: 'off',
    AUTH_MAIL_ADDRESS_LIMIT: 'off',
    AUTH_INVITE_LIMIT: 'off',
    AUTH_LOGIN_ATTEMPT_LIMIT: 'off',
    AUTH_LOGIN_IP_LIMIT: 'off',
    AUTH_LOGIN_LIMIT: 'off',
  };
}

/** Sends requests with JSON bodies to a server process. */
export function jsonTo(url: string): SendJson {
  return async (method, path, { token, body } = {}): Promise<JsonReply> => {
    const reply = await fetch(`${url}${path}`, {
      method,
      headers: {
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: reply.status, body: await reply.json(), headers: reply.headers };
  };
}

export async function loginTo(json: SendJson, email: string): Promise<string> {
  const reply = await json('POST', '/api/v1/auth/login', { body: { email, password: testPassword } });
  expect(reply.status).toBe(200);
  return reply.body.access_token;
}

/** Registers the owner of an organization, verifies the address by its mail, and logs in. */
export async function signUpOwner(
  json: SendJson,
  mailbox: Mailbox,
): Promise<{ readonly email: string; readonly accessToken: string; readonly orgId: string }> {
  const email = 'owner@example.com';
  await json('POST', '/api/v1/auth/register', { body: { email, password: testPassword } });
  await vi.waitUntil(() => mailbox.to(email).length > 0, { timeout: 20_000 });
  await json('GET', `/api/v1/auth/verify?token=${mailbox.to(email)[0]?.token}`);
  const accessToken = await loginTo(json, email);
  const me = await json('GET', '/api/v1/auth/me', { token: accessToken });
  return { email, accessToken, orgId: me.body.org_id };
}

const syntheticData = { provider: 'synthetic', targets: ['git', 'prs'], repositories: ['acme/*'] };

/** Creates a configuration of syncs, by default of synthetic data. @returns the path of its runs */
export async function configureSync(json: SendJson, token: string, source: object = syntheticData): Promise<string> {
  const body = { name: 'all', ...source };
  const config = await json('POST', '/api/v1/admin/sync-configs', { token, body });
  expect(config.status).toBe(201);
  return `/api/v1/admin/sync-configs/${config.body.id}/runs`;
}

/** Runs a sync to its end. @returns how many commits and work units are stored then */
export async function runSync(
  sql: postgres.Sql,
  { json, runs, token }: { readonly json: SendJson; readonly runs: string; readonly token: string },
): Promise<unknown> {
  const { body } = await json('POST', runs, { token });
  const isComplete = async (): Promise<boolean> =>
    (await json('GET', `${runs}/${body.id}`, { token })).body.status === 'complete';
  await vi.waitUntil(isComplete, { timeout: 90_000, interval: 500 });
  const [counts] = await sql`
    select (select count(*)::integer from git_commits) as commits,
      (select count(*)::integer from work_units) as units`;
  return counts;
}

/**
 * Waits until the outbox is empty, and checks that each account and each invite exists and was mailed exactly once.
 *
 * @param interrupted recipients whose mail a killed server had taken: it may have sent it, and another server sends it again
 * @returns the number of addresses
 */
export async function expectEachMailedOnce(
  sql: postgres.Sql,
  mailbox: Mailbox,
  replies: readonly LoadReply[],
  interrupted: readonly string[] = [],
): Promise<number> {
  const waiting = async (): Promise<number> => (await sql`select id from outgoing_mails`).length;
  for (let left = await waiting(); left > 0;) {
    const before = left;
    // On a busy machine the mail server takes its time; but each look sees fewer.
    await vi.waitUntil(async () => (left = await waiting()) < before, { timeout: 30_000, interval: 500 });
  }
  const addressed = await sql<{ email: string }[]>`select email from users union all select email from invites`;
  const known = addressed.map((row) => row.email).sort();
  const mailed = mailbox.mails.map(({ to }) => to).sort();
  const repeated = mailed.filter((to, index) => to === mailed[index - 1]);
  expect(interrupted).toEqual(expect.arrayContaining(repeated));
  expect([...new Set(mailed)]).toEqual(known);
  const created = replies.flatMap((reply) => (reply.status === 201 && reply.email !== null ? [reply.email] : []));
  expect(known).toEqual(expect.arrayContaining(created));
  return addressed.length;
}

/** Makes mails that a killed server had taken due at once, instead of at the end of its lease. @returns their recipients */
export async function releaseTakenMails(sql: postgres.Sql): Promise<readonly string[]> {
  const taken = await sql<{ recipient: string }[]>`
    update outgoing_mails set available_at = now() where available_at > now() returning recipient`;
  return taken.map(({ recipient }) => recipient);
}
