import { expect, it } from 'vitest';
import { bandsOf } from '../../../src/analytics/planner/dora-bands.js';

const duration = (median: number) => ({
  statistics: { count: 1, mean: median, median, p75: median, p90: median },
  coverage: 1,
});

function bands(deployments: number, days: number, leadHours: number, rate: number, restoreHours: number) {
  const keys = {
    deploymentFrequency: { deployments, perDay: deployments / days },
    leadTime: duration(leadHours),
    changeFailureRate: { failed: 0, rate },
    timeToRestore: duration(restoreHours),
  };
  return Object.values(bandsOf(keys, days));
}

it.each([
  ['the last value of STRONG', [13, 91, 167.99, 0.15, 23.99], 'STRONG'],
  ['the first of MODERATE', [12, 91, 168, 0.151, 24], 'MODERATE'],
  ['the last of MODERATE', [12, 365, 729.99, 0.459, 167.99], 'MODERATE'],
  ['the first of POOR', [11, 365, 730, 0.46, 168], 'POOR'],
] as const)('%s has its band', (_what, [deployments, days, lead, rate, restore], expected) => {
  expect(bands(deployments, days, lead, rate, restore)).toEqual([expected, expected, expected, expected]);
});

it('few days say nothing about deployments per month', () => {
  expect(bands(27, 27, 1, 0, 1)[0]).toBeNull();
  expect(bands(28, 28, 1, 0, 1)[0]).toBe('STRONG');
});
