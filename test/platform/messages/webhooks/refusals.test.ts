import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestPlatform, type JsonReply, type TestPlatform, type TestUser } from '../../../support/platform.js';
import { createServiceToken } from '../../../support/service-token.js';
import { startWebhookReceiver, type WebhookReceiver } from '../../../support/webhook-receiver.js';
import { subscribe, webhooksPath } from './hooks.js';

let platform: TestPlatform;
let receiver: WebhookReceiver;
let owner: TestUser;
let id: string;
beforeAll(async () => {
  platform = await startTestPlatform();
  receiver = await startWebhookReceiver();
});
afterAll(async () => {
  await receiver.stop();
  await platform.stop();
});
beforeEach(async () => {
  owner = await platform.signUp();
  id = String((await subscribe(platform, owner, receiver, ['service_token.created'])).body.webhook.id);
});

const get = async (below = ''): Promise<JsonReply> =>
  platform.json('GET', webhooksPath(owner, below), { token: owner.accessToken });

/** Sends an event, which is answered so. @returns the delivery, and when it was attempted */
async function sendTo(
  status: number,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ delivery: Record<string, unknown>; now: Date }> {
  receiver.answer = (response) => response.writeHead(status, headers).end();
  await createServiceToken(platform, owner, ['views:read']);
  await platform.running.webhooks.drain();
  const { items } = (await get(`/${id}/deliveries`)).body;
  return { delivery: items[0], now: platform.clock.now() };
}

/** The seconds until the next attempt. */
function delayOf({ delivery, now }: { readonly delivery: Record<string, unknown>; readonly now: Date }): number {
  return Math.round((Date.parse(String(delivery['next_attempt_at'])) - now.getTime()) / 1000);
}

describe('A webhook whose URL answers 410', () => {
  it('is inactive, and its delivery has failed and says why', async () => {
    const { delivery } = await sendTo(410);
    const error = 'The URL answered 410 (gone).';
    expect(delivery).toMatchObject({ status: 'failed', attempts: 1, error });
    expect((await get()).body.items).toMatchObject([{ id, is_active: false, inactive_reason: 'gone' }]);
    const before = receiver.received.length;
    await createServiceToken(platform, owner, ['views:read'], { name: 'another' });
    await platform.running.webhooks.drain();
    expect(receiver.received).toHaveLength(before);
  });

  it('can be activated again, and the delivery sent again', async () => {
    const { delivery } = await sendTo(410);
    const patch = { token: owner.accessToken, body: { is_active: true } };
    expect((await platform.json('PATCH', webhooksPath(owner, `/${id}`), patch)).status).toBe(200);
    receiver.answer = (response) => response.writeHead(204).end();
    const resend = `/${id}/deliveries/${String(delivery['id'])}/resend`;
    expect((await platform.json('POST', webhooksPath(owner, resend), { token: owner.accessToken })).status).toBe(202);
    await platform.running.webhooks.drain();
    expect((await get(`/${id}/deliveries`)).body.items).toEqual([]);
  });

  it('stays active if an admin has changed its URL meanwhile', async () => {
    receiver.answer = (response) => {
      const patch = { token: owner.accessToken, body: { url: `${receiver.url}/new` } };
      void platform.json('PATCH', webhooksPath(owner, `/${id}`), patch).then(() => response.writeHead(410).end());
    };
    await createServiceToken(platform, owner, ['views:read']);
    await platform.running.webhooks.drain();
    expect((await get()).body.items).toMatchObject([{ id, is_active: true, inactive_reason: null }]);
  });
});

describe('The next attempt', () => {
  it.each([
    [429, '120', 120],
    [503, '3600', 3600],
    [503, '999999', 21_600],
    [503, '1', 5],
    [503, 'soon', 5],
    [500, '120', 5],
  ])('after %i with Retry-After: %s follows in %i seconds', async (status, retryAfter, seconds) => {
    expect(delayOf(await sendTo(status, { 'Retry-After': retryAfter }))).toBe(seconds);
  });

  it('may be asked for as a date', async () => {
    const date = new Date(platform.clock.now().getTime() + 600_000).toUTCString();
    const delay = delayOf(await sendTo(503, { 'Retry-After': date }));
    expect([599, 600]).toContain(delay); // a date has whole seconds
  });

  it('follows soon without the header', async () => {
    expect(delayOf(await sendTo(503))).toBe(5);
  });
});
