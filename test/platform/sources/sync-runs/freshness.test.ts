import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { startTestPlatform, type JsonReply, type TestPlatform, type TestUser } from '../../../support/platform.js';

let platform: TestPlatform;
let owner: TestUser;
beforeAll(async () => {
  platform = await startTestPlatform();
});
beforeEach(async () => {
  owner = await platform.signUp();
});
afterAll(() => platform.stop());

const freshness = async (by = owner): Promise<JsonReply['body']> => {
  const reply = await platform.json('GET', `/api/v1/organizations/${by.orgId}/freshness`, { token: by.accessToken });
  expect(reply.status).toBe(200);
  return reply.body;
};

async function configure(isActive = true): Promise<string> {
  const body = { name: randomUUID(), provider: 'synthetic', targets: ['git'], repositories: ['acme/api'] };
  const options = { token: owner.accessToken, body: { ...body, is_active: isActive } };
  return String((await platform.json('POST', '/api/v1/admin/sync-configs', options)).body.id);
}

/** A run that has ended. @param day of March 2026 on which it began; it took an hour */
async function ended(configId: string, status: string, day: string, repositories = ['acme/api']): Promise<void> {
  const began = new Date(`2026-03-${day}T09:00:00Z`);
  await platform.database.sql`
    insert into sync_runs (org_id, sync_config_id, status, created_at, started_at, finished_at, repositories)
    values (${owner.orgId}, ${configId}, ${status}, ${began}, ${began}, ${new Date(began.getTime() + 3_600_000)},
      ${repositories})`;
}

it('is unknown before the first run has ended', async () => {
  expect(await freshness()).toEqual({ current_at: null, active_syncs: 0, failing_syncs: 0 });
  const id = await configure();
  expect(await freshness()).toEqual({ current_at: null, active_syncs: 1, failing_syncs: 0 });
  await ended(id, 'failed', '01');
  expect(await freshness()).toEqual({ current_at: null, active_syncs: 1, failing_syncs: 1 });
});

it('is the time at which the latest run that read something had begun, of the sync that is furthest behind', async () => {
  const [one, two] = [await configure(), await configure()];
  await configure(); // has not read anything yet
  await ended(await configure(false), 'complete', '01');
  await ended(one, 'complete', '02');
  await ended(one, 'complete', '05');
  await ended(two, 'partial', '04');
  expect(await freshness()).toEqual({ current_at: '2026-03-04T09:00:00.000Z', active_syncs: 3, failing_syncs: 1 });
  await ended(two, 'complete', '07');
  await ended(two, 'cancelled', '08');
  await ended(one, 'failed', '09');
  expect(await freshness()).toEqual({ current_at: '2026-03-05T09:00:00.000Z', active_syncs: 3, failing_syncs: 1 });
});

it('does not follow from a run of other repositories than those of the configuration', async () => {
  const id = await configure();
  await ended(id, 'complete', '02');
  await ended(id, 'complete', '05', ['acme/web']);
  expect((await freshness()).current_at).toBe('2026-03-02T09:00:00.000Z');
  await ended(id, 'complete', '06', ['acme/api', 'acme/web']);
  expect((await freshness()).current_at).toBe('2026-03-06T09:00:00.000Z');
});

it('is shown to viewers, without reasons, and tells nothing of other organizations', async () => {
  await ended(await configure(), 'complete', '02');
  const viewer = await platform.signUp({ invitedBy: owner, role: 'viewer' });
  expect(await freshness(viewer)).toEqual({
    current_at: '2026-03-02T09:00:00.000Z',
    active_syncs: 1,
    failing_syncs: 0,
  });
  expect((await freshness(await platform.signUp())).current_at).toBeNull();
});
