/** Converts the integer sums of engines to figures; and defines the sort order of results. */
import { WHOLE } from '../store/shares.js';
import type { Measure } from '../vocabulary.js';
import type { Dialect, Source } from './dialects.js';

/** The sums of one cell. */
export interface Sums {
  readonly sum: bigint;
  /** The divisor of a mean; otherwise 0. */
  readonly divisor: bigint;
}

export const NOTHING: Sums = { sum: 0n, divisor: 0n };

const MILLISECONDS_PER_HOUR = 3_600_000;

/** The divisor that converts a sum (or a quotient of sums) to the figure. */
export const SCALES: Readonly<Record<Source, Readonly<Record<Measure, number>>>> = {
  units: { COUNT: 1, CHURN_LOC: 1, CYCLE_TIME_HOURS: MILLISECONDS_PER_HOUR, THROUGHPUT: 1 },
  // The divisor of the mean is in millionths, its sum is not.
  shares: { COUNT: WHOLE, CHURN_LOC: WHOLE, CYCLE_TIME_HOURS: MILLISECONDS_PER_HOUR / WHOLE, THROUGHPUT: WHOLE },
};

export function isMean(measure: Measure): boolean {
  return measure === 'CYCLE_TIME_HOURS';
}

/** The figure of a cell; undefined for an empty mean. This is the only division... */
export function valueOf(source: Source, measure: Measure, { sum, divisor }: Sums): number | undefined {
  if (!isMean(measure)) return Number(sum) / SCALES[source][measure];
  if (divisor === 0n) return undefined;
  return Number(sum) / Number(divisor) / SCALES[source][measure];
}

/** ... except for the same operations, in the same order, in the ORDER BY of engines; -1 is an empty mean. */
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

/** Sorts by value, largest first, then by name in the order of the engines: by bytes in UTF-8. */
export function byValue(
  one: { readonly name: string; readonly value: number },
  other: { readonly name: string; readonly value: number },
): number {
  return other.value - one.value || byBytes(one.name, other.name);
}

export function byBytes(one: string, other: string): number {
  return one === other ? 0 : Buffer.compare(Buffer.from(one), Buffer.from(other));
}
