import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestPlatform, type JsonReply, type TestPlatform, type TestUser } from '../../../support/platform.js';
import { createServiceToken } from '../../../support/service-token.js';
import { startSilentPeer } from '../../../support/silent-peer.js';
import { startWebhookReceiver, type WebhookReceiver } from '../../../support/webhook-receiver.js';
import { subscribe, webhooksPath } from './hooks.js';

let platform: TestPlatform;
let receiver: WebhookReceiver;
let owner: TestUser;
let id: string;
beforeAll(async () => {
  platform = await startTestPlatform();
});
afterAll(() => platform.stop());
beforeEach(async () => {
  receiver = await startWebhookReceiver();
  owner = await platform.signUp();
  id = String((await subscribe(platform, owner, receiver, ['service_token.created'])).body.webhook.id);
  return () => receiver.stop();
});

const send = (method: string, below: string, body?: unknown, as = owner): Promise<JsonReply> =>
  platform.json(method, webhooksPath(owner, below), { token: as.accessToken, body });
const test = (): Promise<JsonReply> => send('POST', `/${id}/test`);

describe('The list of accepted deliveries', () => {
  it('has what the URL has accepted, the last one first, without the data', async () => {
    const first = await createServiceToken(platform, owner, ['views:read'], { name: 'first' });
    await platform.running.webhooks.drain();
    receiver.answer = (response) => response.writeHead(500).end();
    await createServiceToken(platform, owner, ['views:read'], { name: 'second' });
    await platform.running.webhooks.drain();
    expect((await send('GET', `/${id}/accepted-deliveries`)).body.items).toHaveLength(1);
    receiver.answer = (response) => response.writeHead(204).end();
    platform.clock.advance(10);
    await platform.running.webhooks.drain();

    const { status, body } = await send('GET', `/${id}/accepted-deliveries`);
    const [event, retried] = receiver.received;
    const type = 'service_token.created';
    expect(status).toBe(200);
    expect(body.items).toMatchObject([
      { event_id: retried?.id, event_type: type, attempts: 2 },
      { event_id: event?.id, event_type: type, attempts: 1 },
    ]);
    const [{ occurred_at: occurred, accepted_at: accepted }] = body.items;
    expect(Date.parse(accepted) - Date.parse(occurred)).toBeGreaterThanOrEqual(10_000);
    expect(JSON.stringify(body)).not.toContain(first.id);
    const { items, next_cursor: cursor } = (await send('GET', `/${id}/accepted-deliveries?limit=1`)).body;
    expect(items).toEqual([body.items[0]]);
    const rest = await send('GET', `/${id}/accepted-deliveries?limit=1&cursor=${String(cursor)}`);
    expect(rest.body).toEqual({ items: [body.items[1]], next_cursor: null });
  });

  it('is that of a webhook of the organization', async () => {
    expect((await send('GET', `/${randomUUID()}/accepted-deliveries`)).status).toBe(404);
    const stranger = await platform.signUp();
    expect((await send('GET', `/${id}/accepted-deliveries`, undefined, stranger)).status).toBe(403);
  });
});

describe('A test event', () => {
  it('arrives signed, also at an inactive webhook that asks for other events, and nothing else changes', async () => {
    const { body: before } = await send('PATCH', `/${id}`, { is_active: false });
    expect(await test()).toMatchObject({ status: 200, body: { success: true, error: null } });
    expect(receiver.received).toMatchObject([{ type: 'webhook.test', data: { webhook_id: id } }]);
    expect((await send('GET', '')).body.items).toEqual([before]);
    for (const list of ['deliveries', 'accepted-deliveries']) {
      expect((await send('GET', `/${id}/${list}`)).body.items).toEqual([]);
    }
  });

  it('is signed by a previous secret too until its overlap ends', async () => {
    const former = receiver.secret;
    expect((await send('POST', `/${id}/rotate-secret`, { overlap_seconds: 60 })).status).toBe(200);
    receiver.secret = former;
    expect((await test()).body).toMatchObject({ success: true });
    platform.clock.advance(61);
    expect((await test()).body).toMatchObject({ success: false, error: 'The URL answered 401.' });
  });

  it.each([
    [500, 'The URL answered 500.'],
    [302, 'The URL redirects (302).'],
    [410, 'The URL answered 410 (gone).'],
  ])('that is answered %i has failed, which the webhook survives', async (status, error) => {
    receiver.answer = (response) => response.writeHead(status, { Location: receiver.url }).end();
    expect(await test()).toMatchObject({ status: 200, body: { success: false, error } });
    expect((await send('GET', '')).body.items).toMatchObject([{ is_active: true, inactive_reason: null }]);
    const log = await platform.json('GET', `/api/v1/admin/audit-log?action=WEBHOOK_TESTED`, {
      token: owner.accessToken,
    });
    expect(log.body.items).toMatchObject([{ user_id: owner.userId, resource_id: id, status: 'failure', note: error }]);
  });

  it('to a URL that does not answer ends, and says no more than that it cannot be reached', async () => {
    const silent = await startSilentPeer();
    try {
      expect((await send('PATCH', `/${id}`, { url: `http://127.0.0.1:${silent.port}/` })).status).toBe(200);
      expect((await test()).body).toMatchObject({ success: false, error: 'The URL cannot be reached.' });
    } finally {
      silent.stop();
    }
  });

  it('is limited per user', async () => {
    const limited = await startTestPlatform({ environment: { WEBHOOK_TEST_LIMIT: '2/hour' } });
    try {
      const admin = await limited.signUp();
      const hook = await subscribe(limited, admin, receiver, ['member.joined']);
      const path = webhooksPath(admin, `/${String(hook.body.webhook.id)}/test`);
      const statuses: number[] = [];
      for (let sent = 0; sent < 3; sent++) {
        statuses.push((await limited.json('POST', path, { token: admin.accessToken })).status);
      }
      expect(statuses).toEqual([200, 200, 429]);
    } finally {
      await limited.stop();
    }
  });

  it('is not sent for a webhook that does not exist, nor for members', async () => {
    expect((await send('POST', `/${randomUUID()}/test`)).status).toBe(404);
    const member = await platform.signUp({ invitedBy: owner, role: 'member' });
    expect((await send('POST', `/${id}/test`, undefined, member)).status).toBe(403);
    expect(receiver.received).toEqual([]);
  });
});
