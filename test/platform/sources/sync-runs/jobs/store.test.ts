import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { prepareJob } from '../../../../../src/platform/sources/sync-runs/jobs/prepare-job.js';
import { startTestPlatform } from '../../../../support/platform.js';
import { NOW } from '../../../../sync/harness.js';
import { executeWithoutSleep, queueOf } from './queue.js';

it('A run fills the store of ANALYTICS_URI, which the Analytics API then answers from', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'plumbline-store-'));
  const environment = { SYNC_JOBS: '1', ANALYTICS_URI: `sqlite:${join(folder, 'analytics.db')}` };
  const platform = await startTestPlatform({ environment, executeSync: executeWithoutSleep });
  try {
    const owner = await platform.signUp();
    const queue = queueOf(platform, owner);
    const id = await queue.configure({ repositories: ['acme/api'], targets: ['git', 'prs'] });
    await queue.until(id, await queue.start(id), 'complete');
    const [found] = await platform.database.sql`select to_regclass('git_commits') as commits`;
    expect(found).toEqual({ commits: null }); // nothing went to the other database

    const day = new Date(NOW).toISOString().slice(0, 10);
    const query = `query ($org: String!, $days: DateRangeInput!) {
      analytics(orgId: $org, batch: { breakdowns: [{ dimension: REPO, measure: COUNT, dateRange: $days }] }) {
        breakdowns { items { key } }
      }
    }`;
    const reply = await fetch(`${platform.url}/graphql?org_id=${owner.orgId}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${owner.accessToken}` },
      body: JSON.stringify({ query, variables: { org: owner.orgId, days: { startDate: '2026-01-01', endDate: day } } }),
    });
    expect(await reply.json()).toEqual({ data: { analytics: { breakdowns: [{ items: [{ key: 'acme/api' }] }] } } });
  } finally {
    await platform.stop();
    await rm(folder, { recursive: true, force: true });
  }
});

it('A run refuses a store of a kind that no sync writes to', () => {
  const run = {
    id: 'run',
    org_id: 'org',
    started_at: new Date(0),
    attempts: 1,
    progress: {},
    result: null,
    notes: [],
    provider: 'synthetic',
    targets: ['git'],
    repositories: ['acme/api'],
    prune: false,
    is_demo: false,
    integration_id: null,
    secret_sealed: null,
    base_url: null,
    token_expires_at: null,
    inactive_reason: null,
  } as const;
  const secrets = { open: () => '' };
  const prepared = prepareJob(
    { ...run, targets: ['git'], repositories: ['acme/api'] },
    {
      secrets,
      store: 'duckdb:/var/lib/analytics',
      database: 'postgres://db/platform',
      integrationNetworks: [],
      periodDays: 365,
      recordDays: null,
      mostRequests: 100,
      localRootOf: () => null,
      rulesFile: null,
    },
  );
  expect(prepared).toEqual({ refusal: expect.stringMatching(/^Data cannot be stored in ANALYTICS_URI: /) });
});
