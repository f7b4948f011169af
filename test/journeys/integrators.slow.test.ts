/** A person at a terminal, a program, an agent and a receiver of webhooks, with one server. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAnalyticsClient, unwrapAnalytics } from '../../sdk/src/analytics.js';
import { unwrap } from '../../sdk/src/index.js';
import {
  createPlatformClient,
  createSyncConfig,
  createWebhook,
  watchSyncRun,
  type PlatformClient,
  type Schemas,
} from '../../sdk/src/platform.js';
import { createWebhooks } from '../../sdk/src/webhooks.js';
import { makeHome, type Home } from '../cli/logged-in.js';
import { startTools, type ToolClient, type ToolServer } from '../cli/mcp/tool-client.js';
import { startTestPlatform, type TestPlatform, type TestUser } from '../support/platform.js';
import { startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver.js';

const scopes = ['analytics:read', 'sync:read', 'sync:run', 'sync:write', 'webhooks:write'];

let platform: TestPlatform;
let owner: TestUser;
let home: Home;
let receiver: WebhookReceiver;
let tools: ToolServer;
beforeAll(async () => {
  platform = await startTestPlatform({ environment: { SYNC_JOBS: '1' } });
  owner = await platform.signUp();
  home = makeHome();
  receiver = await startWebhookReceiver();
  tools = await startTools(platform.url);
});
afterAll(async () => {
  await tools.stop();
  await platform.stop();
  await receiver.stop();
  await home.remove();
});

/** Runs a command as the person who has logged in. @returns what it prints, from JSON */
async function command(...words: string[]): Promise<Record<string, unknown>> {
  const { exitCode, stdout, stderr } = await home.run([...words, '--json'], '', { PLUMBLINE_SERVER: platform.url });
  expect([exitCode, stderr]).toEqual([0, '']);
  return stdout === '' ? {} : (JSON.parse(stdout) as Record<string, unknown>);
}

async function logIn(): Promise<void> {
  const words = ['login', '--server', platform.url, '--email', owner.email];
  expect(await home.run(words, `${owner.password}\n`)).toMatchObject({ exitCode: 0 });
}

function syncConfig(name: string): Schemas['CreateSyncConfigRequest'] {
  return { name, provider: 'synthetic', targets: ['git'], repositories: ['acme/shop'] };
}

/** Creates the webhook and the sync configuration. @returns the id of the configuration, and the secret */
async function prepare(program: PlatformClient): Promise<{ readonly configId: string; readonly secret: string }> {
  const events = ['sync_run.finished' as const];
  const webhook = { params: { org_id: owner.orgId }, body: { url: receiver.url, events } };
  const { secret } = unwrap(await createWebhook(program, webhook));
  const { id: configId } = unwrap(await createSyncConfig(program, { body: syncConfig('Journey') }));
  return { configId, secret };
}

test(
  'A person creates a token, a program prepares a sync, an agent runs it, and all see the same run',
  { timeout: 240_000 },
  async () => {
    await logIn();
    const issued = await command(
      ...['api', 'create-service-token', '--name', 'Journey', '--expires-in-days', '1', '--scopes', ...scopes],
    );
    const { token, service_token: described } = issued as { token: string; service_token: { id: string } };
    const program = createPlatformClient({ baseUrl: platform.url, token });
    const { configId, secret } = await prepare(program);

    const agent: ToolClient = await tools.connect(token);
    const started = await agent.call('start_sync_run', { sync_config_id: configId });
    expect(started).toMatchObject({ isError: false });
    const runId = String(started.data.id);

    const run = { params: { sync_config_id: configId, run_id: runId } };
    const states: string[] = [];
    for await (const { status } of unwrap(await watchSyncRun(program, run)) ?? []) states.push(status);
    expect(states.at(-1)).toBe('complete');

    await expect.poll(() => receiver.received.length, { timeout: 60_000 }).toBe(1);
    const [delivery] = receiver.received;
    const webhooks = createWebhooks({ secret, now: () => platform.clock.now().getTime() });
    const event = await webhooks.parse(delivery?.headers ?? {}, delivery?.body ?? '');
    expect(event).toMatchObject({
      type: 'sync_run.finished',
      org_id: owner.orgId,
      data: { sync_run_id: runId, status: 'complete' },
    });

    const seen = await command('api', 'get-sync-run', '--sync-config-id', configId, '--run-id', runId);
    expect(seen).toMatchObject({ id: runId, status: 'complete', requested_by: null });

    const answered = await agent.call('investment_breakdown', { dateRange: 'last_90_days' });
    const { dateRange } = answered.data.variables;
    const analytics = createAnalyticsClient(program);
    const asked = unwrapAnalytics(await analytics.persisted('investment-breakdown', { orgId: owner.orgId, dateRange }));
    expect(answered.data.data).toEqual(asked);
    expect(asked.analytics.breakdowns[0]?.items.length).toBeGreaterThan(0);

    await command('api', 'revoke-service-token', '--service-token-id', described.id);
    await expect(agent.call('list_sync_configs')).rejects.toThrow(/expired or revoked/);
    const refused = await createSyncConfig(program, { body: syncConfig('Late') });
    expect(refused.status).toBe(401);
    await agent.close();
  },
);
