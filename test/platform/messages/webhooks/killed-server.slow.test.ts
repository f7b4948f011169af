import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { startTestPlatform } from '../../../support/platform.js';
import { createServiceToken } from '../../../support/service-token.js';
import { startWebhookReceiver } from '../../../support/webhook-receiver.js';
import { subscribe } from './hooks.js';

const script = fileURLToPath(new URL('../mail/serve.ts', import.meta.url));

it('An event that a server was sending when it was killed is sent by another one', async () => {
  const platform = await startTestPlatform();
  const receiver = await startWebhookReceiver();
  const owner = await platform.signUp();
  await subscribe(platform, owner, receiver, ['service_token.created']);
  receiver.answer = () => undefined;
  await platform.running.webhooks.stop();
  const { id } = await createServiceToken(platform, owner, ['views:read']);

  const server = spawn(process.execPath, ['--conditions=@plumbline/source', '--import', 'tsx', script], {
    env: {
      ...process.env,
      PORT: '0',
      DATABASE_URI: platform.databaseUri,
      MAIL_URL: platform.mailbox.url,
      SECRETS_KEY: Buffer.alloc(32, 7).toString('base64'),
      INTEGRATION_NETWORKS: '127.0.0.0/8',
      SYNC_JOBS: '0',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await expect.poll(() => receiver.received.length, { timeout: 30_000 }).toBe(1);
  server.kill('SIGKILL');
  await once(server, 'exit');
  expect(await platform.database.sql`select attempts from webhook_deliveries`).toEqual([{ attempts: 1 }]);

  receiver.answer = (response) => response.writeHead(204).end();
  const { databaseUri, clock, mailbox } = platform;
  clock.advance(61 + (Date.now() - clock.now().getTime()) / 1000);
  const another = await startTestPlatform({ databaseUri, clock, mailbox });
  await another.running.webhooks.drain();
  expect(receiver.received).toHaveLength(2);
  expect(receiver.received.map(({ data }) => data['service_token_id'])).toEqual([id, id]);
  expect(new Set(receiver.received.map((each) => each.id)).size).toBe(1);
  expect(await platform.database.sql`select 1 from webhook_deliveries`).toEqual([]);
  await another.stop();
  await receiver.stop();
  await platform.stop();
});
