import type { Statistics } from '../analytics.js';
import type { QueryMeasure } from './distribution-statement.js';
import { wholeNumber, type Row } from './result-rows.js';
import { SCALES } from './values.js';

/** @param columns number, sum and percentiles, in the units of the store */
export function statisticsOf(measure: QueryMeasure, columns: Row): Statistics {
  return scaledStatistics(columns, measure === 'CHURN_LOC' ? SCALES.units.CHURN_LOC : SCALES.units.CYCLE_TIME_HOURS);
}

/** @param scale the number of units of the store in one of the figure */
export function scaledStatistics(columns: Row, scale: number): Statistics {
  const [count = 0n, total = 0n, p50 = 0n, p75 = 0n, p90 = 0n] = columns.map(wholeNumber);
  return {
    count: Number(count),
    mean: Number(total) / Number(count) / scale,
    median: Number(p50) / scale,
    p75: Number(p75) / scale,
    p90: Number(p90) / scale,
  };
}
