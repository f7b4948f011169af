import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createWebhooks } from '../../../../sdk/src/webhooks.js';
import { recordEvent } from '../../../../src/platform/messages/webhooks/record-event.js';
import { startTestPlatform, type JsonReply, type TestPlatform, type TestUser } from '../../../support/platform.js';
import { createServiceToken } from '../../../support/service-token.js';
import { startWebhookReceiver, type Received, type WebhookReceiver } from '../../../support/webhook-receiver.js';
import { loggedInAgain, subscribe, webhooksPath } from './hooks.js';

let platform: TestPlatform;
let receiver: WebhookReceiver;
let owner: TestUser;
let webhook: { readonly id: string };
let secret: string;
beforeEach(async () => {
  platform = await startTestPlatform();
  receiver = await startWebhookReceiver();
  owner = await platform.signUp();
  const { body } = await subscribe(platform, owner, receiver, ['service_token.created']);
  [webhook, secret] = [body.webhook, String(body.secret)];
});
afterEach(async () => {
  await platform.stop();
  await receiver.stop();
});

const unknownId = '00000000-0000-4000-8000-000000000000';
const drain = (): Promise<void> => platform.running.webhooks.drain();
const cause = (name: string): Promise<unknown> => createServiceToken(platform, owner, ['views:read'], { name });
const change = (body: object, user = owner, id = webhook.id): Promise<JsonReply> =>
  platform.json('PATCH', webhooksPath(user, `/${id}`), { token: user.accessToken, body });
const rotate = (overlap: number, user = owner): Promise<JsonReply> =>
  platform.json('POST', webhooksPath(user, `/${webhook.id}/rotate-secret`), {
    token: user.accessToken,
    body: { overlap_seconds: overlap },
  });
/** Events of one subject: each waits until the one before it is accepted. */
const causeInOrder = async (...ordered: readonly string[]): Promise<void> => {
  for (const name of ordered) {
    const data = { service_token_id: unknownId, name };
    const event = { type: 'service_token.created', orgId: owner.orgId, subject: 'one', data } as const;
    await platform.database.sql.begin((sql) => recordEvent(sql, event, platform.clock.now()));
  }
};
/** Advances the clock, which ends the access token of the owner. */
const passDays = async (days: number): Promise<void> => {
  platform.clock.advance(days * 86_400);
  owner = await loggedInAgain(platform, owner);
};
const names = (): unknown[] => receiver.received.map(({ data }) => data['name']);
const audited = (action: string): Promise<readonly unknown[]> =>
  Promise.resolve(
    platform.database.sql`select note from audit_log where action = ${action} and resource_id = ${webhook.id}`,
  );

describe('A change of a webhook', () => {
  it('keeps what it omits, and is audited', async () => {
    const changed = await change({ description: 'Chat', events: ['member.joined', 'service_token.created'] });
    expect(changed).toMatchObject({
      status: 200,
      body: { ...webhook, description: 'Chat', events: ['member.joined', 'service_token.created'] },
    });
    const listed = await platform.json('GET', webhooksPath(owner), { token: owner.accessToken });
    expect(listed.body.items).toEqual([changed.body]);
    expect((await change({ description: null })).body).toMatchObject({ ...changed.body, description: null });
    await change({ url: 'https://hooks.example.com/?key=k' });
    expect(await audited('UPDATE')).toEqual([
      { note: 'description, events' },
      { note: 'description' },
      { note: 'url: hooks.example.com' },
    ]);
  });

  it('of the URL is checked, and moves what is outstanding', async () => {
    expect(await change({ url: 'http://10.0.0.1/' })).toMatchObject({
      status: 422,
      body: { violations: [{ path: '/body/url' }] },
    });
    await platform.running.webhooks.stop();
    await cause('Export');
    const next = await startWebhookReceiver();
    next.secret = secret;
    expect((await change({ url: next.url })).status).toBe(200);
    const { databaseUri, clock, mailbox } = platform;
    const another = await startTestPlatform({ databaseUri, clock, mailbox });
    await another.running.webhooks.drain();
    expect([receiver.received.length, next.received.length]).toEqual([0, 1]);
    await another.stop();
    await next.stop();
  });

  it('can stop events for a time, and what was outstanding is sent afterwards', async () => {
    receiver.answer = (response) => response.writeHead(500).end();
    await cause('Before');
    await drain();
    expect((await change({ is_active: false })).body).toMatchObject({ is_active: false });
    await cause('Meanwhile');
    platform.clock.advance(600);
    receiver.answer = (response) => response.writeHead(204).end();
    await drain();
    expect(names()).toEqual(['Before']);
    await change({ is_active: true });
    await drain();
    await cause('Later');
    await drain();
    expect(names()).toEqual(['Before', 'Before', 'Later']);
  });

  it('that ends a pause of days gives up what was outstanding, which can be sent again', async () => {
    receiver.answer = (response) => response.writeHead(500).end();
    await cause('Before');
    await drain();
    await change({ is_active: false });
    await passDays(2);
    receiver.answer = (response) => response.writeHead(204).end();
    await change({ is_active: true });
    await cause('Later');
    await drain();
    expect(names()).toEqual(['Before', 'Later']);

    const deliveries = webhooksPath(owner, `/${webhook.id}/deliveries`);
    const listed = await platform.json('GET', deliveries, { token: owner.accessToken });
    const [delivery] = listed.body.items;
    expect(delivery).toMatchObject({
      status: 'failed',
      error: 'The webhook was inactive for more than a day.',
      event: { data: { name: 'Before' } },
    });
    await platform.json('POST', `${deliveries}/${String(delivery.id)}/resend`, { token: owner.accessToken });
    await drain();
    expect(names()).toEqual(['Before', 'Later', 'Before']);
  });

  it('that ends a short pause gives up nothing, although deliveries have waited for days behind a retry', async () => {
    receiver.answer = (response) => response.writeHead(500).end();
    await causeInOrder('One', 'Two', 'Three');
    await drain();
    await passDays(2); // no server has run
    await drain();
    await change({ is_active: false });
    platform.clock.advance(60);
    receiver.answer = (response) => response.writeHead(204).end();
    await change({ is_active: true });
    platform.clock.advance(86_400);
    await drain();
    expect(names()).toEqual(['One', 'One', 'One', 'Two', 'Three']);
  });

  it('measures the latest pause, which a repeated deactivation does not begin', async () => {
    receiver.answer = (response) => response.writeHead(500).end();
    await causeInOrder('One', 'Two');
    await drain();
    await change({ is_active: false });
    await passDays(0.5);
    await change({ is_active: true });
    await change({ is_active: false });
    await passDays(0.9);
    await change({ is_active: true });
    const failed = (): Promise<unknown> =>
      Promise.resolve(platform.database.sql`select 1 from webhook_deliveries where failed_at is not null`);
    expect(await failed()).toHaveLength(0);
    await change({ is_active: false });
    await passDays(0.9);
    await change({ is_active: false });
    await passDays(0.2);
    await change({ is_active: true });
    expect(await failed()).toHaveLength(2);
  });

  it('that is repeated for an active webhook gives up nothing', async () => {
    receiver.answer = (response) => response.writeHead(500).end();
    await cause('Before');
    await drain();
    await passDays(2); // as if no server had run
    await change({ is_active: true });
    receiver.answer = (response) => response.writeHead(204).end();
    await drain();
    expect(names()).toEqual(['Before', 'Before']);
  });

  it('is not possible in another organization, for an unknown webhook, or without a field', async () => {
    const stranger = await platform.signUp();
    expect((await change({ is_active: false }, stranger)).body.type).toBe('/problems/webhook-not-found');
    expect((await change({ is_active: false }, owner, unknownId)).status).toBe(404);
    expect((await change({})).status).toBe(422);
  });
});

describe('A rotation of the secret', () => {
  /** Whether a receiver that knows only this secret accepts a delivery. */
  const accepts = async (known: string, { headers, body }: Received): Promise<boolean> => {
    const now = (): number => platform.clock.now().getTime();
    return createWebhooks({ secret: known, now })
      .parse(headers, body)
      .then(
        () => true,
        () => false,
      );
  };
  const delivered = async (name: string): Promise<Received> => {
    await cause(name);
    await drain();
    const latest = receiver.received.at(-1);
    if (latest?.data['name'] !== name) throw new Error('nothing was received');
    return latest;
  };

  it('lets the previous one sign until the overlap ends', async () => {
    receiver.secret = null;
    const rotated = await rotate(600);
    expect(rotated).toMatchObject({
      status: 200,
      body: { webhook: { ...webhook, overlap_ends_at: expect.any(String) } },
    });
    const next = String(rotated.body.secret);
    expect(next).not.toBe(secret);
    const during = await delivered('During');
    expect([await accepts(secret, during), await accepts(next, during)]).toEqual([true, true]);
    platform.clock.advance(600);
    const later = await delivered('Later');
    expect([await accepts(secret, later), await accepts(next, later)]).toEqual([false, true]);
    const listed = await platform.json('GET', webhooksPath(owner), { token: owner.accessToken });
    expect(listed.body.items).toMatchObject([{ overlap_ends_at: null }]);
    expect(await audited('WEBHOOK_SECRET_ROTATED')).toEqual([{ note: 'overlap of 600 s' }]);
    expect(platform.logLines.join('')).not.toContain(next.slice(6));
  });

  it('keeps each of several previous ones until its own end', async () => {
    receiver.secret = null;
    const second = String((await rotate(600)).body.secret);
    platform.clock.advance(300);
    const third = String((await rotate(3600)).body.secret);
    const rotated = await rotate(60);
    const known = [secret, second, third, String(rotated.body.secret)];
    const accepted = async (name: string): Promise<boolean[]> => {
      const latest = await delivered(name);
      return Promise.all(known.map((each) => accepts(each, latest)));
    };
    const remaining = Date.parse(rotated.body.webhook.overlap_ends_at) - platform.clock.now().getTime();
    expect(remaining).toBeGreaterThan(3_500_000); // that of the second, which ends last
    expect(await accepted('All')).toEqual([true, true, true, true]);
    platform.clock.advance(60);
    expect(await accepted('Without the third')).toEqual([true, true, false, true]);
    platform.clock.advance(240);
    expect(await accepted('Without the first')).toEqual([false, true, false, true]);
  });

  it('is refused while four previous ones sign, except without an overlap', async () => {
    receiver.secret = null;
    for (const overlap of [600, 60, 3600, 3600]) expect((await rotate(overlap)).status).toBe(200);
    expect(await rotate(60)).toMatchObject({
      status: 422,
      body: { violations: [{ path: '/body/overlap_seconds', message: expect.stringContaining('4 previous secrets') }] },
    });
    platform.clock.advance(60);
    expect((await rotate(60)).status).toBe(200);
    const latest = String((await rotate(0)).body.secret);
    const received = await delivered('Export');
    expect([await accepts(secret, received), await accepts(latest, received)]).toEqual([false, true]);
    expect((await rotate(60)).status).toBe(200);
  });

  it('without an overlap ends the previous one at once, also that of an earlier rotation', async () => {
    receiver.secret = null;
    const between = String((await rotate(600)).body.secret);
    const next = String((await rotate(0)).body.secret);
    const latest = await delivered('Export');
    const accepted = await Promise.all([secret, between, next].map((each) => accepts(each, latest)));
    expect(accepted).toEqual([false, false, true]);
  });

  it('at once by a release that knows no earlier secrets ends them, also for later rotations', async () => {
    receiver.secret = null;
    await rotate(3600);
    const second = String((await rotate(3600)).body.secret);
    // As the release before migration 027 stores it.
    await platform.database.sql`
      update webhooks set previous_sealed_secret = null, previous_secret_until = null where id = ${webhook.id}`;
    const first = await delivered('First');
    expect([await accepts(secret, first), await accepts(second, first)]).toEqual([false, true]);
    const listed = await platform.json('GET', webhooksPath(owner), { token: owner.accessToken });
    expect(listed.body.items).toMatchObject([{ overlap_ends_at: null }]);
    await rotate(600);
    const later = await delivered('Later');
    expect([await accepts(secret, later), await accepts(second, later)]).toEqual([false, true]);
  });

  it('is not possible in another organization', async () => {
    expect((await rotate(0, await platform.signUp())).body.type).toBe('/problems/webhook-not-found');
  });
});

it('A service token creates a webhook that has no creator', async () => {
  const { token, id } = await createServiceToken(platform, owner, ['webhooks:write'], { name: 'Setup' });
  const body = { url: 'https://hooks.example.com/', events: ['member.joined'] };
  const created = await platform.json('POST', webhooksPath(owner), { token, body });
  expect(created).toMatchObject({ status: 201, body: { webhook: { created_by: null } } });
  const rows = await platform.database.sql`
    select service_token_id, user_id from audit_log where resource_id = ${created.body.webhook.id}`;
  expect(rows).toEqual([{ service_token_id: id, user_id: null }]);
});
