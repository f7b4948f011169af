import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { executeHere } from '../../../src/platform/sync/jobs/execute-here.js';
import type { StartExecution } from '../../../src/platform/sync/jobs/sync-job.js';
import { systemClock } from '../../../src/sync/clock.js';
import { systemRandom } from '../../../src/sync/random.js';
import { ask } from '../../analytics/graphql/served.js';
import { startTestPlatform, type TestPlatform, type TestUser } from '../../support/platform.js';
import { eventually, queueOf } from '../sync/jobs/queue.js';

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

const stores = [
  { name: 'PostgreSQL', uri: () => undefined },
  { name: 'SQLite', uri: (folder: string) => `sqlite:${join(folder, 'units.sqlite')}` },
];

describe.each(stores)('work units in $name', ({ uri }) => {
  let platform: TestPlatform;
  let owner: TestUser;
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'plumbline-teams-'));
    const store = uri(folder);
    platform = await startTestPlatform({
      environment: { SYNC_JOBS: '1', ...(store === undefined ? {} : { ANALYTICS_URI: store }) },
      executeSync: executeNow,
    });
    owner = await platform.signUp();
  });
  afterAll(async () => {
    await platform.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('get the teams of a change in the background, so that coverage rises and falls', async () => {
    const queue = queueOf(platform, owner);
    const config = await queue.configure({ provider: 'synthetic', targets: ['git'], repositories: ['own/tools'] });
    await queue.until(config, await queue.start(config), 'complete');
    expect(await coverage(platform, owner)).toBe(0);

    const teams = `/api/v1/organizations/${owner.orgId}/teams`;
    const token = owner.accessToken;
    await platform.json('POST', teams, { token, body: { id: 'tools', repositories: ['own/*'] } });
    await eventually(() => coverage(platform, owner)).toBe(1);
    const state = `/api/v1/organizations/${owner.orgId}/team-assignment`;
    await eventually(async () => (await platform.json('GET', state, { token })).body.state).toBe('done');

    await platform.json('DELETE', `${teams}/tools`, { token });
    await eventually(() => coverage(platform, owner)).toBe(0);
  }, 100_000);
});
