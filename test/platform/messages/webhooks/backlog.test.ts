import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { takeDueDeliveries } from '../../../../src/platform/messages/webhooks/deliveries.store.js';
import { startTestPlatform, type JsonReply, type TestPlatform, type TestUser } from '../../../support/platform.js';
import { startWebhookReceiver, type WebhookReceiver } from '../../../support/webhook-receiver.js';
import { subscribe, webhooksPath } from './hooks.js';

let platform: TestPlatform;
let receiver: WebhookReceiver;
let owner: TestUser;
let webhookId: string;
beforeEach(async () => {
  platform = await startTestPlatform();
  receiver = await startWebhookReceiver();
  owner = await platform.signUp();
  webhookId = String((await subscribe(platform, owner, receiver, ['member.joined'])).body.webhook.id);
});
afterEach(async () => {
  await platform.stop();
  await receiver.stop();
});

interface Stored {
  readonly webhook?: string;
  readonly subject?: string;
  readonly hoursAgo: number;
  readonly attempts?: number;
  readonly count?: number;
}

/** Stores deliveries that have been due for some hours. */
async function store({ webhook = webhookId, subject = 'a', hoursAgo, attempts = 0, count = 1 }: Stored): Promise<void> {
  const at = new Date(platform.clock.now().getTime() - hoursAgo * 3_600_000);
  const data = JSON.stringify({ user_id: owner.userId, role: 'viewer' });
  await platform.database.sql`
    insert into webhook_deliveries (webhook_id, event_id, event, subject, data, created_at, available_at, attempts)
    select ${webhook}, gen_random_uuid(), 'member.joined', ${subject}, ${data}, ${at}, ${at}, ${attempts}
    from generate_series(1, ${count}::int)`;
}

const list = async (id = webhookId): Promise<JsonReply['body'][]> => {
  const path = webhooksPath(owner, `/${id}/deliveries?limit=200`);
  return (await platform.json('GET', path, { token: owner.accessToken })).body.items;
};
/** How many of a webhook wait and have failed. */
const counts = async (id = webhookId): Promise<unknown> => {
  const [row] = await platform.database.sql`
    select (count(*) - count(failed_at))::int as waiting, count(failed_at)::int as failed
    from webhook_deliveries where webhook_id = ${id}`;
  return row;
};

/** Delivers what is due with a server that has not polled before. */
async function deliverOnAnother(): Promise<void> {
  const { databaseUri, clock, mailbox } = platform;
  const another = await startTestPlatform({ databaseUri, clock, mailbox });
  await another.running.webhooks.drain();
  await another.stop();
}

describe('After the last attempt of a delivery', () => {
  beforeEach(async () => {
    await platform.running.webhooks.stop();
  });

  /** Stores a delivery before its last attempt, and later ones of its subject. */
  async function storeDead(): Promise<void> {
    await store({ hoursAgo: 30, attempts: 15 });
    await store({ hoursAgo: 25, count: 3 });
    await store({ hoursAgo: 23, count: 2 });
  }

  it('those of its subject that have been due for more than a day have failed as well', async () => {
    await storeDead();
    await store({ hoursAgo: 25, subject: 'b' });
    const other = String((await subscribe(platform, owner, receiver, ['member.joined'])).body.webhook.id);
    await store({ webhook: other, hoursAgo: 25 });
    receiver.secret = null; // each webhook has another one
    receiver.answer = (response) => response.writeHead(500).end();
    await deliverOnAnother();

    const failed = (await list()).filter(({ status }) => status === 'failed');
    const waited = 'An earlier event of the subject was given up, and this one had waited for more than a day.';
    expect(failed.map(({ attempts, error, next_attempt_at: next }) => [attempts, error, next]).sort()).toEqual([
      [0, waited, null],
      [0, waited, null],
      [0, waited, null],
      [16, 'The URL answered 500.', null],
    ]);
    expect(await counts()).toEqual({ waiting: 3, failed: 4 });
    expect(await counts(other)).toEqual({ waiting: 1, failed: 0 });
  });

  it('those of its subject that were sent again on request less than a day ago wait', async () => {
    await storeDead();
    const [, , again] = await platform.database.sql<{ id: string }[]>`
      select id from webhook_deliveries order by position`;
    const path = webhooksPath(owner, `/${webhookId}/deliveries/${again?.id ?? ''}/resend`);
    expect((await platform.json('POST', path, { token: owner.accessToken })).status).toBe(202);
    receiver.answer = (response) => response.writeHead(500).end();
    await deliverOnAnother();
    expect(await counts()).toEqual({ waiting: 3, failed: 3 });
  });

  it('one of its subject whose attempt has begun and has no outcome is not given up', async () => {
    const { sql } = platform.database;
    await store({ hoursAgo: 30, attempts: 15 });
    await sql`update webhook_deliveries set failed_at = now()`;
    await store({ hoursAgo: 25 });
    const limits = { leaseSeconds: 60, count: 1, perOrganization: 4 };
    const [held] = await takeDueDeliveries(sql, platform.clock.now(), [], limits);
    // The server died more than a day ago. An admin has sent the earlier one again meanwhile.
    const longAgo = new Date(platform.clock.now().getTime() - 25 * 3_600_000);
    await sql`update webhook_deliveries set available_at = ${longAgo} where attempt_id is not null`;
    await sql`update webhook_deliveries set failed_at = null where attempt_id is null`;
    receiver.answer = (response) => response.writeHead(500).end();
    await deliverOnAnother();
    expect(await counts()).toEqual({ waiting: 1, failed: 1 });
    const [row] = await sql`select id from webhook_deliveries where failed_at is null`;
    expect(row).toEqual({ id: held?.id });
  });

  it('those of a webhook that is inactive wait', async () => {
    await storeDead();
    receiver.answer = (response) => {
      const path = webhooksPath(owner, `/${webhookId}`);
      void platform
        .json('PATCH', path, { token: owner.accessToken, body: { is_active: false } })
        .then(() => response.writeHead(500).end());
    };
    await deliverOnAnother();
    expect(await counts()).toEqual({ waiting: 5, failed: 1 });
  });
});

it('A webhook has at most 10,000 deliveries that wait: the oldest have failed after the next attempt', async () => {
  await platform.running.webhooks.stop(); // so that none is attempted before all are stored
  receiver.answer = (response) => response.writeHead(500).end();
  await store({ hoursAgo: 3, count: 4 });
  await store({ hoursAgo: 2, count: 10_000 });
  await deliverOnAnother();
  expect(await counts()).toEqual({ waiting: 10_000, failed: 4 });
  const [row] = await platform.database.sql`
    select count(*)::int, min(last_error) as error from webhook_deliveries
    where failed_at is not null and created_at = (select min(created_at) from webhook_deliveries)`;
  expect(row).toEqual({ count: 4, error: 'More than 10000 deliveries of the webhook waited.' });
});

describe('Looking for deliveries that are due', () => {
  const limits = { leaseSeconds: 60, count: 100, perOrganization: 4 };
  /** Takes what is due. @returns how many rows of the outbox were read for that */
  const take = (): Promise<{ readonly ids: string[]; readonly read: number }> =>
    platform.database.sql.begin(async (sql) => {
      const taken = await takeDueDeliveries(sql, platform.clock.now(), [], limits);
      const [row] = await sql<{ read: number }[]>`
        select (seq_tup_read + coalesce(idx_tup_fetch, 0))::int as read from pg_stat_xact_user_tables
        where relname = 'webhook_deliveries'`;
      return { ids: taken.map((each) => each.webhook_id), read: row?.read ?? 0 };
    });
  const backOff = (): Promise<unknown> =>
    Promise.resolve(platform.database.sql`
      update webhook_deliveries set attempts = 3, available_at = ${new Date(platform.clock.now().getTime() + 60_000)}
      where position in (select min(position) from webhook_deliveries group by webhook_id, subject)`);
  beforeEach(async () => {
    await platform.running.webhooks.stop();
  });

  it('reads few rows of a webhook with a large backlog, beside those of others', async () => {
    await store({ hoursAgo: 5, count: 5000 });
    await store({ hoursAgo: 4, subject: 'b', count: 5000 });
    await backOff();
    const healthy = String((await subscribe(platform, owner, receiver, ['member.joined'])).body.webhook.id);
    await store({ webhook: healthy, hoursAgo: 1, count: 2 });
    await platform.database.sql`analyze webhook_deliveries`;
    const { ids, read } = await take();
    expect(ids).toEqual([healthy]);
    expect(read).toBeLessThan(1000);
  });

  it('finds the one that is due behind many that wait for others', async () => {
    await store({ hoursAgo: 5, count: 300 });
    await backOff();
    await store({ hoursAgo: 1, subject: 'b' });
    expect((await take()).ids).toEqual([webhookId]);
    const [row] = await platform.database.sql`select subject from webhook_deliveries where attempt_id is not null`;
    expect(row).toEqual({ subject: 'b' });
  });
});
