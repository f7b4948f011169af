import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parseAnalyticsUri } from '../../../src/analytics/address.js';
import type { Analytics, AnalyticsBatch } from '../../../src/analytics/analytics.js';
import { openAnalytics } from '../../../src/analytics/open.js';
import { openWorkUnitStore } from '../../../src/analytics/store/open.js';
import { DIMENSIONS } from '../../../src/analytics/vocabulary.js';
import type { WorkUnitStore } from '../../../src/analytics/work-unit.js';
import { describeOnEachEngine, openOptions } from '../engines.js';
import { batches, units } from './arbitrary.js';

const REPO = '11111111-1111-4111-8111-111111111111';
const never = new AbortController().signal;
const [generated = []] = fc.sample(units(400), { seed: 7, numRuns: 1 });

/** The same ids, days and values in both; only who owns them and how much they are differs. */
const mine = generated.map((unit, index) => ({ ...unit, id: `u${index}` }));
const foreign = mine.map((unit) => ({ ...unit, churnLoc: (unit.churnLoc ?? 0) + 1, author: `foreign ${unit.author}` }));

describeOnEachEngine('an organization', (engine) => {
  let analytics: Analytics;
  let store: WorkUnitStore;
  beforeAll(async () => {
    const uri = await engine.newUri();
    store = await openWorkUnitStore(parseAnalyticsUri(uri), openOptions);
    await store.ensureSchema();
    await store.apply({ orgId: 'mine', repoId: REPO, units: mine, removed: [] });
    analytics = await openAnalytics(uri, { ...openOptions, timeoutSeconds: 30 });
  });
  afterAll(async () => {
    await analytics.close();
    await store.close();
  });

  it(
    'returns the same whatever other organizations have, and nothing for ids that look like SQL',
    { timeout: 300_000 },
    async () => {
      const asked: readonly AnalyticsBatch[] = fc.sample(batches, { seed: 11, numRuns: 60 });
      const alone = [];
      for (const batch of asked) alone.push(await analytics.run('mine', batch, never));
      const values = await Promise.all(DIMENSIONS.map((each) => analytics.values('mine', each, never)));

      for (const orgId of ['theirs', 'Mine', 'mine ', '%', ''])
        await store.apply({ orgId, repoId: REPO, units: foreign, removed: [] });

      for (const [index, batch] of asked.entries()) {
        expect(await analytics.run('mine', batch, never)).toEqual(alone[index]);
      }
      for (const [index, dimension] of DIMENSIONS.entries()) {
        expect(await analytics.values('mine', dimension, never)).toEqual(values[index]);
      }
      for (const orgId of ["mine' or '1'='1", 'min_', 'MINE', '*', 'mine\\', '{p1:String}', 'null']) {
        expect(await analytics.values(orgId, 'REPO', never)).toEqual([]);
        for (const batch of asked.slice(0, 5)) {
          const { timeseries, breakdowns, dora, workInProgress, reviews, sankey } = await analytics.run(
            orgId,
            batch,
            never,
          );
          expect([timeseries, breakdowns.flatMap(({ items }) => items), sankey?.nodes ?? []]).toEqual([[], [], []]);
          expect(dora?.total.deploymentFrequency.deployments ?? 0).toBe(0);
          expect([workInProgress?.total.count ?? null, reviews?.total ?? null]).toEqual([null, null]);
          expect([...(reviews?.teams ?? []), ...(reviews?.sizes ?? [])]).toEqual([]);
        }
      }
      expect(JSON.stringify([alone, values])).not.toContain('foreign');
      expect(JSON.stringify(await analytics.values('theirs', 'AUTHOR', never))).toContain('foreign');
    },
  );
});
