import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { integrationFailureOf } from '../../../../src/platform/sources/integrations/sync-failure.js';
import type { StepResult } from '../../../../src/platform/sources/sync-runs/jobs/sync-job.js';
import type { SyncFailureCode } from '../../../../src/sync/failures.js';
import { hostARepository, startHostA } from '../../../support/hosts/host-a.js';
import { startTestPlatform, type TestPlatform, type TestUser } from '../../../support/platform.js';
import { startWebhookReceiver, type WebhookReceiver } from '../../../support/webhook-receiver.js';
import { executeWithoutSleep, queueOf, type Queue } from '../../sources/sync-runs/jobs/queue.js';
import { subscribe } from './hooks.js';

describe('An integration whose credential a run finds refused', () => {
  let platform: TestPlatform;
  let receiver: WebhookReceiver;
  let owner: TestUser;
  let queue: Queue;
  beforeEach(async () => {
    platform = await startTestPlatform({ executeSync: executeWithoutSleep, environment: { SYNC_JOBS: '1' } });
    receiver = await startWebhookReceiver();
    owner = await platform.signUp();
    queue = queueOf(platform, owner);
    await subscribe(platform, owner, receiver, ['integration.failed']);
  });
  afterEach(async () => {
    await platform.stop();
    await receiver.stop();
  });

  it('is reported once, and again after a run that has read something', async () => {
    const host = await startHostA(hostARepository('acme/api'));
    let isRefused = true;
    host.fault = () => (isRefused ? { status: 401, body: { message: 'Bad credentials' } } : undefined);
    const integration = await queue.connect('host_a', host.url, host.token);
    const options = { provider: 'host_a', integration_id: integration, targets: ['git'] } as const;
    const config = await queue.configure({ ...options, repositories: ['acme/api'] });
    const failed = await queue.start(config);
    await queue.until(config, failed, 'failed');
    await queue.until(config, await queue.start(config), 'failed');
    isRefused = false;
    await queue.until(config, await queue.start(config), 'complete');
    isRefused = true;
    const again = await queue.start(config);
    await queue.until(config, again, 'failed');
    await platform.running.webhooks.drain();
    const [row] = await platform.database.sql`select name from integrations`;
    const data = { integration_id: integration, name: row?.['name'], provider: 'host_a', reason: 'credential_refused' };
    expect(receiver.received.map((each) => each.data)).toEqual([
      { ...data, sync_run_id: failed },
      { ...data, sync_run_id: again },
    ]);
  });
});

describe('A run that ends shows of its integration', () => {
  const step = (codes: readonly (SyncFailureCode | null)[]): StepResult => ({
    selected: 'acme/*',
    target: 'git',
    repositories: codes.map((code) => ({
      ...{ id: null, name: 'acme/api', status: code === null ? 'ok' : 'failed', records: {} },
      error: code === null ? null : { code, message: 'It failed' },
    })),
    error: null,
  });
  it.each<[string, readonly (SyncFailureCode | null)[], ReturnType<typeof integrationFailureOf>]>([
    ['that it works, if anything was read', ['unauthorized', null, 'host_unavailable'], null],
    ['a refused credential', ['not_found', 'unauthorized'], 'credential_refused'],
    ['a host that cannot be reached', ['not_found', 'host_unavailable'], 'host_unreachable'],
    ['nothing, if the failure is another one', ['not_found', 'database_failed'], undefined],
    ['nothing, if there was nothing to read', [], undefined],
  ])('%s', (_what, codes, expected) => {
    expect(integrationFailureOf([step(codes)])).toBe(expected);
  });
});
