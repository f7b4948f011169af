import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { migrate } from '../../../src/database/migrate.js';
import { captureLog } from '../../support/captured-log.js';
import { startTestPlatform, testPassword, type TestPlatform, type TestUser } from '../../support/platform.js';
import { startOwnPostgres, type OwnPostgres } from '../../support/postgres.js';

let postgres: OwnPostgres;
let platform: TestPlatform;
let owner: TestUser;
beforeEach(async () => {
  postgres = await startOwnPostgres();
  await migrate(postgres.uri, { logger: captureLog().log });
  platform = await startTestPlatform({ databaseUri: postgres.uri });
  owner = await platform.signUp();
});
afterEach(async () => {
  await platform.stop();
  await postgres.remove();
});

test.each(['stop', 'crash'] as const)(
  '%s of the database under load: 503 until it is back, and no mail too few or too many',
  async (end) => {
    const load = startLoad(platform, owner);
    for (let outage = 1; outage <= 2; outage++) {
      await load.until(served, 40);
      await postgres[end]();
      await load.until(unavailable, 40);
      expect((await platform.json('GET', '/health/live')).status).toBe(200);
      expect((await platform.json('GET', '/health/ready')).status).toBe(503);
      await postgres.start();
    }
    await load.until(served, 40);
    const replies = await load.stop();

    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200, 201, 503]));
    expect((await platform.json('GET', '/health/ready')).status).toBe(200);

    // A mail that was taken for delivery when the database went waits for the end of its lease.
    platform.clock.advance(600);
    await platform.running.mails.drain();
    const { sql } = platform.database;
    expect(await sql`select id from mail_outbox`).toHaveLength(0);
    const mailed = new Set(platform.mailbox.mails.map(({ to }) => to));
    const kept = await sql<{ email: string }[]>`select email from users union all select email from invites`;
    // What was answered 201 is kept. A commit whose answer got lost may be kept as well; then its mail comes, too.
    for (const { status, email } of replies) if (status === 201) expect(mailed).toContain(email);
    expect([...mailed].sort()).toEqual(kept.map(({ email }) => email).sort());
  },
);

test('a server that starts to stop while the database is away stops', async () => {
  const load = startLoad(platform, owner);
  await load.until(served, 10);
  await postgres.crash();
  await load.until(unavailable, 10);
  await load.stop();
  await platform.running.stop();
  await expect(fetch(`${platform.url}/health/live`)).rejects.toThrow('fetch failed');
  await postgres.start();
});

interface LoadReply {
  readonly status: number;
  /** Who is to be mailed if it succeeds; null for what sends no mail. */
  readonly email: string | null;
}

interface Load {
  /** Resolves when `count` more replies are such as `isWanted` says. */
  until(isWanted: (reply: LoadReply) => boolean, count: number): Promise<void>;
  /** Lets the requests under way finish. */
  stop(): Promise<readonly LoadReply[]>;
}

const served = ({ status }: LoadReply): boolean => status < 300;
const unavailable = ({ status }: LoadReply): boolean => status === 503;

const clients = 12;

/** Many clients at once, each of which sends one request after the other. */
function startLoad(to: TestPlatform, { accessToken: token, orgId }: TestUser): Load {
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
