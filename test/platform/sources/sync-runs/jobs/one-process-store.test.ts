/** A store that one process alone can open: the ClickHouse in the server's process. */
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openChdb } from '../../../../../src/analytics/clickhouse/chdb.js';
import { ask } from '../../../../analytics/graphql/served.js';
import { chdbMissing, importConnector } from '../../../../support/chdb.js';
import { startTestPlatform } from '../../../../support/platform.js';
import { queueOf } from './queue.js';

const COUNTS = `query ($orgId: String!, $batch: AnalyticsRequestInput!) {
  analytics(orgId: $orgId, batch: $batch) { breakdowns { items { key value } } }
}`;

describe.skipIf(chdbMissing !== null)(`a store that one process alone can open ${chdbMissing ?? ''}`, () => {
  it('is filled by the server that answers from it, while it answers', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'plumbline-chdb-'));
    onTestFinished(() => rm(directory, { recursive: true, force: true }));
    const store = join(directory, 'analytics');
    const platform = await startTestPlatform({
      environment: { ANALYTICS_URI: `chdb:${store}`, SYNC_JOBS: '2' },
      importConnector,
    });
    onTestFinished(() => platform.stop());
    const owner = await platform.signUp();
    const queue = queueOf(platform, owner);
    const today = new Date().toISOString().slice(0, 10);
    const from = new Date(Date.now() - 300 * 86_400_000).toISOString().slice(0, 10);
    const types = async (): Promise<readonly { key: string; value: number }[]> => {
      const dateRange = { startDate: from, endDate: today };
      const breakdowns = [{ dimension: 'WORK_TYPE', measure: 'COUNT', dateRange, topN: 10 }];
      const { analytics } = await ask(platform, owner, COUNTS, { batch: { breakdowns } });
      return analytics.breakdowns[0].items;
    };
    expect(await types()).toEqual([]);

    const targets = ['git', 'prs', 'deployments', 'incidents', 'issues'];
    const configId = await queue.configure({ provider: 'synthetic', targets, repositories: ['acme/api', 'acme/web'] });
    const run = await queue.until(configId, await queue.start(configId), 'complete');
    expect(run).toMatchObject({ error: null, progress: { repositories_done: 2, repositories_failed: 0 } });

    const found = new Map((await types()).map(({ key, value }) => [key, value]));
    expect([...found.keys()].sort()).toEqual(['commit', 'deployment', 'incident', 'issue', 'pull_request']);
    // The same engine, opened once more in this process, holds the records of the run.
    const engine = await openChdb(store, () => importConnector('chdb'));
    onTestFinished(() => engine.close());
    const [stored] = await engine.query('select count() from git_commits final where org_id = {org:String}', {
      org: owner.orgId,
    });
    expect(Number(stored?.[0])).toBeGreaterThan(0);
    const [units] = await engine.query('select count() from work_units final where org_id = {org:String}', {
      org: owner.orgId,
    });
    expect(Number(units?.[0])).toBe([...found.values()].reduce((sum, value) => sum + value, 0));
  });
});
