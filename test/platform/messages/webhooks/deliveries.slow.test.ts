import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createWebhooks } from '../../../../sdk/src/webhooks.js';
import { executeWithoutSleep, queueOf } from '../../sources/sync-runs/jobs/queue.js';
import { startTestPlatform, type JsonReply, type TestPlatform, type TestUser } from '../../../support/platform.js';
import { createServiceToken } from '../../../support/service-token.js';
import { startWebhookReceiver, type WebhookReceiver } from '../../../support/webhook-receiver.js';
import { loggedInAgain, subscribe, webhooksPath, type EventType } from './hooks.js';

let platform: TestPlatform;
let receiver: WebhookReceiver;
let owner: TestUser;
beforeEach(async () => {
  platform = await startTestPlatform();
  receiver = await startWebhookReceiver();
  owner = await platform.signUp();
});
afterEach(async () => {
  await platform.stop();
  await receiver.stop();
});

const drain = (): Promise<void> => platform.running.webhooks.drain();
const types = (): string[] => receiver.received.map(({ type }) => type);
const newToken = (admin = owner): Promise<{ id: string }> =>
  createServiceToken(platform, admin, ['views:read'], { name: randomUUID() });
const waiting = (): Promise<readonly unknown[]> =>
  Promise.resolve(platform.database.sql`select id from webhook_deliveries`);

const everything: readonly EventType[] = [
  'analytics.threshold_crossed',
  'integration.failed',
  'invite.accepted',
  'member.joined',
  'member.removed',
  'service_token.created',
  'sync_run.finished',
];

describe('A webhook receives', () => {
  it('members who join and leave, in this order', async () => {
    await subscribe(platform, owner, receiver, everything);
    const member = await platform.signUp({ invitedBy: owner, role: 'viewer' });
    const path = `/api/v1/organizations/${owner.orgId}/members/${member.userId}`;
    await platform.json('DELETE', path, { token: owner.accessToken });
    await drain();
    expect(types()).toEqual(['invite.accepted', 'member.joined', 'member.removed']);
    const [accepted, joined, removed] = receiver.received.map(({ data }) => data);
    expect(accepted).toMatchObject({ user_id: member.userId });
    expect(joined).toEqual({ user_id: member.userId, role: 'viewer' });
    expect(removed).toEqual({
      ...{ user_id: member.userId, removed_by: owner.userId },
      ...{ service_tokens: 0, webhooks: 0, integrations: 0 },
    });
  });

  it('service tokens, without their secrets', async () => {
    await subscribe(platform, owner, receiver, everything);
    const { id, token } = await createServiceToken(platform, owner, ['views:read'], { name: 'Export' });
    await drain();
    expect(receiver.received).toMatchObject([
      { type: 'service_token.created', data: { service_token_id: id, name: 'Export' } },
    ]);
    expect(receiver.received[0]?.body).not.toContain(token);
  });

  it('sync runs that end or are cancelled', async () => {
    await subscribe(platform, owner, receiver, everything);
    const queue = queueOf(platform, owner);
    const configId = await queue.configure({ repositories: ['*'] });
    const cancelled = await queue.start(configId);
    await queue.cancel(configId, cancelled);
    const worker = await startTestPlatform({
      databaseUri: platform.databaseUri,
      clock: platform.clock,
      mailbox: platform.mailbox,
      executeSync: executeWithoutSleep,
      environment: { SYNC_JOBS: '1' },
    });
    const completed = await queue.start(configId);
    await queue.until(configId, completed, 'complete');
    await worker.stop();
    await drain();
    expect(receiver.received.map(({ data }) => data)).toEqual([
      { sync_config_id: configId, sync_run_id: cancelled, status: 'cancelled' },
      { sync_config_id: configId, sync_run_id: completed, status: 'complete' },
    ]);
  });

  it('only the events that it asks for, of its organization', async () => {
    await subscribe(platform, owner, receiver, ['member.joined']);
    const stranger = await platform.signUp();
    await platform.signUp({ invitedBy: stranger });
    await newToken();
    expect(await waiting()).toEqual([]);
  });

  it('nothing of a change that is rolled back', async () => {
    await subscribe(platform, owner, receiver, ['service_token.created']);
    await createServiceToken(platform, owner, ['views:read'], { name: 'Taken' });
    await expect(createServiceToken(platform, owner, ['views:read'], { name: 'Taken' })).rejects.toThrow('422');
    await drain();
    expect(types()).toEqual(['service_token.created']);
  });
});

describe('A delivery', () => {
  beforeEach(async () => {
    await subscribe(platform, owner, receiver, everything);
  });

  it('is signed, so that the SDK verifies it', async () => {
    await newToken();
    await drain();
    const [first] = receiver.received;
    if (first === undefined || receiver.secret === null) throw new Error('nothing was received');
    const now = (): number => platform.clock.now().getTime();
    const event = await createWebhooks({ secret: receiver.secret, now }).parse(first.headers, first.body);
    expect(event).toMatchObject({ type: 'service_token.created', id: first.id, org_id: owner.orgId });
    expect(first.headers['webhook-id']).toBe(first.id);
    const late = (): number => now() + 301_000;
    await expect(
      createWebhooks({ secret: receiver.secret, now: late }).parse(first.headers, first.body),
    ).rejects.toThrow('too old');
  });

  it('is repeated with the same id and body until it is accepted', async () => {
    receiver.answer = (response) => response.writeHead(503).end();
    await newToken();
    for (const seconds of [0, 4, 1, 9, 1]) {
      platform.clock.advance(seconds);
      await drain();
    }
    expect(receiver.received).toHaveLength(3); // at once, after 5 seconds, after 10 more
    receiver.answer = (response) => response.writeHead(200).end('thanks');
    platform.clock.advance(20);
    await drain();
    expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1);
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-signature'])).size).toBe(4);
    expect(await waiting()).toEqual([]);
  });

  it('waits for an earlier one of its subject, and not for those of others', async () => {
    receiver.answer = (response, { type }) => response.writeHead(type === 'invite.accepted' ? 500 : 204).end();
    await platform.signUp({ invitedBy: owner });
    await newToken();
    await drain();
    expect(types()).toEqual(['invite.accepted', 'service_token.created']);
    receiver.answer = (response) => response.writeHead(204).end();
    platform.clock.advance(5);
    await drain();
    expect(types().slice(2)).toEqual(['invite.accepted', 'member.joined']);
  });

  it('is given up after a day, listed, and sent again on request', async () => {
    receiver.answer = (response) => response.writeHead(500).end();
    await newToken();
    const begin = platform.clock.now().getTime();
    const deliveries = (): Promise<JsonReply> => listDeliveries();
    for (let attempt = 0; attempt < 15; attempt++) {
      await drain();
      const { next_attempt_at: next, status } = (await deliveries()).body.items[0];
      expect(status).toBe('waiting');
      platform.clock.advance((Date.parse(next) - platform.clock.now().getTime()) / 1000);
    }
    await drain();
    expect((platform.clock.now().getTime() - begin) / 3_600_000).toBeGreaterThan(20);
    const [failed] = (await deliveries()).body.items;
    expect(failed).toMatchObject({ status: 'failed', attempts: 16, error: 'The URL answered 500.' });
    expect(failed.next_attempt_at).toBeNull();
    expect(failed.event).toEqual(JSON.parse(receiver.received[0]?.body ?? ''));
    platform.clock.advance(86_400);
    await drain();
    expect(receiver.received).toHaveLength(16);

    receiver.answer = (response) => response.writeHead(204).end();
    const path = webhooksPath(owner, `/${await webhookId()}/deliveries/${String(failed.id)}/resend`);
    const resent = await platform.json('POST', path, { token: await freshToken() });
    expect(resent).toMatchObject({ status: 202, body: { status: 'waiting', attempts: 0 } });
    await drain();
    expect(receiver.received).toHaveLength(17);
    expect(await waiting()).toEqual([]);
  });

  it.each([
    ['a redirect', '/elsewhere'],
    ['a redirect to a private network', 'http://10.0.0.1/'],
  ])('does not follow %s', async (_what, location) => {
    receiver.answer = (response) => response.writeHead(307, { Location: location }).end();
    await newToken();
    await drain();
    expect(receiver.received.map(({ path }) => path)).toEqual(['/hook']);
    const error = 'The URL redirects (307).';
    expect((await listDeliveries()).body.items).toMatchObject([{ error, attempts: 1 }]);
  });

  it.each<[string, WebhookReceiver['answer']]>([
    ['longer than 64 kB', (response) => response.writeHead(200).end('x'.repeat(100_000))],
    ['without an end', (response) => response.writeHead(200).write('x')],
    ['cut off', (response) => response.writeHead(200, { 'Content-Length': 9 }).write('x', () => response.destroy())],
  ])('is accepted by the status 200, with a body that is %s', async (_what, answer) => {
    receiver.answer = answer;
    await newToken();
    await drain();
    expect(await waiting()).toEqual([]);
  });

  it('is not sent without a signature', async () => {
    await platform.database.sql`update webhooks set sealed_secret = '\\x01'`;
    await newToken();
    await drain();
    expect(receiver.received).toEqual([]);
    const error = 'The server cannot sign the event.';
    expect((await listDeliveries()).body.items).toMatchObject([{ error, attempts: 1 }]);
  });

  it('says no more about a URL that cannot be reached', async () => {
    await receiver.stop();
    await newToken();
    await drain();
    expect((await listDeliveries()).body.items).toMatchObject([{ error: 'The URL cannot be reached.' }]);
    receiver = await startWebhookReceiver();
  });
});

it('A name that resolves to a private address receives nothing', async () => {
  const environment = { INTEGRATION_NETWORKS: '' };
  const { databaseUri, clock, mailbox } = platform;
  await platform.running.webhooks.stop();
  const strict = await startTestPlatform({ databaseUri, clock, mailbox, environment });
  const body = { url: receiver.url.replace('127.0.0.1', 'localhost'), events: ['service_token.created'] };
  const created = await strict.json('POST', webhooksPath(owner), { token: owner.accessToken, body });
  expect(created.status).toBe(201); // only the connection shows the address
  await createServiceToken(strict, owner, ['views:read']);
  await strict.running.webhooks.drain();
  expect((await listDeliveries()).body.items).toMatchObject([{ error: 'The URL cannot be reached.', attempts: 1 }]);
  await strict.stop();
  expect(receiver.received).toEqual([]);
});

it('Addresses of private networks receive nothing, also when the operator forbids them later', async () => {
  await subscribe(platform, owner, receiver, everything);
  await platform.running.webhooks.stop();
  await newToken();
  const environment = { INTEGRATION_NETWORKS: '' };
  const { databaseUri, clock, mailbox } = platform;
  const strict = await startTestPlatform({ databaseUri, clock, mailbox, environment });
  await strict.running.webhooks.drain();
  await strict.stop();
  expect(receiver.received).toEqual([]);
});

async function webhookId(): Promise<string> {
  const [row] = await platform.database.sql<{ id: string }[]>`select id from webhooks`;
  return row?.id ?? '';
}

async function listDeliveries(): Promise<JsonReply> {
  const path = webhooksPath(owner, `/${await webhookId()}/deliveries`);
  return platform.json('GET', path, { token: await freshToken() });
}

/** Clocks are moved beyond the life of access tokens. */
async function freshToken(): Promise<string> {
  return (await loggedInAgain(platform, owner)).accessToken;
}
