import { expect, it } from 'vitest';
import type { UnitPosition, UnitsRequest } from '../../../src/analytics/analytics.js';
import { openAnalytics } from '../../../src/analytics/open.js';
import { describeOnEachEngine, openOptions } from '../engines.js';
import { fill, unit } from '../graphql/served.js';

const request: UnitsRequest = {
  dateRange: { startDate: '2026-03-02', endDate: '2026-03-02' },
  scope: { level: 'ORG', ids: [] },
  filters: {},
  ...{ useInvestment: false, completedOnly: false, order: 'DAY', descending: true, first: 1000, after: null },
};

/** As long as the ids of requests in real repositories. */
const idOf = (number: number): string => `${'f'.repeat(64)}:pull_request:${String(number)}`;

describeOnEachEngine('A page of 1,000 units', (engine) => {
  it('has their shares, and is followed by the other units', async () => {
    const uri = await engine.newUri();
    await fill(
      uri,
      'acme',
      Array.from({ length: 1001 }, (_, number) => unit({ id: idOf(number) })),
    );
    const analytics = await openAnalytics(uri, { ...openOptions, timeoutSeconds: 30 });
    try {
      const page = (after: UnitPosition | null): ReturnType<typeof analytics.units> =>
        analytics.units('acme', { ...request, after }, AbortSignal.timeout(60_000));
      const first = await page(null);
      expect(first.total).toBe(1001);
      expect(first.units).toHaveLength(1000);
      expect(first.units.filter(({ shares }) => shares.length !== 1)).toEqual([]);
      expect((await page(first.next)).units).toHaveLength(1);
    } finally {
      await analytics.close();
    }
  });
});
