/** Links from figures to the work units that they are made of. */
import type { Dimension, Measure } from './client.js';
import { daysOfBucket, partsOfPeriod, type Interval, type Period } from './period.js';
import { isDimension, partsOfPicks, type Picks } from './picks.js';
import { withParts, type SearchParts } from './search-parts.js';

/** What the figures of a page are made of. */
export interface Source {
  readonly period: Pick<Period, 'name' | 'range'>;
  readonly picks: Picks;
  /** The interval of the lines. */
  readonly interval: Interval;
  /** Whether each unit counts whole under its main theme, instead of with its shares of all themes. */
  readonly isWhole: boolean;
}

/** The links of a page. */
export interface UnitLinks {
  /** The units of a total. */
  readonly toAll: (measure: Measure) => string;
  /** The units of a bar. */
  readonly toBar: (measure: Measure, dimension: Dimension, value: string) => string;
  /** The units of the points of a line, and of the line (`date` is null). */
  readonly ofLine: (measure: Measure, dimension: Dimension) => (value: string, date: string | null) => string;
  /** The units of a node, or of the flow between nodes; undefined: the server has folded several values into one. */
  readonly toNodes: (nodes: readonly Node[]) => string | undefined;
}

interface Node {
  readonly dimension: string;
  readonly label: string;
}

export function linksOf({ period, picks, interval, isWhole }: Source): UnitLinks {
  const href = (measure: Measure, more: Picks, within = period): string => {
    const parts = {
      ...partsOfPeriod(within),
      ...partsOfPicks({ ...picks, ...more }),
      ...partsOfMeasure[measure],
      whole: isWhole ? 'yes' : null,
    };
    return `/work-units?${withParts(new URLSearchParams(), parts).toString()}`;
  };
  return {
    toAll: (measure) => href(measure, {}),
    toBar: (measure, dimension, value) => href(measure, { [dimension]: [value] }),
    ofLine: (measure, dimension) => (value, date) =>
      href(
        measure,
        { [dimension]: [value] },
        date === null ? period : { name: 'custom', range: daysOfBucket(date, interval, period.range) },
      ),
    toNodes: (nodes) => {
      const more = nodes.flatMap(({ dimension, label }) =>
        isDimension(dimension) && label !== folded ? [[dimension, [label]] as const] : [],
      );
      return more.length < nodes.length ? undefined : href('COUNT', Object.fromEntries(more));
    },
  };
}

/** The label of the node that stands for what the limits of a flow cut off. */
const folded = 'other';

/** What a measure does not count is left out, and what it adds up or averages is what the units are sorted by. */
const partsOfMeasure: Readonly<Record<Measure, SearchParts>> = {
  COUNT: {},
  THROUGHPUT: { completed: 'yes' },
  CHURN_LOC: { order: 'lines' },
  CYCLE_TIME_HOURS: { completed: 'yes', order: 'cycle-time' },
};
