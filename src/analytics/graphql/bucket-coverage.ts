/** Adds to figures what is known of their days: a part of a bucket is not drawn as a whole, nor compared with one. */
import type { AnalyticsResult as Answer, BucketCoverage, DoraKeys } from '../../../generated/graphql/resolvers.js';
import type { AnalyticsBatch, AnalyticsResult, DateRange } from '../analytics.js';
import type { WorkHistory } from '../unit-records.js';
import {
  PHASE_MEASURES,
  WORK_TYPES,
  type Baseline,
  type DistributionMeasure,
  type Interval,
  type WorkType,
} from '../vocabulary.js';
import { nextStart } from '../planner/buckets.js';
import { dayAfter, countDays } from './calendar.js';

/** The days that figures can be about. */
export interface KnownDays {
  /** The first day of which some work is known; null: there is none. */
  readonly firstDay: string | null;
  /** The first day of which all work is known. It is not before `firstDay`. */
  readonly knownSince: string | null;
  /** The day of the last sync: its work is known in part, and that of later days is not. null: no sync has said. */
  readonly knownUntil: string | null;
  /** Not over yet. */
  readonly today: string;
}

/** What decides which days are known: the first day of a work unit, and what syncs have read. */
export interface Knowledge extends Pick<KnownDays, 'firstDay' | 'today'> {
  readonly histories: readonly WorkHistory[];
}

/** Limits are listed up to this number. */
const MOST_LIMITS = 100;

/** What the keys of DORA are computed from. */
const DORA_WORK: readonly WorkType[] = ['pull_request', 'deployment', 'incident'];

/** What phases and the lead time are measured of. */
const REQUESTS: readonly WorkType[] = ['pull_request'];

/** The repositories whose history decides since when work is known; none: all. */
export function reposOf({ scope, filters = {} }: AnalyticsBatch): readonly string[] {
  return scope.level === 'REPO' && scope.ids.length > 0 ? scope.ids : (filters.REPO ?? []);
}

/** The types of work that any figure of a batch is about. */
function workTypesOf({
  timeseries,
  breakdowns,
  distributions = [],
  sankey,
  ...batch
}: AnalyticsBatch): readonly string[] {
  const asked: readonly WorkType[] =
    timeseries.length > 0 || breakdowns.length > 0 || sankey !== null
      ? WORK_TYPES
      : [
          ...distributions.flatMap(({ measure }) => (isOfRequests(measure) ? REQUESTS : WORK_TYPES)),
          ...(batch.dora == null ? [] : DORA_WORK),
          ...(batch.workInProgress == null && batch.reviews == null ? [] : REQUESTS),
        ];
  const filtered = batch.filters?.WORK_TYPE ?? [];
  return asked.filter((type) => filtered.length === 0 || filtered.includes(type));
}

/** The answer of a batch: each bucket with its coverage, and baselines only where their whole period is known. */
export function withCoverage(
  result: AnalyticsResult,
  batch: AnalyticsBatch,
  { histories, ...known }: Knowledge,
): Answer {
  const repos = reposOf(batch);
  const types = workTypesOf(batch);
  const relevant = histories.filter(
    ({ repo, workType }) => (repos.length === 0 || repos.includes(repo)) && types.includes(workType),
  );
  /** @param types of work that a figure is about; absent: those of the batch */
  const daysOf = (types?: readonly string[]): KnownDays => {
    const asked = relevant.filter(({ workType }) => types?.includes(workType) !== false);
    // Where a program begins to push into one repository, what syncs know of the others is not known less.
    const read = asked.filter(({ isPushed }) => isPushed !== true);
    const its = read.length > 0 ? read : asked;
    const from = its.flatMap(({ knownSince }) => knownSince ?? []);
    const until = its.flatMap(({ knownUntil }) => knownUntil ?? []);
    return {
      ...known,
      knownSince: known.firstDay && latest([known.firstDay, ...from]),
      // The latest of all: a repository that is not read any more does not make the others unknown.
      knownUntil: until.length === 0 ? null : latest(until),
    };
  };
  const days = daysOf();
  const covered = <Bucket extends { readonly date: string }>(
    buckets: readonly Bucket[],
    interval: Interval | null | undefined,
    range: DateRange | undefined,
    types?: readonly string[],
  ): (Bucket & { readonly coverage: BucketCoverage })[] => {
    if (interval == null || range === undefined) return []; // without an interval there are no buckets
    const knownDays = daysOf(types);
    return buckets.map((bucket) => ({ ...bucket, coverage: coverageOf(bucket.date, interval, range, knownDays) }));
  };
  const dora = result.dora;
  return {
    ...result,
    knownSince: days.knownSince,
    knownUntil: days.knownUntil,
    historyLimits: relevant
      .flatMap(({ repo, workType, knownSince }) => (knownSince === null ? [] : { repo, workType, knownSince }))
      .toSorted((one, other) => (one.knownSince < other.knownSince ? 1 : -1))
      .slice(0, MOST_LIMITS),
    timeseries: result.timeseries.map((series) => ({
      ...series,
      buckets: covered(series.buckets, series.interval, series.dateRange),
    })),
    breakdowns: result.breakdowns.map((breakdown, at) => {
      const isKnown = hasBaseline(batch.breakdowns[at], days);
      return {
        ...breakdown,
        items: breakdown.items.map((item) => ({ ...item, baseline: isKnown ? item.baseline : null })),
      };
    }),
    distributions: result.distributions.map((distribution, at) => {
      const request = batch.distributions?.[at];
      const types = isOfRequests(distribution.measure) ? REQUESTS : undefined;
      const isKnown = hasBaseline(request, daysOf(types));
      return {
        ...distribution,
        items: distribution.items.map((item) => ({
          ...item,
          buckets: covered(item.buckets, request?.interval, request?.dateRange, types),
          baseline: isKnown ? item.baseline : null,
        })),
      };
    }),
    dora:
      dora === null
        ? null
        : withKnownDeployments(
            {
              ...dora,
              buckets: covered(dora.buckets, batch.dora?.interval, batch.dora?.dateRange, DORA_WORK),
            },
            // A sync has read the deployments of some of the range.
            relevant.some(
              ({ workType, knownSince }) =>
                workType === 'deployment' &&
                (knownSince === null || knownSince <= (batch.dora?.dateRange.endDate ?? '')),
            ),
          ),
  };
}

/** Where no sync has read the deployments of a range, as from a clone, their number is not known, and not 0. */
function withKnownDeployments(dora: NonNullable<Answer['dora']>, isRead: boolean): NonNullable<Answer['dora']> {
  if (isRead || dora.total.deploymentFrequency.deployments !== 0) return dora;
  const withoutNumbers = (keys: DoraKeys): DoraKeys => ({
    ...keys,
    deploymentFrequency: { deployments: null, perDay: null },
    changeFailureRate: { failed: null, rate: null },
  });
  return {
    ...dora,
    total: withoutNumbers(dora.total),
    buckets: dora.buckets.map((bucket) => ({ ...bucket, keys: withoutNumbers(bucket.keys) })),
  };
}

function latest(days: readonly string[]): string {
  return days.reduce((one, other) => (one > other ? one : other));
}

function isOfRequests(measure: DistributionMeasure): boolean {
  return PHASE_MEASURES.some((phase) => phase === measure);
}

/** How much of a bucket the figures of a range are about. @param first the first day of the bucket */
export function coverageOf(
  first: string,
  interval: Interval,
  { startDate, endDate }: DateRange,
  { firstDay, knownSince, knownUntil, today }: KnownDays,
): BucketCoverage {
  const last = dayAfter(nextStart(interval, first), -1);
  const lastKnown = knownUntil === null || knownUntil > today ? today : knownUntil;
  if (firstDay === null || knownSince === null || last < firstDay || first > lastKnown) return 'NONE';
  const isFull = first >= startDate && last <= endDate && first >= knownSince && last < lastKnown;
  return isFull ? 'FULL' : 'PARTIAL';
}

/**
 * Whether the days of the figures and of the period before are all known, apart from one day that is not over or not read
 * yet. The baseline of the organization is about the same days as the figures.
 */
function hasBaseline(
  request: { readonly compareWith?: Baseline | null; readonly dateRange: DateRange } | undefined,
  { knownSince, knownUntil, today }: KnownDays,
): boolean {
  if (request?.compareWith !== 'PREVIOUS_PERIOD') return true;
  const { startDate, endDate } = request.dateRange;
  const isKnown = knownSince !== null && dayAfter(startDate, -countDays(request.dateRange)) >= knownSince;
  return isKnown && endDate <= today && (knownUntil === null || endDate <= dayAfter(knownUntil, 1));
}
