import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { testPassword, type TestPlatform, type TestUser } from '../../support/platform.js';

export interface LoadReply {
  readonly status: number;
  /** Who is to be mailed if it succeeds; null for what sends no mail. */
  readonly email: string | null;
}

export interface Load {
  /** Resolves when `count` more replies are such as `isWanted` says. */
  until(isWanted: (reply: LoadReply) => boolean, count: number): Promise<void>;
  /** Lets the requests under way finish. */
  stop(): Promise<readonly LoadReply[]>;
}

export const served = ({ status }: LoadReply): boolean => status < 300;
export const unavailable = ({ status }: LoadReply): boolean => status === 503;

const clients = 12;

/** Many clients at once, each of which sends one request after the other. */
export function startLoad(
  to: Pick<TestPlatform, 'json'>,
  { accessToken: token, orgId }: Pick<TestUser, 'accessToken' | 'orgId'>,
): Load {
  const replies: LoadReply[] = [];
  let noticeReply: (reply: LoadReply) => void = () => undefined;
  let isStopping = false;

  const requests: readonly (() => Promise<LoadReply>)[] = [
    async () => {
      const email = `${randomUUID()}@example.com`;
      const body = { email, password: testPassword };
      return { email, status: (await to.json('POST', '/api/v1/auth/register', { body })).status };
    },
    async () => {
      const email = `${randomUUID()}@example.com`;
      const path = `/api/v1/organizations/${orgId}/invites`;
      return { email, status: (await to.json('POST', path, { token, body: { email, role: 'viewer' } })).status };
    },
    async () => ({ email: null, status: (await to.json('GET', '/api/v1/auth/me', { token })).status }),
    async () => ({
      email: null,
      status: (await to.json('GET', `/api/v1/organizations/${orgId}/members`, { token })).status,
    }),
  ];
  const work = async (client: number): Promise<void> => {
    for (let turn = client; !isStopping; turn++) {
      const request = requests[turn % requests.length];
      if (request === undefined) return;
      const reply = await request();
      replies.push(reply);
      noticeReply(reply);
    }
  };
  const working = Promise.all(Array.from({ length: clients }, (_, client) => work(client)));
  working.catch(() => undefined); // `until` and `stop` pass it on

  return {
    until: (isWanted, count) => {
      const seen = new Promise<void>((resolve) => {
        let missing = count;
        noticeReply = (reply) => {
          if (isWanted(reply) && --missing === 0) resolve();
        };
      });
      return Promise.race([seen, working.then(() => undefined)]);
    },
    stop: async () => {
      isStopping = true;
      await working;
      return replies;
    },
  };
}

/** Checks that each account and invite that was answered 201 exists, and that each one that exists was mailed. */
export async function expectEachMailOnce(platform: TestPlatform, replies: readonly LoadReply[]): Promise<void> {
  // A mail that was taken for delivery when the database went waits for the end of its lease.
  platform.clock.advance(600);
  await platform.running.mails.drain();
  const { sql } = platform.database;
  expect(await sql`select id from outgoing_mails`).toHaveLength(0);
  const mailed = new Set(platform.mailbox.mails.map(({ to }) => to));
  const kept = await sql<{ email: string }[]>`select email from users union all select email from invites`;
  // What was answered 201 is kept. A commit whose answer got lost may be kept as well; then its mail comes, too.
  for (const { status, email } of replies) if (status === 201) expect(mailed).toContain(email);
  expect([...mailed].sort()).toEqual(kept.map(({ email }) => email).sort());
}
