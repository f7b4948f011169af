import { afterEach, beforeEach, expect, it } from 'vitest';
import { startTestPlatform, type TestPlatform, type TestUser } from '../../../support/platform.js';
import { createServiceToken } from '../../../support/service-token.js';
import { startWebhookReceiver, type WebhookReceiver } from '../../../support/webhook-receiver.js';
import { subscribe } from './hooks.js';

let platform: TestPlatform;
let silent: WebhookReceiver;
let fast: WebhookReceiver;
beforeEach(async () => {
  platform = await startTestPlatform();
  [silent, fast] = [await startWebhookReceiver(), await startWebhookReceiver()];
  silent.answer = () => undefined;
});
afterEach(async () => {
  await platform.stop();
  await silent.stop();
  await fast.stop();
});

/** Creates webhooks of each owner to the silent receiver, and then events that all of them ask for. */
async function subscribeSilent(owners: readonly TestUser[], count: number): Promise<void> {
  for (const owner of owners) {
    for (let webhook = 0; webhook < count; webhook++) {
      await subscribe(platform, owner, silent, ['service_token.created']);
    }
  }
  silent.secret = null; // Each webhook has another one, so a delivery before this would be refused.
  for (const owner of owners) await createServiceToken(platform, owner, ['views:read']);
}

const failures = (): Promise<readonly unknown[]> =>
  Promise.resolve(platform.database.sql`select 1 from webhook_deliveries where last_error is not null`);

it('Silent receivers of two organizations do not delay the event of a third one', async () => {
  await subscribeSilent([await platform.signUp(), await platform.signUp()], 10);
  const owner = await platform.signUp();
  await subscribe(platform, owner, fast, ['service_token.created']);
  await expect.poll(() => silent.received.length, { timeout: 20_000 }).toBeGreaterThan(0);
  await createServiceToken(platform, owner, ['views:read']);

  await expect.poll(() => fast.received.length, { timeout: 30_000 }).toBe(1);
  expect(await failures()).toEqual([]); // all calls of silent receivers are still waiting
  const attempted = (): Promise<unknown> =>
    Promise.resolve(platform.database.sql`
      select count(*)::int as attempted from webhook_deliveries join webhooks on webhooks.id = webhook_id
      where attempts > 0 and org_id <> ${owner.orgId} group by org_id`); // the fast one may not be deleted yet
  // The fast one may have arrived before the others were sent.
  await expect.poll(attempted).toEqual([{ attempted: 4 }, { attempted: 4 }]);
}, 60_000);

it('A silent receiver does not delay the next webhook of its organization', async () => {
  const owner = await platform.signUp();
  await subscribeSilent([owner], 1);
  await expect.poll(() => silent.received.length, { timeout: 20_000 }).toBe(1);
  await subscribe(platform, owner, fast, ['service_token.created']);
  await createServiceToken(platform, owner, ['views:read'], { name: 'Another' });
  await createServiceToken(platform, owner, ['views:read'], { name: 'A third' });
  await expect.poll(() => fast.received.length, { timeout: 30_000 }).toBe(2);
  expect(await failures()).toEqual([]);
  expect(silent.received).toHaveLength(1);
}, 60_000);
