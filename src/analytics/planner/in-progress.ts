/** Plans and answers the work in progress. */
import type { DateRange, WorkInProgress, WorkInProgressRequest, WorkInProgressResult } from '../analytics.js';
import type { Interval } from '../vocabulary.js';
import { bucketsOf, dayNumber } from './buckets.js';
import type { InProgressQuery, RequestDaysQuery } from './in-progress-statements.js';
import { wholeNumber, type Row, type Rows } from './result-rows.js';
import type { Slice } from './slices.js';
import { scaledStatistics } from './statistics.js';

export interface InProgressPlan {
  readonly request: WorkInProgressRequest;
  readonly total: InProgressQuery;
  readonly items: InProgressQuery;
  /** null: no interval was requested. */
  readonly trend: {
    readonly interval: Interval;
    readonly opened: RequestDaysQuery;
    readonly closed: RequestDaysQuery;
  } | null;
}

const DAY_MILLISECONDS = 86_400_000;

/** @param slice the rows of the request, of whole units */
export function planInProgress(request: WorkInProgressRequest, slice: Slice): InProgressPlan {
  const { dimension, dateRange, topN, interval } = request;
  const until = Date.parse(dateRange.endDate) + DAY_MILLISECONDS;
  const days = { kind: 'request-days', slice, from: Date.parse(dateRange.startDate), until } as const;
  return {
    request,
    total: { kind: 'in-progress', slice, dimension: null, at: until, top: 1 },
    items: { kind: 'in-progress', slice, dimension, at: until, top: topN },
    trend:
      interval === null
        ? null
        : { interval, opened: { ...days, event: 'opened' }, closed: { ...days, event: 'closed' } },
  };
}

export function inProgressQueries({
  total,
  items,
  trend,
}: InProgressPlan): readonly (InProgressQuery | RequestDaysQuery)[] {
  return trend === null ? [total, items] : [total, items, trend.opened, trend.closed];
}

export function answerInProgress(plan: InProgressPlan, rows: Rows): WorkInProgressResult {
  const { request, total, items, trend } = plan;
  const [whole] = rows.get(total) ?? [];
  return {
    dimension: request.dimension,
    total: whole === undefined ? { count: null, ageDays: null } : workOf(whole),
    items: (rows.get(items) ?? []).map((row) => ({ key: String(row[0]), work: workOf(row) })),
    buckets: trend === null ? [] : bucketsWith(trend, request.dateRange, rows),
  };
}

/** A row without any request that was opened until then does not exist. */
function workOf([_label, ...columns]: Row): WorkInProgress {
  const count = Number(wholeNumber(columns[0]));
  return { count, ageDays: count === 0 ? null : scaledStatistics(columns, 1) };
}

function bucketsWith(
  { interval, opened, closed }: NonNullable<InProgressPlan['trend']>,
  dateRange: DateRange,
  rows: Rows,
): WorkInProgressResult['buckets'] {
  const openedUpTo = counted(rows.get(opened) ?? []);
  const closedUpTo = counted(rows.get(closed) ?? []);
  const { starts } = bucketsOf(interval, dateRange);
  return starts.map((date, index) => {
    const next = starts[index + 1];
    const end = next === undefined ? dayNumber(dateRange.endDate) : dayNumber(next) - 1;
    const last = end - dayNumber(dateRange.startDate);
    const all = openedUpTo(last);
    return { date, count: all === 0 ? null : all - closedUpTo(last) };
  });
}

/** The number of requests up to a day. Days are numbered from 0 at the first day of the range. */
function counted(rows: readonly Row[]): (day: number) => number {
  const days = rows.map(([day, count]) => [Number(day), Number(wholeNumber(count))] as const);
  return (last) => days.reduce((sum, [day, count]) => (day <= last ? sum + count : sum), 0);
}
