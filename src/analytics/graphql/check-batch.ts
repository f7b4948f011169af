import type {
  AnalyticsRequestInput,
  BreakdownRequestInput,
  CatalogLimits,
  DistributionRequestInput,
  DoraRequestInput,
  FilterInput,
  ReviewsRequestInput,
  SankeyRequestInput,
  ScopeFilterInput,
  TimeseriesRequestInput,
  WorkInProgressRequestInput,
} from '../../../generated/graphql/resolvers.js';
import type {
  AnalyticsBatch,
  BreakdownRequest,
  DateRange,
  DistributionRequest,
  DoraRequest,
  Filters,
  ReviewsRequest,
  SankeyRequest,
  Scope,
  TimeseriesRequest,
  WorkInProgressRequest,
} from '../analytics.js';
import { DIMENSIONS, type Dimension, type Interval } from '../vocabulary.js';
import type { OrganizationCalendar } from '../organization-calendar.js';
import { countBuckets } from '../planner/buckets.js';
import { countDays, isTooLong } from './calendar.js';
import { refuseAuthors } from './group-figures.js';
import { invalid, tooCostly } from './refusal.js';

/** The fixed cost limits, without that of days, which is a setting; `LimitName` in graphql/errors.graphql documents each. */
export const limits: Omit<CatalogLimits, 'maxDays'> = {
  maxBuckets: 100,
  maxTopN: 50,
  maxSankeyNodes: 100,
  maxSankeyEdges: 500,
  maxSubRequests: 10,
};

/** What decides which ranges of days are allowed. */
export interface RangeRules {
  /** The limit of days; a setting. */
  readonly maxDays: number;
}

/** What decides which batches are allowed. */
export interface BatchRules extends RangeRules, OrganizationCalendar {}

/**
 * Validates a batch before any SQL: the number of sub-requests, then each of them in the order timeseries, breakdowns,
 * distributions, DORA's keys, work in progress, reviews, flow (its dates, then its buckets, items, or nodes and edges), then the
 * filter, and whether figures of groups are asked for by author.
 *
 * @param asked counts the sub-requests of one request, which may contain several batches under aliases
 * @throws Refusal COST_LIMIT_EXCEEDED or VALIDATION_ERROR for the first violation
 */
export function checkBatch(
  batch: AnalyticsRequestInput,
  asked: { subRequests: number },
  rules: BatchRules,
): AnalyticsBatch {
  const { timeseries = [], breakdowns = [], distributions = [], dora = null, sankey = null } = batch;
  const { workInProgress = null, reviews = null, useInvestment = false, filters } = batch;
  const lists = timeseries.length + costOf(breakdowns) + costOf(distributions);
  const groups = costOfDora(dora) + costOfWorkInProgress(workInProgress) + (reviews === null ? 0 : COST_OF_REVIEWS);
  countSubRequests(asked, lists + groups + (sankey === null ? 0 : 1));
  const checked = {
    timeseries: timeseries.map((each, index) => checkTimeseries(each, `batch.timeseries[${index}]`, rules)),
    breakdowns: breakdowns.map((each, index) => checkBreakdown(each, `batch.breakdowns[${index}]`, rules)),
    distributions: distributions.map((each, index) => checkDistribution(each, `batch.distributions[${index}]`, rules)),
    dora: dora === null ? null : checkGroups(dora, 'batch.dora', rules),
    workInProgress: workInProgress === null ? null : checkGroups(workInProgress, 'batch.workInProgress', rules),
    reviews: reviews === null ? null : checkReviews(reviews, 'batch.reviews', rules),
    sankey: sankey === null ? null : checkSankey(sankey, 'batch.sankey', rules),
    useInvestment,
    weekStartsOn: rules.weekStartsOn,
    timeZone: rules.timeZone,
    ...checkFilters(filters ?? {}, 'batch.filters'),
  };
  refuseAuthors(checked);
  return checked;
}

/** A comparison and the buckets of a distribution are another statement each. */
function costOf(requests: readonly (BreakdownRequestInput | DistributionRequestInput)[]): number {
  const more = requests.map(
    (request) =>
      1 + (request.compareWith == null ? 0 : 1) + ('interval' in request && request.interval != null ? 1 : 0),
  );
  return more.reduce((sum, cost) => sum + cost, 0);
}

/** Counts the sub-requests of a request over all aliases. @throws Refusal COST_LIMIT_EXCEEDED beyond the limit */
export function countSubRequests(asked: { subRequests: number }, more: number): void {
  asked.subRequests += more;
  if (asked.subRequests > limits.maxSubRequests) {
    throw tooCostly('max_sub_requests', 'sub-requests', limits.maxSubRequests, asked.subRequests);
  }
}

const filterFields = {
  TEAM: 'teams',
  REPO: 'repos',
  AUTHOR: 'authors',
  WORK_TYPE: 'workTypes',
  THEME: 'themes',
  SUBCATEGORY: 'subcategories',
  ASSISTANT: 'assistantNames',
  EPIC: 'epics',
  INITIATIVE: 'initiatives',
  PLAN: 'plans',
} as const satisfies Record<Dimension, keyof FilterInput>;

const mostFilterValues = 100;

/** @throws Refusal VALIDATION_ERROR for impossible values, and for too many values */
export function checkFilters(input: FilterInput, path: string): { readonly scope: Scope; readonly filters: Filters } {
  const filters: Partial<Record<Dimension, readonly string[]>> = {};
  for (const dimension of DIMENSIONS) {
    const field = filterFields[dimension];
    const values = input[field] ?? [];
    if (values.length > mostFilterValues)
      throw invalid(`${path}.${field}`, `At most ${mostFilterValues} values are allowed.`);
    checkTexts(values, `${path}.${field}`);
    if (values.length > 0) filters[dimension] = values;
  }
  const { bots = 'INCLUDE', assistants = 'INCLUDE' } = input;
  return {
    scope: checkScope(input.scope ?? {}, `${path}.scope`),
    filters: {
      ...filters,
      ...(bots !== 'INCLUDE' && { bots }),
      ...(assistants !== 'INCLUDE' && { assistants }),
    },
  };
}

/** @throws Refusal VALIDATION_ERROR for a text that no value can contain */
export function checkSearch(search: string | null): string | null {
  if (search?.includes('\0') === true) throw invalid('search', 'A value cannot have a NUL character.');
  return search;
}

/** Databases cannot store a NUL in a text, so no unit has such a value. */
function checkTexts(texts: readonly string[], path: string): void {
  const unstorable = texts.findIndex((text) => text.includes('\0'));
  if (unstorable !== -1) throw invalid(`${path}[${unstorable}]`, 'A value cannot have a NUL character.');
}

function checkTimeseries(
  { dimension, measure, interval, dateRange }: TimeseriesRequestInput,
  path: string,
  rules: BatchRules,
): TimeseriesRequest {
  const range = checkDates(dateRange, path, rules);
  checkBuckets(interval, range, rules);
  return { dimension, measure, interval, dateRange: range };
}

function checkBreakdown(
  { dimension, measure, dateRange, topN, compareWith = null }: BreakdownRequestInput,
  path: string,
  rules: RangeRules,
): BreakdownRequest {
  const range = checkDates(dateRange, path, rules);
  return { dimension, measure, dateRange: range, topN: checkTopN(topN, path), compareWith };
}

function checkDistribution(input: DistributionRequestInput, path: string, rules: BatchRules): DistributionRequest {
  const { dimension = 'WORK_TYPE', measure, topN, interval = null, compareWith = null } = input;
  const dateRange = checkDates(input.dateRange, path, rules);
  if (interval !== null) checkBuckets(interval, dateRange, rules);
  return { dimension, measure, dateRange, topN: checkTopN(topN, path), interval, compareWith };
}

/** Three statements each for the total, the items and the buckets. */
function costOfDora(dora: DoraRequestInput | null): number {
  return dora === null ? 0 : dora.interval == null ? 6 : 9;
}

/** The total and the items, and two statements for the trend. */
function costOfWorkInProgress(request: WorkInProgressRequestInput | null): number {
  return request === null ? 0 : request.interval == null ? 2 : 4;
}

/** Two statements each for the total and the items, one for the pairs of teams, one for the sizes. */
const COST_OF_REVIEWS = 6;

function checkGroups(
  { dimension = 'TEAM', topN, interval = null, ...input }: DoraRequestInput | WorkInProgressRequestInput,
  path: string,
  rules: BatchRules,
): DoraRequest & WorkInProgressRequest {
  const dateRange = checkDates(input.dateRange, path, rules);
  if (interval !== null) checkBuckets(interval, dateRange, rules);
  return { dimension, dateRange, topN: checkTopN(topN, path), interval };
}

function checkReviews(
  { dimension = 'TEAM', topN, ...input }: ReviewsRequestInput,
  path: string,
  rules: RangeRules,
): ReviewsRequest {
  return { dimension, dateRange: checkDates(input.dateRange, path, rules), topN: checkTopN(topN, path) };
}

function checkBuckets(interval: Interval, range: DateRange, { weekStartsOn }: BatchRules): void {
  const buckets = countBuckets(interval, range, weekStartsOn);
  if (buckets > limits.maxBuckets) throw tooCostly('max_buckets', 'buckets', limits.maxBuckets, buckets);
}

export function checkTopN(topN: number | undefined, path: string): number {
  const items = checkSize(topN, `${path}.topN`);
  if (items > limits.maxTopN) throw tooCostly('max_top_n', 'items', limits.maxTopN, items);
  return items;
}

function checkSankey(input: SankeyRequestInput, path: string, rules: RangeRules): SankeyRequest {
  const dateRange = checkDates(input.dateRange, path, rules);
  const levels = input.path;
  if (levels.length < 2) throw invalid(`${path}.path`, 'A flow needs at least two dimensions.');
  const again = levels.findIndex((dimension, index) => levels.indexOf(dimension) !== index);
  if (again !== -1) throw invalid(`${path}.path[${again}]`, 'A dimension can be only one level of a flow.');
  const maxNodes = checkSize(input.maxNodes, `${path}.maxNodes`);
  if (maxNodes > limits.maxSankeyNodes) throw tooCostly('max_sankey_nodes', 'nodes', limits.maxSankeyNodes, maxNodes);
  const maxEdges = checkSize(input.maxEdges, `${path}.maxEdges`);
  if (maxEdges > limits.maxSankeyEdges) throw tooCostly('max_sankey_edges', 'edges', limits.maxSankeyEdges, maxEdges);
  return { path: levels, measure: input.measure, dateRange, maxNodes, maxEdges };
}

export function checkDates(range: DateRange, path: string, { maxDays }: RangeRules): DateRange {
  const days = countDays(range);
  if (days < 1) throw invalid(`${path}.dateRange.endDate`, 'A range of days cannot end before it starts.');
  if (isTooLong(range, maxDays)) throw tooCostly('max_days', 'days', maxDays, days);
  return { startDate: range.startDate, endDate: range.endDate };
}

/** The schema has a default for every size, so a missing size is a bug. */
function checkSize(size: number | undefined, path: string): number {
  if (size === undefined) throw new Error(`${path} has no default in the schema`);
  if (size < 1) throw invalid(path, 'It must be at least 1.');
  return size;
}

function checkScope({ level = 'ORG', ids = [] }: ScopeFilterInput, path: string): Scope {
  if (level === 'ORG' && ids.length > 0) {
    throw invalid(`${path}.ids`, 'The level ORG does not accept ids: it is the organization of the request.');
  }
  // Databases cannot store it in a text, so no unit has such an id.
  const unstorable = ids.findIndex((id) => id.includes('\0'));
  if (unstorable !== -1) throw invalid(`${path}.ids[${unstorable}]`, 'An id cannot have a NUL character.');
  return { level, ids };
}
