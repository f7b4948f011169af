import { expect, it } from 'vitest';
import { hostARepository, problem, startHostA } from '../../../support/hosts/host-a.js';
import { startTestPlatform } from '../../../support/platform.js';
import { commits } from '../../../sync/host-a-fixture.js';
import { holdExecutions, queueOf } from '../../sources/sync-runs/jobs/queue.js';

it('The set-up status is right from the first integration to the first data', async () => {
  const held = holdExecutions();
  const platform = await startTestPlatform({ environment: { SYNC_JOBS: '1' }, executeSync: held.execute });
  try {
    const owner = await platform.signUp();
    const queue = queueOf(platform, owner);
    // eslint-disable-next-line @typescript-eslint/no-explicit-any -- the recorder has validated it
    const status = async (): Promise<any> =>
      (await platform.json('GET', '/api/v1/admin/setup/status', { token: owner.accessToken })).body;

    expect(await status()).toMatchObject({ state: 'missing_integration', next_action: 'connect_integration' });

    const host = await startHostA(hostARepository('acme/api', { commits: commits(3) }));
    const integration = await queue.connect('host_a', host.url, host.token);
    expect(await status()).toMatchObject({ state: 'missing_sync_config', next_action: 'create_sync_config' });

    const config = { provider: 'host_a', integration_id: integration, repositories: ['acme/api'] } as const;
    const id = await queue.configure(config);
    expect(await status()).toMatchObject({ state: 'ready', sync_status: 'none', next_action: 'start_sync' });

    host.fault = () => problem(401, 'Bad credentials');
    const first = await queue.start(id);
    await queue.until(id, first, 'running');
    expect(await status()).toMatchObject({ state: 'running_sync', sync_status: 'running', next_action: 'wait' });

    held.release();
    const { error } = await queue.until(id, first, 'failed');
    expect(await status()).toMatchObject({
      state: 'failed_sync',
      last_sync_error: error,
      can_start_sync: true,
      first_sync_completed: false,
      next_action: 'start_sync',
    });
    expect(error).toMatch(/refused the token/);

    host.fault = () => undefined;
    await queue.until(id, await queue.start(id), 'complete');
    expect(await status()).toMatchObject({
      state: 'ready',
      sync_status: 'complete',
      last_sync_error: null,
      first_sync_completed: true,
      next_action: 'none',
    });
    const [stored] = await platform.database.sql`select count(*)::int as count from git_commits`;
    expect(stored).toEqual({ count: 3 });
  } finally {
    await platform.stop();
  }
});
