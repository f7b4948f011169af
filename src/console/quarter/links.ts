/** Addresses of what is behind the figures of both periods. */
import type { Dimension, Measure } from '../analytics/client.js';
import { partsOfPeriod, type Period } from '../analytics/period.js';
import type { Picks } from '../analytics/picks.js';
import { withParts } from '../analytics/search-parts.js';
import { linksOf, type UnitLinks } from '../analytics/units-link.js';
import type { Span } from './span.js';
import type { Both } from './work-sentences.js';

export interface QuarterLinks {
  /** The shares of units, as the sums of work count them. */
  readonly shares: (dimension: Dimension, value: string, picks?: Picks) => Both;
  readonly total: Both;
  /** Whole units, as medians and the four keys count them. */
  readonly wholes: (measure: Measure, dimension: Dimension, value: string, picks?: Picks) => Both;
  /** The Delivery page. */
  readonly delivery: Both;
  /** The reasons for the classification of one request. */
  readonly request: (id: string) => string;
}

type Days = Pick<Period, 'name' | 'range'>;

export function linksTo({ name, range, previous }: Span): QuarterLinks {
  const periods: readonly [Days, Days] = [
    { name, range },
    { name: 'custom', range: previous },
  ];
  const both = (isWhole: boolean, picks: Picks, href: (links: UnitLinks) => string): Both => {
    const [now, before] = periods.map((period) => href(linksOf({ period, picks, interval: 'DAY', isWhole })));
    return { now: now ?? '', before: before ?? '' };
  };
  const [delivery, deliveryBefore] = periods.map(
    (period) => `/delivery?${withParts(new URLSearchParams(), partsOfPeriod(period)).toString()}`,
  );
  return {
    shares: (dimension, value, picks = {}) => both(false, picks, (links) => links.toBar('COUNT', dimension, value)),
    total: both(false, {}, (links) => links.toAll('COUNT')),
    wholes: (measure, dimension, value, picks = {}) =>
      both(true, picks, (links) => links.toBar(measure, dimension, value)),
    delivery: { now: delivery ?? '', before: deliveryBefore ?? '' },
    request: (id) => {
      const list = linksOf({ period: { name, range }, picks: {}, interval: 'DAY', isWhole: true });
      return `${list.toBar('CYCLE_TIME_HOURS', 'WORK_TYPE', 'pull_request')}&why=${encodeURIComponent(id)}`;
    },
  };
}
