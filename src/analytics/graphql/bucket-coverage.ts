/** Adds to figures what is known of their days: a part of a bucket is not drawn as a whole, nor compared with one. */
import type { AnalyticsResult as Answer, BucketCoverage } from '../../../generated/graphql/resolvers.js';
import type { AnalyticsBatch, AnalyticsResult, DateRange } from '../analytics.js';
import type { Baseline, Interval, Measure } from '../vocabulary.js';
import { dayAfter, countDays } from './calendar.js';

/** The days that figures can be about. */
export interface KnownDays {
  /** The first; null: there are none. */
  readonly knownSince: string | null;
  /** Not over yet. */
  readonly today: string;
}

/** The repositories whose history decides since when work is known; none: all. */
export function reposOf({ scope, filters = {} }: AnalyticsBatch): readonly string[] {
  return scope.level === 'REPO' && scope.ids.length > 0 ? scope.ids : (filters.REPO ?? []);
}

/** The day of a moment, in UTC. */
export function dayOf(moment: Date): string {
  return moment.toISOString().slice(0, 10);
}

/** The answer of a batch: each bucket with its coverage, and baselines only where their whole period is known. */
export function withCoverage(result: AnalyticsResult, batch: AnalyticsBatch, days: KnownDays): Answer {
  const covered = <Bucket extends { readonly date: string }>(
    buckets: readonly Bucket[],
    interval: Interval | null | undefined,
    range: DateRange | undefined,
  ): (Bucket & { readonly coverage: BucketCoverage })[] =>
    interval == null || range === undefined
      ? [] // without an interval there are no buckets
      : buckets.map((bucket) => ({ ...bucket, coverage: coverageOf(bucket.date, interval, range, days) }));
  const dora = result.dora;
  return {
    ...result,
    knownSince: days.knownSince,
    timeseries: result.timeseries.map((series) => ({
      ...series,
      buckets: covered(
        series.buckets.filter(({ value }) => isMeasured(series.measure, value)),
        series.interval,
        series.dateRange,
      ),
    })),
    breakdowns: result.breakdowns.map((breakdown, at) => {
      const isKnown = hasBaseline(batch.breakdowns[at], days);
      return {
        ...breakdown,
        items: breakdown.items
          .filter(({ value }) => isMeasured(breakdown.measure, value))
          .map((item) => ({ ...item, baseline: isKnown ? item.baseline : null })),
      };
    }),
    distributions: result.distributions.map((distribution, at) => {
      const request = batch.distributions?.[at];
      const isKnown = hasBaseline(request, days);
      return {
        ...distribution,
        items: distribution.items.map((item) => ({
          ...item,
          buckets: covered(item.buckets, request?.interval, request?.dateRange),
          baseline: isKnown ? item.baseline : null,
        })),
      };
    }),
    dora:
      dora === null ? null : { ...dora, buckets: covered(dora.buckets, batch.dora?.interval, batch.dora?.dateRange) },
  };
}

/**
 * Whether a mean is known. A squashed commit has one time, and not that of its first change: a mean of 0 hours says that
 * the beginning of the work is unknown.
 */
function isMeasured(measure: Measure, value: number): boolean {
  return measure !== 'CYCLE_TIME_HOURS' || value !== 0;
}

/** How much of a bucket the figures of a range are about. @param first the first day of the bucket */
export function coverageOf(
  first: string,
  interval: Interval,
  { startDate, endDate }: DateRange,
  { knownSince, today }: KnownDays,
): BucketCoverage {
  const last = lastDayOf(first, interval);
  if (knownSince === null || last < knownSince || first > today) return 'NONE';
  const isFull = first >= startDate && last <= endDate && first >= knownSince && last < today;
  return isFull ? 'FULL' : 'PARTIAL';
}

function lastDayOf(first: string, interval: Interval): string {
  switch (interval) {
    case 'DAY':
      return first;
    case 'WEEK':
      return dayAfter(first, 6);
    case 'MONTH':
      return dayAfter(`${dayAfter(first, 31).slice(0, 8)}01`, -1);
  }
}

/** Whether all days of a baseline are known. That of the organization is about the same days as the figures. */
function hasBaseline(
  request: { readonly compareWith?: Baseline | null; readonly dateRange: DateRange } | undefined,
  { knownSince }: KnownDays,
): boolean {
  if (request?.compareWith !== 'PREVIOUS_PERIOD') return true;
  const { startDate } = request.dateRange;
  return knownSince !== null && dayAfter(startDate, -countDays(request.dateRange)) >= knownSince;
}
