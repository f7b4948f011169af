import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestPlatform, type JsonReply, type TestPlatform, type TestUser } from '../../../support/platform.js';
import { makeSuperuser } from '../../../support/superuser.js';

let platform: TestPlatform;
let owner: TestUser;

beforeAll(async () => {
  platform = await startTestPlatform();
});

beforeEach(async () => {
  owner = await platform.signUp();
});

afterAll(() => platform.stop());

function send(method: string, path: string, body?: unknown): Promise<JsonReply> {
  return platform.json(method, `/api/v1/admin/${path}`, { token: owner.accessToken, body });
}

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- the recorder has validated it
async function status(): Promise<any> {
  const reply = await send('GET', 'setup/status');
  expect(reply.status).toBe(200);
  return reply.body;
}

async function connect(provider = 'host_a'): Promise<string> {
  return String((await send('POST', 'integrations', { provider, name: 'main', token: 'token' })).body.id);
}

let count = 0;

async function configure(): Promise<string> {
  const body = { name: `config ${++count}`, provider: 'synthetic', targets: ['git'], repositories: ['a', 'b', 'c'] };
  platform.clock.advance(1);
  return String((await send('POST', 'sync-configs', body)).body.id);
}

async function start(configId: string): Promise<string> {
  platform.clock.advance(1);
  return String((await send('POST', `sync-configs/${configId}/runs`)).body.id);
}

/** What a worker does with a run. */
async function work(runId: string, outcome: string, error: string | null = null): Promise<void> {
  const finishedAt = outcome === 'running' ? null : new Date();
  await platform.database.sql`
    update sync_runs set status = ${outcome}, error = ${error}, started_at = now(), finished_at = ${finishedAt}
    where id = ${runId}`;
}

async function run(configId: string, outcome: string, error: string | null = null): Promise<void> {
  await work(await start(configId), outcome, error);
}

describe('the set-up status', () => {
  it('of a new organization is missing_integration', async () => {
    expect(await status()).toEqual({
      state: 'missing_integration',
      has_integration: false,
      providers: [],
      has_sync_config: false,
      sync_config_id: null,
      sync_status: 'none',
      first_sync_completed: false,
      selected_repositories_count: 0,
      last_sync_error: null,
      can_start_sync: false,
      has_demo_data: false,
      next_action: 'connect_integration',
    });
  });

  it('without an active integration is missing_integration, regardless of other parts', async () => {
    await run(await configure(), 'failed', 'boom');
    const id = await connect();
    await platform.database.sql`update integrations set is_active = false where id = ${id}`;
    expect(await status()).toMatchObject({ state: 'missing_integration', has_integration: false, providers: [] });
  });

  it('with integrations alone is missing_sync_config', async () => {
    await connect('host_b');
    await connect('host_a');
    expect(await status()).toMatchObject({
      state: 'missing_sync_config',
      has_integration: true,
      providers: ['host_a', 'host_b'],
      has_sync_config: false,
      can_start_sync: false,
      next_action: 'create_sync_config',
    });
  });

  it('before the first run is ready, and suggests it', async () => {
    await connect();
    const id = await configure();
    expect(await status()).toMatchObject({
      state: 'ready',
      sync_config_id: id,
      sync_status: 'none',
      selected_repositories_count: 3,
      can_start_sync: true,
      next_action: 'start_sync',
    });
    await send('PATCH', `sync-configs/${id}`, { is_active: false });
    expect(await status()).toMatchObject({ can_start_sync: false, next_action: 'none' });
  });

  it('while a run is pending or running is running_sync', async () => {
    await connect();
    const id = await start(await configure());
    const running = { state: 'running_sync', can_start_sync: false, next_action: 'wait', last_sync_error: null };
    expect(await status()).toMatchObject({ ...running, sync_status: 'pending' });
    await work(id, 'running');
    expect(await status()).toMatchObject({ ...running, sync_status: 'running' });
  });

  it('after the latest run has failed is failed_sync, with the reason', async () => {
    await connect();
    const id = await configure();
    await run(id, 'complete');
    await run(id, 'failed', 'The code host refuses the token (401).');
    expect(await status()).toMatchObject({
      state: 'failed_sync',
      sync_status: 'failed',
      first_sync_completed: true,
      last_sync_error: 'The code host refuses the token (401).',
      can_start_sync: true,
      next_action: 'start_sync',
    });
  });

  it('counts a cancelled run as failed', async () => {
    await connect();
    const configId = await configure();
    await send('POST', `sync-configs/${configId}/runs/${await start(configId)}/cancel`);
    expect(await status()).toMatchObject({
      state: 'failed_sync',
      sync_status: 'failed',
      last_sync_error: 'The run was cancelled.',
    });
  });

  it.each([
    ['complete', true],
    ['partial', false],
  ])('after a %s run is ready', async (outcome, completed) => {
    await connect();
    await run(await configure(), outcome, outcome === 'partial' ? 'c: 404' : null);
    expect(await status()).toMatchObject({
      state: 'ready',
      sync_status: outcome,
      first_sync_completed: completed,
      last_sync_error: null,
      next_action: 'none',
    });
  });

  it('describes the configuration that was run last', async () => {
    await connect();
    const [first, second] = [await configure(), await configure()];
    expect((await status()).sync_config_id).toBe(first);
    await run(second, 'complete');
    expect((await status()).sync_config_id).toBe(second);
    await run(first, 'failed');
    expect(await status()).toMatchObject({ state: 'failed_sync', sync_config_id: first });
  });

  it('is failed_sync rather than running_sync when the latest run failed while an earlier one still runs', async () => {
    await connect();
    const [first, second] = [await configure(), await configure()];
    await work(await start(first), 'running');
    await run(second, 'failed');
    expect(await status()).toMatchObject({ state: 'failed_sync', sync_config_id: second });
    await run(second, 'complete');
    expect(await status()).toMatchObject({ state: 'running_sync', sync_config_id: first, sync_status: 'running' });
  });

  it('remembers that a run has completed after its configuration is deleted', async () => {
    await connect();
    const id = await configure();
    await run(id, 'complete');
    await send('DELETE', `sync-configs/${id}`);
    expect(await status()).toMatchObject({ state: 'missing_sync_config', first_sync_completed: true });
  });

  it('reveals nothing about another organization', async () => {
    await connect();
    await run(await configure(), 'complete');
    owner = await platform.signUp();
    expect(await status()).toMatchObject({ state: 'missing_integration', first_sync_completed: false });
  });

  it('may be read by a superuser, whatever the role', async () => {
    const viewer = await platform.signUp({ invitedBy: owner, role: 'viewer' });
    await makeSuperuser(platform, viewer);
    owner = viewer;
    expect((await status()).state).toBe('missing_integration');
  });
});
