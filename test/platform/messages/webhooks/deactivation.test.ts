import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestPlatform, type JsonReply, type TestPlatform, type TestUser } from '../../../support/platform.js';
import { createServiceToken } from '../../../support/service-token.js';
import { startWebhookReceiver, type WebhookReceiver } from '../../../support/webhook-receiver.js';
import { loggedInAgain, subscribe, webhooksPath } from './hooks.js';

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

const day = 86_400;
const send = (method: string, path: string, body?: unknown): Promise<JsonReply> =>
  platform.json(method, path, { token: owner.accessToken, body });
const hook = async (): Promise<unknown> => (await send('GET', webhooksPath(owner))).body.items[0];
const subjectsOf = ({ email }: TestUser): string[] => platform.mailbox.to(email).map(({ subject }) => subject);

/** Causes an event, which is answered so in each attempt, and attempts it until it is accepted or given up. */
async function sendEvent(status: number): Promise<void> {
  receiver.answer = (response) => response.writeHead(status).end();
  owner = await loggedInAgain(platform, owner);
  await createServiceToken(platform, owner, ['views:read'], { name: platform.clock.now().toISOString() });
  const outstanding = async (): Promise<boolean> => {
    await platform.running.webhooks.drain();
    const rows = await platform.database.sql`
      select 1 from webhook_deliveries where webhook_id = ${id} and failed_at is null`;
    return rows.length > 0;
  };
  while (await outstanding()) platform.clock.advance(6 * 3600);
  owner = await loggedInAgain(platform, owner);
}

describe('A webhook whose URL has accepted nothing for 3 days', () => {
  it('becomes inactive when a delivery is given up, which owners and admins learn by mail', async () => {
    const admin = await platform.signUp({ invitedBy: owner, role: 'admin' });
    const member = await platform.signUp({ invitedBy: owner, role: 'member' });
    await sendEvent(500); // is attempted for three days: the test sends every 6 hours
    expect(await hook()).toMatchObject({ id, is_active: false, inactive_reason: 'failing' });
    const { subject, text } = await platform.lastMail(owner.email);
    expect(subject).toMatch(/^A webhook of .+ is inactive now$/);
    expect(text).toContain('accepted nothing for three days');
    expect(text).toContain('/console/webhooks');
    expect(subjectsOf(admin)).toContain(subject);
    expect(subjectsOf(member)).not.toContain(subject);
    const { items } = (await send('GET', `/api/v1/admin/audit-log?action=WEBHOOK_DEACTIVATED`)).body;
    const note = `${new URL(receiver.url).host}: its URL has accepted nothing for days`;
    expect(items).toMatchObject([{ action: 'WEBHOOK_DEACTIVATED', resource_id: id, user_id: null, note }]);
  });

  it('begins to count again when an admin activates it', async () => {
    await sendEvent(500);
    expect((await send('PATCH', webhooksPath(owner, `/${id}`), { is_active: true })).body).toMatchObject({
      is_active: true,
      inactive_reason: null,
    });
    const [row] = await platform.database.sql`select failing_since from webhooks where id = ${id}`;
    expect(row).toEqual({ failing_since: null });
  });
});

describe('A webhook stays active', () => {
  it('when a delivery is given up after less than 3 days', async () => {
    receiver.answer = (response) => response.writeHead(500).end();
    await createServiceToken(platform, owner, ['views:read']);
    await platform.running.webhooks.drain();
    await platform.database.sql`update webhook_deliveries set attempts = 15 where webhook_id = ${id}`;
    platform.clock.advance(2.9 * day);
    await platform.running.webhooks.drain();
    owner = await loggedInAgain(platform, owner);
    expect(await hook()).toMatchObject({ id, is_active: true });
  });

  it('when its URL has accepted something in the meantime', async () => {
    receiver.answer = (response) => response.writeHead(500).end();
    await createServiceToken(platform, owner, ['views:read']);
    await platform.running.webhooks.drain();
    platform.clock.advance(2 * day);
    receiver.answer = (response) => response.writeHead(204).end();
    await platform.running.webhooks.drain();
    receiver.answer = (response) => response.writeHead(500).end();
    owner = await loggedInAgain(platform, owner);
    await createServiceToken(platform, owner, ['views:read'], { name: 'another' });
    await platform.running.webhooks.drain();
    await platform.database.sql`update webhook_deliveries set attempts = 15 where webhook_id = ${id}`;
    platform.clock.advance(2 * day);
    await platform.running.webhooks.drain();
    owner = await loggedInAgain(platform, owner);
    expect(await hook()).toMatchObject({ id, is_active: true });
  });
});
