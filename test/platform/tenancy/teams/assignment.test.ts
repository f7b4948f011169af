import { afterAll, beforeAll, expect, it } from 'vitest';
import { executeHere } from '../../../../src/platform/sources/sync-runs/jobs/execute-here.js';
import type { StartExecution } from '../../../../src/platform/sources/sync-runs/jobs/sync-job.js';
import { systemClock } from '../../../../src/sync/clock.js';
import { systemRandom } from '../../../../src/sync/random.js';
import { describeOnEachEngine } from '../../../analytics/engines.js';
import { ask } from '../../../analytics/graphql/served.js';
import { importConnector } from '../../../support/chdb.js';
import { startTestPlatform, type TestPlatform, type TestUser } from '../../../support/platform.js';
import { eventually, queueOf } from '../../sources/sync-runs/jobs/queue.js';

const executeNow: StartExecution = (job, report) =>
  executeHere(job, report, { ...systemClock, ...systemRandom, environment: process.env });

const COVERAGE = `query ($orgId: String!, $batch: AnalyticsRequestInput!) {
  analytics(orgId: $orgId, batch: $batch) { sankey { coverage { teamCoverage } } }
}`;

/** The share of the work of the last 90 days that has a team. */
async function coverage(platform: TestPlatform, by: TestUser): Promise<number> {
  const day = (ago: number): string => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10);
  const dateRange = { startDate: day(90), endDate: day(0) };
  const { analytics } = await ask(platform, by, COVERAGE, {
    batch: { sankey: { path: ['REPO', 'TEAM'], measure: 'COUNT', dateRange } },
  });
  return analytics.sankey.coverage.teamCoverage;
}

describeOnEachEngine('work units', (engine) => {
  let platform: TestPlatform;
  let owner: TestUser;
  beforeAll(async () => {
    const store = await engine.newUri();
    platform = await startTestPlatform({
      environment: { SYNC_JOBS: '1', ANALYTICS_URI: store },
      importConnector,
      // The store of one process is filled in the server.
      ...(engine.kind === 'chdb' ? {} : { executeSync: executeNow }),
    });
    owner = await platform.signUp();
  });
  afterAll(() => platform.stop());

  const token = (): { readonly token: string } => ({ token: owner.accessToken });
  const teams = (path = ''): string => `/api/v1/organizations/${owner.orgId}/teams${path}`;
  const assignment = async (): Promise<unknown> => {
    const path = `/api/v1/organizations/${owner.orgId}/team-assignment`;
    return (await platform.json('GET', path, token())).body.state;
  };

  it('get the teams of a change in the background, so that coverage rises and falls', async () => {
    const queue = queueOf(platform, owner);
    const config = await queue.configure({ provider: 'synthetic', targets: ['git'], repositories: ['own/tools'] });
    await queue.until(config, await queue.start(config), 'complete');
    expect(await coverage(platform, owner)).toBe(0);

    await platform.json('POST', teams(), { ...token(), body: { id: 'tools', repositories: ['own/*'] } });
    await eventually(() => coverage(platform, owner)).toBe(1);
    await eventually(assignment).toBe('done');

    await platform.json('DELETE', teams('/tools'), token());
    await eventually(() => coverage(platform, owner)).toBe(0);
  }, 100_000);

  it('lose their team when a file without it is imported, and teams are read and changed as stored', async () => {
    await platform.json('POST', teams(), { ...token(), body: { id: 'old', members: ['ada'] } });
    const imported = await platform.fetch(`${platform.url}${teams()}`, {
      method: 'PUT',
      headers: { 'Content-Type': 'application/yaml', Authorization: `Bearer ${owner.accessToken}` },
      body: "teams:\n  - { id: web, members: [Zoë@example.com], repositories: ['own/*'] }\n",
    });
    expect(await imported.json()).toEqual({ teams: 1 });
    const web = { id: 'web', name: 'web', members: ['zoë@example.com'], repositories: ['own/*'] };
    expect((await platform.json('GET', teams(), token())).body.items).toEqual([web]);
    await eventually(() => coverage(platform, owner)).toBe(1);

    const changed = await platform.json('PATCH', teams('/web'), { ...token(), body: { repositories: ['other/*'] } });
    expect(changed.body).toEqual({ ...web, repositories: ['other/*'] });
    await eventually(() => coverage(platform, owner)).toBe(0);
    await platform.json('POST', `/api/v1/organizations/${owner.orgId}/team-assignment`, token());
    await eventually(assignment).toBe('done');
  }, 100_000);
});
