/** Plans the queries for a batch. Requests that read the same sums share a query. */
import type {
  AnalyticsBatch,
  BreakdownRequest,
  DateRange,
  DistributionRequest,
  TimeseriesRequest,
} from '../analytics.js';
import { timeZoneOf } from '../time-zone.js';
import type { Dimension, Interval, Measure } from '../vocabulary.js';
import type { DistributionQuery } from './distribution-statement.js';
import { doraQueries, planDora, type DoraPlan } from './dora.js';
import { inProgressQueries, planInProgress, type InProgressPlan } from './in-progress.js';
import { planReviews, reviewQueries, type ReviewsPlan } from './reviews.js';
import type { Slice } from './slices.js';
import type { FlowQuery, Query, SeriesQuery } from './statements.js';

/** Maximum number of series of a timeseries: the catalog's maxTopN. */
export const MAX_SERIES = 50;

export interface Plan {
  readonly queries: readonly Query[];
  /** The query of each request of the batch, in order. */
  readonly timeseries: readonly Answered<TimeseriesRequest, SeriesQuery>[];
  readonly breakdowns: readonly Answered<BreakdownRequest, SeriesQuery>[];
  readonly distributions: readonly AnsweredDistribution[];
  /** null: not requested. */
  readonly dora: DoraPlan | null;
  /** null: not requested. */
  readonly workInProgress: InProgressPlan | null;
  /** null: not requested. */
  readonly reviews: ReviewsPlan | null;
  /** One query per pair of adjacent levels. */
  readonly flows: readonly FlowQuery[];
}

export interface Answered<Request, By> {
  readonly request: Request;
  readonly query: By;
}

export interface AnsweredDistribution {
  readonly request: DistributionRequest;
  readonly whole: DistributionQuery;
  /** null: no buckets were requested. */
  readonly buckets: DistributionQuery | null;
}

/** The maximum number of nodes per level and of edges per step: the limits, distributed evenly. */
export function shareOfLimits(
  levels: number,
  { maxNodes, maxEdges }: { readonly maxNodes: number; readonly maxEdges: number },
): { readonly nodes: number; readonly edges: number } {
  return {
    nodes: Math.max(1, Math.floor(maxNodes / levels)),
    edges: Math.max(1, Math.floor(maxEdges / (levels - 1))),
  };
}

/**
 * Plans a batch.
 *
 * A timeseries reads the sums by bucket of the values that are largest over all buckets. Another measure of the same
 * timeseries adds a column to that query, and a breakdown of the same dimension and range adds up its buckets: both are
 * much cheaper than another scan.
 */
export function planBatch(orgId: string, batch: AnalyticsBatch): Plan {
  const sliceOf = (dateRange: DateRange): Slice => ({
    orgId,
    source: batch.useInvestment ? 'shares' : 'units',
    dateRange,
    scope: batch.scope,
    filters: batch.filters ?? {},
    weekStartsOn: batch.weekStartsOn,
  });
  const series: WritableSeries[] = [];
  const want = (
    dimension: Dimension,
    measure: Measure,
    top: number,
    dateRange: DateRange,
    interval: Interval | null,
    fits: (other: WritableSeries) => boolean,
  ): SeriesQuery => {
    let query = series.find(
      (other) => other.dimension === dimension && sameRange(other.slice.dateRange, dateRange) && fits(other),
    );
    if (query === undefined) {
      query = { kind: 'series', slice: sliceOf(dateRange), dimension, interval, tops: new Map() };
      series.push(query);
    }
    query.tops.set(measure, Math.max(top, query.tops.get(measure) ?? 0));
    return query;
  };

  const timeseries = batch.timeseries.map((request) => {
    const { dimension, measure, interval, dateRange } = request;
    const query = want(dimension, measure, MAX_SERIES, dateRange, interval, (other) => other.interval === interval);
    return { request, query };
  });
  const breakdowns = batch.breakdowns.map((request) => {
    const { dimension, measure, topN, dateRange } = request;
    return { request, query: want(dimension, measure, topN, dateRange, null, () => true) };
  });
  const distributions = (batch.distributions ?? []).map((request): AnsweredDistribution => {
    const { dimension, measure, topN, dateRange, interval } = request;
    const slice: Slice = { ...sliceOf(dateRange), source: 'units' };
    const whole: DistributionQuery = { kind: 'distribution', slice, dimension, measure, interval: null, top: topN };
    return { request, whole, buckets: interval === null ? null : { ...whole, interval } };
  });
  const distributed = distributions.flatMap(({ whole, buckets }) => (buckets === null ? [whole] : [whole, buckets]));
  const flows = flowsOf(batch, sliceOf);
  const ofWholes = <Request extends { readonly dateRange: DateRange }, Planned>(
    request: Request | null | undefined,
    plan: (request: Request, slice: Slice) => Planned,
  ): Planned | null => (request == null ? null : plan(request, { ...sliceOf(request.dateRange), source: 'units' }));
  const dora = ofWholes(batch.dora, planDora);
  const timeZone = timeZoneOf(batch.timeZone ?? 'UTC');
  const workInProgress = ofWholes(batch.workInProgress, (request, slice) => planInProgress(request, slice, timeZone));
  const reviews = ofWholes(batch.reviews, planReviews);
  const queries = [
    ...series,
    ...distributed,
    ...(dora === null ? [] : doraQueries(dora)),
    ...(workInProgress === null ? [] : inProgressQueries(workInProgress)),
    ...(reviews === null ? [] : reviewQueries(reviews)),
    ...flows,
  ];
  return { queries, timeseries, breakdowns, distributions, dora, workInProgress, reviews, flows };
}

interface WritableSeries extends SeriesQuery {
  readonly tops: Map<Measure, number>;
}

function flowsOf({ sankey }: AnalyticsBatch, sliceOf: (dateRange: DateRange) => Slice): readonly FlowQuery[] {
  if (sankey === null) return [];
  const { path, measure, dateRange } = sankey;
  const { nodes } = shareOfLimits(path.length, sankey);
  return path.slice(1).map((to, index) => ({
    kind: 'flow',
    slice: sliceOf(dateRange),
    from: path[index] ?? to,
    to,
    measure,
    keep: nodes,
    coverage: index === 0,
  }));
}

function sameRange(one: DateRange, other: DateRange): boolean {
  return one.startDate === other.startDate && one.endDate === other.endDate;
}
