/** Plans and answers the work in progress. */
import type { WorkInProgress, WorkInProgressRequest, WorkInProgressResult } from '../analytics.js';
import type { TimeZone } from '../time-zone.js';
import type { Interval } from '../vocabulary.js';
import { bucketsOf } from './buckets.js';
import type { InProgressQuery, RequestEventsQuery } from './in-progress-statements.js';
import { wholeNumber, type Row, type Rows } from './result-rows.js';
import type { Slice } from './slices.js';
import { scaledStatistics } from './statistics.js';

export interface InProgressPlan {
  readonly request: WorkInProgressRequest;
  readonly total: InProgressQuery;
  readonly items: InProgressQuery;
  /** null: no interval was requested. */
  readonly trend: {
    /** The first days of the buckets. */
    readonly starts: readonly string[];
    readonly opened: RequestEventsQuery;
    readonly closed: RequestEventsQuery;
  } | null;
}

/** @param slice the rows of the request, of whole units */
export function planInProgress(request: WorkInProgressRequest, slice: Slice, timeZone: TimeZone): InProgressPlan {
  const { dimension, dateRange, topN, interval } = request;
  const at = timeZone.endOf(dateRange.endDate);
  return {
    request,
    total: { kind: 'in-progress', slice, dimension: null, at, top: 1 },
    items: { kind: 'in-progress', slice, dimension, at, top: topN },
    trend: interval === null ? null : planTrend(interval, slice, timeZone),
  };
}

function planTrend(interval: Interval, slice: Slice, { startOf, endOf }: TimeZone): InProgressPlan['trend'] {
  const { starts } = bucketsOf(interval, slice.dateRange, slice.weekStartsOn);
  const [bounds, until] = [starts.slice(1).map(startOf), endOf(slice.dateRange.endDate)];
  const events = { kind: 'request-events', slice, bounds, until } as const;
  return { starts, opened: { ...events, event: 'opened' }, closed: { ...events, event: 'closed' } };
}

export function inProgressQueries({
  total,
  items,
  trend,
}: InProgressPlan): readonly (InProgressQuery | RequestEventsQuery)[] {
  return trend === null ? [total, items] : [total, items, trend.opened, trend.closed];
}

export function answerInProgress(plan: InProgressPlan, rows: Rows): WorkInProgressResult {
  const { request, total, items, trend } = plan;
  const [whole] = rows.get(total) ?? [];
  return {
    dimension: request.dimension,
    total: whole === undefined ? { count: null, ageDays: null } : workOf(whole),
    items: (rows.get(items) ?? []).map((row) => ({ key: String(row[0]), work: workOf(row) })),
    buckets: trend === null ? [] : bucketsWith(trend, rows),
  };
}

/** A row without any request that was opened until then does not exist. */
function workOf([_label, ...columns]: Row): WorkInProgress {
  const count = Number(wholeNumber(columns[0]));
  return { count, ageDays: count === 0 ? null : scaledStatistics(columns, 1) };
}

function bucketsWith(
  { starts, opened, closed }: NonNullable<InProgressPlan['trend']>,
  rows: Rows,
): WorkInProgressResult['buckets'] {
  const openedUpTo = counted(rows.get(opened) ?? []);
  const closedUpTo = counted(rows.get(closed) ?? []);
  return starts.map((date, index) => {
    const all = openedUpTo(index);
    return { date, count: all === 0 ? null : all - closedUpTo(index) };
  });
}

/** The number of requests up to the end of a bucket. */
function counted(rows: readonly Row[]): (bucket: number) => number {
  const counts = rows.map(([bucket, count]) => [Number(bucket), Number(wholeNumber(count))] as const);
  return (last) => counts.reduce((sum, [bucket, count]) => (bucket <= last ? sum + count : sum), 0);
}
