import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { startTestPlatform, type JsonReply, type TestPlatform, type TestUser } from '../../../support/platform.js';
import { createServiceToken } from '../../../support/service-token.js';
import { startWebhookReceiver, type WebhookReceiver } from '../../../support/webhook-receiver.js';
import { subscribe, webhooksPath } from './hooks.js';

let platform: TestPlatform;
let receiver: WebhookReceiver;
let owner: TestUser;
let stranger: TestUser;
beforeAll(async () => {
  platform = await startTestPlatform();
  receiver = await startWebhookReceiver();
  stranger = await platform.signUp();
});
afterAll(async () => {
  await receiver.stop();
  await platform.stop();
});
beforeEach(async () => {
  owner = await platform.signUp();
});

const unknownId = '00000000-0000-4000-8000-000000000000';
const create = (url: string): Promise<JsonReply> =>
  platform.json('POST', webhooksPath(owner), { token: owner.accessToken, body: { url, events: ['member.joined'] } });
const list = async (user: TestUser, query = ''): Promise<JsonReply> =>
  platform.json('GET', webhooksPath(user, query), { token: user.accessToken });

describe('A webhook', () => {
  it('is created with a secret that is shown once, and listed', async () => {
    const created = await subscribe(platform, owner, receiver, ['member.joined', 'sync_run.finished']);
    const { secret, webhook } = created.body;
    expect(webhook).toMatchObject({ url: receiver.url, created_by: owner.userId });
    expect((await list(owner)).body.items).toEqual([webhook]);
    expect((await list(stranger)).body.items).toEqual([]);
    const rows = await platform.database.sql`select encode(sealed_secret, 'escape') as sealed from webhooks`;
    expect(JSON.stringify(rows)).not.toContain(String(secret).slice(6));
    expect(platform.logLines.filter((line) => line.includes(secret))).toEqual([]);
    const audited = await platform.database.sql`select action, note from audit_log where resource_kind = 'WEBHOOK'`;
    expect(audited).toEqual([
      { action: 'CREATE', note: `${new URL(receiver.url).host}: member.joined, sync_run.finished` },
    ]);
  });

  it.each([
    'hooks.example.com',
    'ftp://hooks.example.com/',
    'https://user:password@hooks.example.com/',
    'https://user@hooks.example.com/',
    'https://hooks.example.com/#in',
    'https://hooks.example.com/#',
    'http://10.0.0.1/',
    'http://[::ffff:10.0.0.1]/',
    'http://169.254.169.254/latest/meta-data',
    'http://0x0a000001/',
    'http://10.1/',
    'http://10.0.0.1./',
    'http://１０.0.0.1/',
    'http://127.0.0.1@10.0.0.1/',
    'http://0/',
    'http://[::1]/',
    'http://[::10.0.0.1]/',
    'http://[64:ff9b::a00:1]/',
    'http://[2002:a00:1::]/',
    'http://[2001:0:a00:1::]/',
    'http://[fe80::1]/',
    'http://[fd00::1]/',
  ])('does not send to %s', async (url) => {
    expect(await create(url)).toMatchObject({ status: 422, body: { violations: [{ path: '/body/url' }] } });
  });

  it.each([
    [' https://HOOKS.example.com:443/in ', 'https://hooks.example.com/in'],
    ['https://hooks.example.com/\u202Emoc.live', 'https://hooks.example.com/%E2%80%AEmoc.live'],
    ['https://@hooks.example.com', 'https://hooks.example.com/'],
  ])('is shown with the URL that is called: %j', async (url, called) => {
    expect(await create(url)).toMatchObject({ status: 201, body: { webhook: { url: called } } });
  });

  it('may have a query', async () => {
    expect((await create('https://hooks.example.com/in?key=1')).status).toBe(201);
  });

  it('is one of at most 10, and is listed by pages', async () => {
    const replies = await Promise.all(Array.from({ length: 11 }, () => create('https://hooks.example.com/')));
    expect(replies.map(({ status }) => status).sort()).toEqual([...Array<number>(10).fill(201), 409]);
    const page = await list(owner, '?limit=9');
    const rest = await list(owner, `?limit=9&cursor=${String(page.body.next_cursor)}`);
    const ids = [...page.body.items, ...rest.body.items].map(({ id }: { id: string }) => id);
    expect([new Set(ids).size, rest.body.next_cursor]).toEqual([10, null]);
  });

  it('is deleted with what it has not delivered', async () => {
    const { body } = await subscribe(platform, owner, receiver, ['service_token.created']);
    const id = String(body.webhook.id);
    const token = { name: 'Export', scopes: ['views:read'], expires_in_days: 9 };
    const tokens = `/api/v1/organizations/${owner.orgId}/service-tokens`;
    await platform.json('POST', tokens, { token: owner.accessToken, body: token });
    const remove = (user: TestUser): Promise<JsonReply> =>
      platform.json('DELETE', webhooksPath(user, `/${id}`), { token: user.accessToken });
    expect((await remove(stranger)).body.type).toBe('/problems/webhook-not-found');
    expect((await remove(owner)).status).toBe(204);
    expect((await remove(owner)).status).toBe(404);
    const audited = await platform.database.sql`
      select note from audit_log where resource_kind = 'WEBHOOK' and resource_id = ${id} and action = 'DELETE'`;
    expect(audited).toEqual([{ note: new URL(receiver.url).host }]);
    expect(await platform.database.sql`select 1 from webhook_deliveries where webhook_id = ${id}`).toEqual([]);
  });
});

it('A webhook that is being deleted does not prevent deliveries to other webhooks', async () => {
  const removed = await subscribe(platform, owner, receiver, ['service_token.created']);
  const kept = await subscribe(platform, owner, receiver, ['service_token.created']);
  const waits = async (): Promise<boolean> =>
    (await platform.database.sql`select from pg_locks where not granted`).length > 0;
  const { created } = await platform.database.sql.begin(async (transaction) => {
    await transaction`delete from webhooks where id = ${removed.body.webhook.id}`;
    const sent = createServiceToken(platform, owner, ['views:read']);
    await vi.waitUntil(waits, { timeout: 20_000, interval: 20 });
    return { created: sent };
  });
  expect((await created).token).toMatch(/./);
  const rows = await platform.database.sql`
    select webhook_id from webhook_deliveries where webhook_id in ${platform.database.sql([removed.body.webhook.id, kept.body.webhook.id])}`;
  expect(rows).toEqual([{ webhook_id: kept.body.webhook.id }]);
});

it('Deliveries of a webhook are shown to its organization alone', async () => {
  const { body } = await subscribe(platform, owner, receiver, ['member.joined']);
  const path = `/${String(body.webhook.id)}/deliveries`;
  expect((await list(owner, path)).body).toEqual({ items: [], next_cursor: null });
  expect((await list(owner, `/${unknownId}/deliveries`)).body.type).toBe('/problems/webhook-not-found');
  expect((await list(stranger, path)).status).toBe(404);
  expect((await list(owner, `${path}?cursor=x`)).status).toBe(422);
  const resend = webhooksPath(owner, `${path}/${unknownId}/resend`);
  const reply = await platform.json('POST', resend, { token: owner.accessToken });
  expect([reply.status, reply.body.type]).toEqual([404, '/problems/webhook-delivery-not-found']);
});
