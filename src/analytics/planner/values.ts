/** From the whole numbers that engines sum up to the figures that are shown; and the order of what is shown. */
import { WHOLE } from '../store/shares.js';
import type { Measure } from '../vocabulary.js';
import type { Dialect, Source } from './dialects.js';

/** What an engine has summed up for one cell. */
export interface Sums {
  readonly sum: bigint;
  /** Of a mean; otherwise 0. */
  readonly divisor: bigint;
}

export const NOTHING: Sums = { sum: 0n, divisor: 0n };

const MILLISECONDS_PER_HOUR = 3_600_000;

/** By what a sum (or a quotient of sums) is divided to give the figure. */
const SCALES: Readonly<Record<Source, Readonly<Record<Measure, number>>>> = {
  units: { COUNT: 1, CHURN_LOC: 1, CYCLE_TIME_HOURS: MILLISECONDS_PER_HOUR, THROUGHPUT: 1 },
  // The divisor of the mean is in millionths, its sum is not.
  shares: { COUNT: WHOLE, CHURN_LOC: WHOLE, CYCLE_TIME_HOURS: MILLISECONDS_PER_HOUR / WHOLE, THROUGHPUT: WHOLE },
};

export function isMean(measure: Measure): boolean {
  return measure === 'CYCLE_TIME_HOURS';
}

/** The figure of a cell; undefined for the mean of nothing. This is the one place where anything is divided... */
export function valueOf(source: Source, measure: Measure, { sum, divisor }: Sums): number | undefined {
  if (!isMean(measure)) return Number(sum) / SCALES[source][measure];
  if (divisor === 0n) return undefined;
  return Number(sum) / Number(divisor) / SCALES[source][measure];
}

/** ... but for the same operations, in the same order, by which engines find the largest; -1 is the mean of nothing. */
export function valueExpression(
  dialect: Dialect,
  source: Source,
  measure: Measure,
  sums: { readonly sum: string; readonly divisor: string },
): string {
  const scale = dialect.double(SCALES[source][measure].toString());
  if (!isMean(measure)) return `${dialect.double(sums.sum)} / ${scale}`;
  const mean = `${dialect.double(sums.sum)} / ${dialect.double(sums.divisor)} / ${scale}`;
  return `case when ${sums.divisor} = 0 then ${dialect.double('-1')} else ${mean} end`;
}

export function add(one: Sums, other: Sums): Sums {
  return { sum: one.sum + other.sum, divisor: one.divisor + other.divisor };
}

/** Sorts by value, largest first, and then by name as the engines compare texts: by their bytes in UTF-8. */
export function byValue(
  one: { readonly name: string; readonly value: number },
  other: { readonly name: string; readonly value: number },
): number {
  return other.value - one.value || byBytes(one.name, other.name);
}

export function byBytes(one: string, other: string): number {
  return one === other ? 0 : Buffer.compare(Buffer.from(one), Buffer.from(other));
}
