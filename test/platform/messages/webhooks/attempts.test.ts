import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startTestPlatform, type JsonReply, type TestPlatform, type TestUser } from '../../../support/platform.js';
import { createServiceToken } from '../../../support/service-token.js';
import { startWebhookReceiver, type WebhookReceiver } from '../../../support/webhook-receiver.js';
import { subscribe, webhooksPath } from './hooks.js';

let platform: TestPlatform;
/** Another server with the database. */
let another: TestPlatform;
let receiver: WebhookReceiver;
let owner: TestUser;
let deliveries: string;
/** Requests that the receiver has not answered. */
let open: ServerResponse[];
beforeEach(async () => {
  platform = await startTestPlatform();
  const { databaseUri, clock, mailbox } = platform;
  another = await startTestPlatform({ databaseUri, clock, mailbox });
  receiver = await startWebhookReceiver();
  owner = await platform.signUp();
  const { body } = await subscribe(platform, owner, receiver, ['service_token.created']);
  deliveries = webhooksPath(owner, `/${String(body.webhook.id)}/deliveries`);
  open = [];
  receiver.answer = (response) => open.push(response);
});
afterEach(async () => {
  await another.stop();
  await platform.stop();
  await receiver.stop();
});

const list = (): Promise<JsonReply> => platform.json('GET', deliveries, { token: owner.accessToken });
const received = (count: number): Promise<void> =>
  expect.poll(() => receiver.received.length, { timeout: 20_000 }).toBe(count);
const answer = (status: number): void => void open.shift()?.writeHead(status).end();

/** Causes an event. @returns the end of its attempt */
async function beginAttempt(attempts = 0): Promise<Promise<void>[]> {
  await Promise.all([platform, another].map(({ running }) => running.webhooks.drain()));
  await createServiceToken(platform, owner, ['views:read']);
  // A poll may have begun the attempt already.
  if (attempts > 0) await platform.database.sql`update webhook_deliveries set attempts = ${attempts}`;
  const ended = platform.running.webhooks.drain();
  await received(1);
  return [ended];
}

async function resend(): Promise<JsonReply> {
  const [{ id }] = (await list()).body.items;
  return platform.json('POST', `${deliveries}/${String(id)}/resend`, { token: owner.accessToken });
}

describe('A delivery that is being attempted', () => {
  it('is not sent a second time at the same time on request', async () => {
    const [ended] = await beginAttempt();
    expect(await resend()).toMatchObject({ status: 202, body: { status: 'waiting', attempts: 0 } });
    await another.running.webhooks.drain();
    expect(receiver.received).toHaveLength(1);
    answer(204);
    await ended;
    expect((await list()).body.items).toEqual([]);
  });

  it('is sent again on request, although its last attempt fails', async () => {
    const [ended] = await beginAttempt(15);
    expect((await resend()).status).toBe(202);
    answer(500);
    await received(2);
    expect((await list()).body.items).toMatchObject([
      { status: 'waiting', attempts: 1, error: 'The URL answered 500.' },
    ]);
    answer(204);
    await ended;
    expect((await list()).body.items).toEqual([]);
  });

  it.each([204, 500])('stays as it is when an attempt whose lease has ended is answered %i', async (status) => {
    const [ended] = await beginAttempt();
    platform.clock.advance(61);
    const taken = another.running.webhooks.drain();
    await received(2);
    answer(status);
    await ended;
    expect((await list()).body.items).toMatchObject([{ status: 'waiting', attempts: 2, error: null }]);
    answer(204);
    await taken;
    expect((await list()).body.items).toEqual([]);
  });
});
