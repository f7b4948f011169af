/** Runs a batch in one snapshot: its figures, then baselines and keys of the values that the figures have. */
import type { AnalyticsBatch, AnalyticsResult, BreakdownResult, DateRange, DistributionResult } from '../analytics.js';
import type { Baseline, Dimension } from '../vocabulary.js';
import { answerBatch, largest } from './answer.js';
import { dayNumber, dayText } from './buckets.js';
import { statisticsByKey } from './distributions.js';
import type { DistributionQuery } from './distribution-statement.js';
import { answerDora, itemQueries } from './dora.js';
import type { Answers, QueryEngine } from './engine.js';
import { planBatch, type Plan } from './plan.js';
import { answerReviews, itemReviewers } from './reviews.js';
import type { Rows } from './result-rows.js';
import type { Slice } from './slices.js';
import { compile, type Query, type SeriesQuery, type Statement } from './statements.js';
import { isMean } from './values.js';

/** Answers a batch. Throws like the engine. */
export async function runBatch(
  engine: QueryEngine,
  orgId: string,
  batch: AnalyticsBatch,
  signal: AbortSignal,
): Promise<AnalyticsResult> {
  const plan = planBatch(orgId, batch);
  if (plan.queries.length === 0) return answerFirst(batch, plan, new Map()).result;
  const compiled = (queries: readonly Query[]): Statement[] => queries.map((query) => compile(engine.dialect, query));
  let answered: FirstAnswer | undefined;
  const answers = await engine.run(compiled(plan.queries), signal, (first) => {
    answered = answerFirst(batch, plan, rowsOf(plan.queries, first));
    return compiled(answered.queries);
  });
  // Without tables, nothing follows.
  const first = rowsOf(plan.queries, answers);
  answered ??= answerFirst(batch, plan, first);
  const { result, breakdowns, distributions, items, people, queries } = answered;
  if (queries.length === 0) return result;
  const rows = rowsOf(queries, answers.slice(plan.queries.length));
  const all: Rows = new Map([...first, ...rows]);
  return {
    ...result,
    dora: plan.dora === null ? null : answerDora(plan.dora, items, all),
    reviews: plan.reviews === null ? null : answerReviews(plan.reviews, people, all),
    breakdowns: breakdowns.map(({ answer, baseline }) => breakdownWith(answer, baseline, rows)),
    distributions: distributions.map(({ answer, baseline }) => distributionWith(answer, baseline, rows)),
  };
}

/** What the first queries answer, and the queries that depend on it. */
type FirstAnswer = ReturnType<typeof answerFirst>;

// eslint-disable-next-line @typescript-eslint/explicit-function-return-type -- its parts have the types of what makes them
function answerFirst(batch: AnalyticsBatch, plan: Plan, first: Rows) {
  const result = answerBatch(batch, plan, first);
  const breakdowns = result.breakdowns.map((answer, index) => comparedBreakdown(plan, index, answer));
  const distributions = result.distributions.map((answer, index) => comparedDistribution(plan, index, answer));
  const items = plan.dora === null ? undefined : itemQueries(plan.dora, first);
  const people = plan.reviews === null ? undefined : itemReviewers(plan.reviews, first);
  const queries: readonly Query[] = [
    ...[...breakdowns, ...distributions].flatMap(({ baseline }) => baseline ?? []),
    ...(items === undefined ? [] : [items.leadTimes, items.restores]),
    ...(people === undefined ? [] : [people]),
  ];
  return { result, breakdowns, distributions, items, people, queries };
}

function rowsOf(queries: readonly Query[], answers: Answers): Rows {
  return new Map(queries.map((query, index) => [query, answers[index] ?? []]));
}

/** An answer, and the query of its baseline; undefined: there is nothing to compare. */
interface Compared<Answer, BaselineQuery> {
  readonly answer: Answer;
  readonly baseline: BaselineQuery | undefined;
}

function comparedBreakdown(plan: Plan, index: number, answer: BreakdownResult): Compared<BreakdownResult, SeriesQuery> {
  const { request, query } = plan.breakdowns[index] ?? {};
  const keys = answer.items.map(({ key }) => key);
  if (request?.compareWith == null || query === undefined || keys.length === 0) return { answer, baseline: undefined };
  const { dimension, measure, compareWith, dateRange } = request;
  // The query may be that of a timeseries, which has an interval.
  const slice = baselineOf({ ...query.slice, dateRange }, compareWith, dimension, keys);
  const tops = new Map([[measure, keys.length]]);
  return { answer, baseline: { kind: 'series', slice, dimension, interval: null, tops } };
}

function breakdownWith(answer: BreakdownResult, query: SeriesQuery | undefined, rows: Rows): BreakdownResult {
  if (query === undefined) return answer;
  const values = new Map(
    largest(query, answer.measure, rows, answer.items.length).map(({ name, value }) => [name, value]),
  );
  // The sum of no units is 0; they have no mean.
  const missing = isMean(answer.measure) ? null : 0;
  return {
    ...answer,
    items: answer.items.map((item) => ({ ...item, baseline: values.get(item.key) ?? missing })),
  };
}

function comparedDistribution(
  plan: Plan,
  index: number,
  answer: DistributionResult,
): Compared<DistributionResult, DistributionQuery> {
  const { request, whole } = plan.distributions[index] ?? {};
  const keys = answer.items.map(({ key }) => key);
  if (request?.compareWith == null || whole === undefined || keys.length === 0) return { answer, baseline: undefined };
  const slice = baselineOf(whole.slice, request.compareWith, request.dimension, keys);
  return { answer, baseline: { ...whole, slice, top: keys.length } };
}

function distributionWith(
  answer: DistributionResult,
  query: DistributionQuery | undefined,
  rows: Rows,
): DistributionResult {
  if (query === undefined) return answer;
  const statistics = statisticsByKey(answer.measure, rows.get(query) ?? []);
  return {
    ...answer,
    items: answer.items.map((item) => ({ ...item, baseline: statistics.get(item.key) ?? null })),
  };
}

/** The rows of a baseline, for the keys that the figures have. */
function baselineOf(slice: Slice, baseline: Baseline, dimension: Dimension, keys: readonly string[]): Slice {
  const own = { [dimension]: keys };
  if (baseline === 'PREVIOUS_PERIOD') {
    return { ...slice, dateRange: periodBefore(slice.dateRange), filters: { ...slice.filters, ...own } };
  }
  const { TEAM: _teams, REPO: _repos, AUTHOR: _authors, ...kept } = slice.filters;
  const filters = { ...kept, ...own };
  return { ...slice, scope: { level: 'ORG', ids: [] }, filters };
}

/** Gives the period of the same length that ends where this one begins. */
function periodBefore({ startDate, endDate }: DateRange): DateRange {
  const [start, end] = [dayNumber(startDate), dayNumber(endDate)];
  return { startDate: dayText(2 * start - end - 1), endDate: dayText(start - 1) };
}
