import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parseAnalyticsUri } from '../../../src/analytics/address.js';
import type { Analytics } from '../../../src/analytics/analytics.js';
import { openAnalytics } from '../../../src/analytics/open.js';
import { openWorkUnitStore } from '../../../src/analytics/store/open.js';
import { DIMENSIONS } from '../../../src/analytics/vocabulary.js';
import { describeOnEachEngine, openOptions, type EngineKind } from '../engines.js';
import { batches, ORGS, unitRequests, units } from './arbitrary.js';
import { referenceFirstDay, referenceRun, referenceUnits, referenceValues, type OwnedUnit } from './reference.js';

/** The same data for all engines; ANALYTICS_TEST_SEED tries others, ANALYTICS_TEST_BATCHES more. */
const SEED = Number(process.env['ANALYTICS_TEST_SEED'] ?? 20_260_301);
const OTHER_BATCHES = process.env['ANALYTICS_TEST_BATCHES'];
/**
 * Thousands where they take seconds. ClickHouse takes about 6 ms for a statement, however few the units are: 2,000
 * batches took five minutes. A server of it gets the statements that the embedded engine gets, so fewer show what HTTP
 * adds to them.
 */
const BATCHES: Readonly<Record<EngineKind, number>> = { postgres: 2000, sqlite: 2000, chdb: 800, clickhouse: 200 };
const REPO = '11111111-1111-4111-8111-111111111111';
const never = new AbortController().signal;

const [all = []] = fc.sample(units(900), { seed: SEED, numRuns: 1 });

describeOnEachEngine('the planner against the plain reference', (engine) => {
  const count = Number(OTHER_BATCHES ?? BATCHES[engine.kind]);
  let analytics: Analytics;
  beforeAll(async () => {
    const uri = await engine.newUri();
    const store = await openWorkUnitStore(parseAnalyticsUri(uri), openOptions);
    await store.ensureSchema();
    for (const orgId of ORGS) {
      const own = all.filter((unit) => unit.orgId === orgId);
      // Twice, and in pieces: as incremental derivations do, with older versions left behind.
      const stale = own.map((unit) => ({ ...unit, day: '2024-06-15', churnLoc: 1, author: 'stale' }));
      await store.apply({ orgId, repoId: REPO, units: stale.slice(0, 200), removed: [] });
      await store.apply({ orgId, repoId: REPO, units: [...own.slice(100), extra(own)], removed: [] });
      await store.apply({ orgId, repoId: REPO, units: own.slice(0, 100), removed: ['extra'] });
    }
    await store.close();
    analytics = await openAnalytics(uri, { ...openOptions, timeoutSeconds: 30 });
  });
  afterAll(async () => {
    await analytics.close();
  });

  it(`gives equal answers to ${count} generated batches`, { timeout: 600_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...ORGS, 'org-of-nobody'), batches, async (orgId, batch) => {
        expect(await analytics.run(orgId, batch, never)).toEqual(referenceRun(all, orgId, batch));
      }),
      { numRuns: count, seed: SEED, endOnFailure: process.env['CI'] !== undefined },
    );
  });

  it('lists equal units, page by page, each once', { timeout: 600_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...ORGS, 'org-of-nobody'), unitRequests, async (orgId, request) => {
        const wanted = referenceUnits(all, orgId, request).map(shown);
        const listed: unknown[] = [];
        let after = request.after;
        do {
          const { units: page, next, total } = await analytics.units(orgId, { ...request, after }, never);
          expect(total).toBe(wanted.length);
          for (const { cycleMs, ...unit } of page) {
            expect(cycleMs).toBe(unit.completedAt === null ? null : unit.completedAt - unit.startedAt);
            listed.push({ ...unit, orgId });
          }
          after = next;
        } while (after !== null);
        expect(listed).toEqual(wanted);
      }),
      { numRuns: Math.ceil(count / 20), seed: SEED, endOnFailure: process.env['CI'] !== undefined },
    );
  });

  it('gives equal catalogs', async () => {
    for (const orgId of [...ORGS, 'org-of-nobody']) {
      for (const dimension of DIMENSIONS) {
        const everything = referenceValues(all, orgId, dimension);
        expect(await analytics.values(orgId, dimension, never)).toEqual(everything);
        const parts = everything
          .slice(0, 10)
          // Half of a character is not a text.
          .map(({ value }) => Array.from(value))
          .flatMap((characters) => [characters.slice(1, 4).join('').toUpperCase(), characters.slice(-2).join('')]);
        for (const search of new Set([...parts, '%', '_', "'", '\\', 'no such value'])) {
          const found = await analytics.values(orgId, dimension, never, search);
          expect(found, search).toEqual(referenceValues(all, orgId, dimension, search));
        }
      }
    }
  });

  it('gives equal first days', async () => {
    const [one = '', other = ''] = referenceValues(all, ORGS[0], 'REPO').map(({ value }) => value);
    for (const orgId of [...ORGS, 'org-of-nobody']) {
      for (const repos of [[], [one], [one, other], ['no/such']])
        expect(await analytics.firstDay(orgId, repos, never)).toBe(referenceFirstDay(all, orgId, repos));
    }
  });
});

function extra([first]: readonly OwnedUnit[]): OwnedUnit {
  if (first === undefined) throw new Error('no units were generated');
  return { ...first, id: 'extra' };
}

/** A list shows neither phases, nor which changes failed, nor how requests were open and reviewed. */
function shown(unit: OwnedUnit): OwnedUnit {
  const { phases: _, changeFailed: __, openness: ___, reviewers: ____, ...rest } = unit;
  return rest;
}
