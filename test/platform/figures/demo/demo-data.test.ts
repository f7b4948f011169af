import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { executeHere } from '../../../../src/platform/sources/sync-runs/jobs/execute-here.js';
import type { StartExecution } from '../../../../src/platform/sources/sync-runs/jobs/sync-job.js';
import { systemClock } from '../../../../src/sync/clock.js';
import { systemRandom } from '../../../../src/sync/random.js';
import { ask } from '../../../analytics/graphql/served.js';
import { startTestPlatform, type JsonReply, type TestPlatform, type TestUser } from '../../../support/platform.js';
import { eventually, holdExecutions, queueOf } from '../../sources/sync-runs/jobs/queue.js';

/** In this process, at the time that it is: the demo ends today. */
const executeNow: StartExecution = (job, report) =>
  executeHere(job, report, { ...systemClock, ...systemRandom, environment: process.env });

const path = '/api/v1/admin/demo-data';

const COUNTS = `query ($orgId: String!, $batch: AnalyticsRequestInput!) {
  analytics(orgId: $orgId, batch: $batch) { breakdowns { items { key value } } }
}`;

function send(platform: TestPlatform, method: string, by: TestUser, suffix = ''): Promise<JsonReply> {
  return platform.json(method, `${path}${suffix}`, { token: by.accessToken });
}

async function stateOf(platform: TestPlatform, by: TestUser): Promise<unknown> {
  return (await send(platform, 'GET', by)).body.state;
}

/** Units of the last 90 days by a dimension. */
async function units(platform: TestPlatform, by: TestUser, dimension: string): Promise<Map<string, number>> {
  const day = (ago: number): string => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10);
  const breakdowns = [{ dimension, measure: 'COUNT', dateRange: { startDate: day(90), endDate: day(0) }, topN: 50 }];
  const { analytics } = await ask(platform, by, COUNTS, { batch: { breakdowns } });
  const items: { key: string; value: number }[] = analytics.breakdowns[0].items;
  return new Map(items.map(({ key, value }) => [key, value]));
}

describe('demo data, filled and removed by a server', () => {
  let platform: TestPlatform;
  let owner: TestUser;
  let neighbour: TestUser;

  beforeAll(async () => {
    platform = await startTestPlatform({ environment: { SYNC_JOBS: '2' }, executeSync: executeNow });
    owner = await platform.signUp();
    neighbour = await platform.signUp();
  });
  afterAll(() => platform.stop());

  it(
    'fill an organization with months of work and teams, and are removed without a trace',
    { timeout: 300_000 },
    async () => {
      const { sql } = platform.database;
      const queue = queueOf(platform, owner);
      const own = await queue.configure({ provider: 'synthetic', targets: ['git'], repositories: ['own/tools'] });
      await queue.until(own, await queue.start(own), 'complete');
      const before = await units(platform, owner, 'REPO');
      expect([...before.keys()]).toEqual(['own/tools']);
      const rows = async (): Promise<unknown> => {
        const counts: Record<string, unknown> = {};
        for (const table of [
          'repos',
          'git_commits',
          'git_pull_requests',
          'git_blame',
          'sync_state',
          'work_units',
          'work_unit_shares',
          'work_unit_links',
          'work_unit_progress',
        ])
          // prettier-ignore
          counts[table] = (await sql.unsafe(`select count(*)::int as count from ${table}`))[0]?.['count'];
        return counts;
      };
      const stored = await rows();
      expect(await stateOf(platform, owner)).toBe('absent');

      const begun = await send(platform, 'POST', owner);
      expect(begun.status).toBe(202);
      expect(begun.body).toMatchObject({ state: 'filling', error: null });
      expect(begun.headers.get('Location')).toBe(
        `/api/v1/admin/sync-configs/${begun.body.sync_config_id}/runs/${begun.body.sync_run_id}`,
      );
      await expect.poll(() => stateOf(platform, owner), { timeout: 200_000 }).toBe('present');
      const filled = await units(platform, owner, 'REPO');
      expect([...filled.keys()].sort()).toEqual([
      'acme/api', 'acme/mobile-app', 'acme/payments', 'acme/web-shop', 'own/tools',
    ]); // prettier-ignore
      expect([...filled.values()].every((count) => count > 50)).toBe(true);
      expect([...(await units(platform, owner, 'TEAM')).keys()]).toEqual(
        expect.arrayContaining(['web', 'api', 'platform']),
      );
      expect([...(await units(platform, neighbour, 'REPO')).keys()]).toEqual([]);

      expect((await send(platform, 'DELETE', owner)).body).toMatchObject({ state: 'removing', sync_config_id: null });
      await eventually(() => stateOf(platform, owner)).toBe('absent');
      expect(await units(platform, owner, 'REPO')).toEqual(before);
      expect([...(await units(platform, owner, 'TEAM')).keys()]).toEqual(['unassigned']);
      expect(await rows()).toEqual(stored);
    },
  );
});

describe('demo data without a running worker', () => {
  let platform: TestPlatform;
  let owner: TestUser;

  beforeAll(async () => {
    platform = await startTestPlatform();
  });
  beforeEach(async () => {
    owner = await platform.signUp();
  });
  afterAll(() => platform.stop());

  it('are requested twice and filled once', async () => {
    const [first, second] = await Promise.all([send(platform, 'POST', owner), send(platform, 'POST', owner)]);
    expect([first.status, second.status]).toEqual([202, 202]);
    expect(first.body).toEqual(second.body);
    const records = await platform.database.sql`
      select action from audit_log where org_id = ${owner.orgId} and resource_kind = 'DEMO_DATA'`;
    expect([...records]).toEqual([{ action: 'CREATE' }]);
  });

  it('are removed with their sync configuration', async () => {
    const { sync_config_id: id } = (await send(platform, 'POST', owner)).body;
    const queue = queueOf(platform, owner);
    await queue.cancel(id, (await send(platform, 'GET', owner)).body.sync_run_id);
    const path = `/api/v1/admin/sync-configs/${id}`;
    expect((await platform.json('DELETE', path, { token: owner.accessToken })).status).toBe(204);
    expect(await stateOf(platform, owner)).toBe('removing');
  });

  it('do not count in the set-up status, which reports them', async () => {
    const status = async (): Promise<unknown> =>
      (await platform.json('GET', '/api/v1/admin/setup/status', { token: owner.accessToken })).body;
    const before = await status();
    expect(before).toMatchObject({ has_demo_data: false, has_sync_config: false });
    await send(platform, 'POST', owner);
    expect(await status()).toEqual({ ...(before as object), has_demo_data: true });
  });

  it('have a marked configuration with fixed repositories, even beside one of the same name', async () => {
    const config = { name: 'Demo data', provider: 'synthetic', targets: ['git'], repositories: ['a'] };
    const configs = '/api/v1/admin/sync-configs';
    await platform.json('POST', configs, { token: owner.accessToken, body: config });
    const { sync_config_id: id } = (await send(platform, 'POST', owner)).body;
    const read = await platform.json('GET', `${configs}/${id}`, { token: owner.accessToken });
    expect(read.body).toMatchObject({ name: 'Demo data 2', provider: 'synthetic', is_demo: true });
    const body = { repositories: ['acme/*'] };
    const changed = await platform.json('PATCH', `${configs}/${id}`, { token: owner.accessToken, body });
    expect([changed.status, changed.body.violations?.[0]?.path]).toEqual([422, '/body/repositories']);
  });

  it('have failed when their run is cancelled, and can be requested again', async () => {
    const queue = queueOf(platform, owner);
    const { sync_config_id: id, sync_run_id: run } = (await send(platform, 'POST', owner)).body;
    await queue.cancel(id, run);
    expect(await stateOf(platform, owner)).toBe('failed');
    const again = (await send(platform, 'POST', owner)).body;
    expect(again).toMatchObject({ state: 'filling', sync_config_id: id });
    expect(again.sync_run_id).not.toBe(run);
  });

  it('are not filled while they are removed; removing none is not recorded', async () => {
    expect((await send(platform, 'DELETE', owner)).body.state).toBe('absent');
    await send(platform, 'POST', owner);
    expect((await send(platform, 'DELETE', owner)).body.state).toBe('removing');
    expect((await send(platform, 'DELETE', owner)).body.state).toBe('removing');
    const refused = await send(platform, 'POST', owner);
    expect([refused.status, refused.body.type]).toEqual([409, '/problems/demo-data-removal-active']);
  });

  it('require the permission of admins and owners', async () => {
    const admin = await platform.signUp({ invitedBy: owner, role: 'admin' });
    const member = await platform.signUp({ invitedBy: owner, role: 'member' });
    expect((await send(platform, 'POST', member)).status).toBe(403);
    expect((await send(platform, 'POST', admin)).status).toBe(202);
    const permissions = async (by: TestUser): Promise<string[]> =>
      (await platform.json('GET', '/api/v1/auth/me', { token: by.accessToken })).body.permissions;
    expect(await permissions(admin)).toContain('demo:write');
    expect(await permissions(member)).not.toContain('demo:write');
  });
});

it('A fill that is under way ends when the demo data are removed', async () => {
  const held = holdExecutions();
  const platform = await startTestPlatform({ environment: { SYNC_JOBS: '1' }, executeSync: held.execute });
  try {
    const owner = await platform.signUp();
    await send(platform, 'POST', owner);
    await eventually(held.underWay).toBe(1);
    expect((await send(platform, 'DELETE', owner)).body.state).toBe('removing');
    await eventually(held.underWay).toBe(0);
    platform.clock.advance(5);
    await eventually(() => stateOf(platform, owner)).toBe('absent');
  } finally {
    await platform.stop();
  }
});
