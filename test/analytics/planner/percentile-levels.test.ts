/** ClickHouse takes the value at index `floor(level * count)`; the levels make that the nearest rank. */
import { expect, test } from 'vitest';
import { clickHouseDialect } from '../../../src/analytics/planner/dialects.js';

const statement = clickHouseDialect.percentiles({
  column: 'churn',
  keys: "'' as label",
  names: 'label',
  rows: 'from t',
});
const levels = (/quantilesExact\(([^)]+)\)/.exec(statement)?.[1] ?? '').split(', ').map(Number);

test.each([50, 75, 90].map((percent, index) => [percent, levels[index] ?? Number.NaN]))(
  'The index of %i percent is the nearest rank for any number of units',
  (percent, level) => {
    const wrong: number[] = [];
    const check = (count: number): void => {
      if (Math.floor(level * count) !== Math.ceil((percent * count) / 100) - 1) wrong.push(count);
    };
    for (let count = 1; count <= 100_000; count += 1) check(count);
    for (let count = 100_000; count <= 1_000_000_000; count += 99_991)
      for (let more = 0; more < 20; more += 1) check(count + more);
    expect(wrong).toEqual([]);
  },
);
