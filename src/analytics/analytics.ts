/** The interface of the analytics: checked requests in, figures out. GraphQL uses this and never an engine. */
import type { WorkUnit } from './work-unit.js';
import type {
  AssistantFilter,
  Baseline,
  BotFilter,
  Dimension,
  DistributionMeasure,
  Interval,
  Measure,
  ScopeLevel,
  WeekStart,
} from './vocabulary.js';

/** Calendar dates, YYYY-MM-DD, both included. */
export interface DateRange {
  readonly startDate: string;
  readonly endDate: string;
}

export interface TimeseriesRequest {
  readonly dimension: Dimension;
  readonly measure: Measure;
  readonly interval: Interval;
  readonly dateRange: DateRange;
}

export interface BreakdownRequest {
  readonly dimension: Dimension;
  readonly measure: Measure;
  readonly dateRange: DateRange;
  readonly topN: number;
  /** Absent or null: nothing. */
  readonly compareWith?: Baseline | null;
}

/** Percentiles of whole units, with or without `useInvestment`. */
export interface DistributionRequest {
  readonly dimension: Dimension;
  readonly measure: DistributionMeasure;
  readonly dateRange: DateRange;
  readonly topN: number;
  /** null: no buckets. */
  readonly interval: Interval | null;
  /** null: nothing. */
  readonly compareWith: Baseline | null;
}

/** DORA's four keys, of whole units. */
export interface DoraRequest {
  /** Persons are not ranked. */
  readonly dimension: 'TEAM' | 'REPO';
  readonly dateRange: DateRange;
  readonly topN: number;
  /** null: no buckets. */
  readonly interval: Interval | null;
}

/** The open requests at the end of the range, of whole units. */
export interface WorkInProgressRequest {
  /** Persons are not ranked. */
  readonly dimension: 'TEAM' | 'REPO';
  readonly dateRange: DateRange;
  readonly topN: number;
  /** null: no buckets. */
  readonly interval: Interval | null;
}

/** Reviews of requests, of whole units. */
export interface ReviewsRequest {
  /** Persons are not ranked. */
  readonly dimension: 'TEAM' | 'REPO';
  readonly dateRange: DateRange;
  readonly topN: number;
}

export interface SankeyRequest {
  /** Two or more different dimensions. */
  readonly path: readonly Dimension[];
  readonly measure: Measure;
  readonly dateRange: DateRange;
  readonly maxNodes: number;
  readonly maxEdges: number;
}

/** Selects units; no ids: the whole organization. */
export interface Scope {
  readonly level: ScopeLevel;
  readonly ids: readonly string[];
}

/** Allowed values by dimension; no values: any. All dimensions must match, and `bots` and `assistants`; absent: INCLUDE. */
export type Filters = Readonly<Partial<Record<Dimension, readonly string[]>>> & {
  readonly bots?: BotFilter;
  readonly assistants?: AssistantFilter;
};

/** A batch whose limits and dates have been checked (see `checkBatch`). */
export interface AnalyticsBatch {
  readonly timeseries: readonly TimeseriesRequest[];
  readonly breakdowns: readonly BreakdownRequest[];
  /** Absent: none. */
  readonly distributions?: readonly DistributionRequest[];
  /** Absent or null: none. */
  readonly dora?: DoraRequest | null;
  /** Absent or null: none. */
  readonly workInProgress?: WorkInProgressRequest | null;
  /** Absent or null: none. */
  readonly reviews?: ReviewsRequest | null;
  readonly sankey: SankeyRequest | null;
  /** Splits each unit over its shares instead of counting it entirely under its main theme. */
  readonly useInvestment: boolean;
  readonly scope: Scope;
  /** Absent: none. With `useInvestment` they select shares of units, otherwise whole units by their main theme. */
  readonly filters?: Filters;
  /** The first day of each week; absent: Monday. */
  readonly weekStartsOn?: WeekStart;
  /** The name of the time zone of days; absent: UTC. */
  readonly timeZone?: string;
}

export const UNIT_ORDERS = ['DAY', 'CHURN_LOC', 'CYCLE_TIME_HOURS'] as const;
export type UnitOrder = (typeof UNIT_ORDERS)[number];

/** The last unit of a page: its sort key, and its id as a tie-breaker. */
export interface UnitPosition {
  readonly key: string | number;
  readonly id: string;
}

/** Selects and sorts the units of a list. */
export interface UnitsRequest {
  readonly dateRange: DateRange;
  readonly scope: Scope;
  readonly filters: Filters;
  /** Themes and subcategories match any share of a unit instead of the largest. */
  readonly useInvestment: boolean;
  /** Leaves out units that are not complete. */
  readonly completedOnly: boolean;
  readonly order: UnitOrder;
  readonly descending: boolean;
  readonly first: number;
  /** null: from the beginning. */
  readonly after: UnitPosition | null;
}

/** A unit in a list. */
export interface ListedUnit extends Omit<WorkUnit, 'churnLoc'> {
  readonly churnLoc: number | null;
  /** Milliseconds from start to completion; null if it is not complete. */
  readonly cycleMs: number | null;
}

export interface UnitsPage {
  readonly units: readonly ListedUnit[];
  /** Where the next page begins; null: this is the last page. */
  readonly next: UnitPosition | null;
  /** The total number of units, counted up to `MOST_COUNTED`. */
  readonly total: number;
}

/** Counting further would cost more than it is worth. */
export const MOST_COUNTED = 10_000;

export interface TimeseriesResult {
  readonly dimension: Dimension;
  readonly dimensionValue: string;
  readonly measure: Measure;
  readonly interval: Interval;
  readonly dateRange: DateRange;
  /** In order of date; the first day of each bucket. */
  readonly buckets: readonly { readonly date: string; readonly value: number }[];
}

export interface BreakdownResult {
  readonly dimension: Dimension;
  readonly measure: Measure;
  /** Largest first. */
  readonly items: readonly {
    readonly key: string;
    readonly value: number;
    /** The same measure in the baseline; null: not requested, or a mean that does not exist. */
    readonly baseline: number | null;
  }[];
}

/** Hours or lines, over the units whose measure is known. */
export interface Statistics {
  /** The number of these units, at least 1. */
  readonly count: number;
  readonly mean: number;
  /** Values of units: the smallest that is not exceeded by 50, 75 and 90 % of them (nearest rank). */
  readonly median: number;
  readonly p75: number;
  readonly p90: number;
}

export interface DistributionResult {
  readonly dimension: Dimension;
  readonly measure: DistributionMeasure;
  /** The share of measured units, between 0 and 1; null without units that the measure is about. */
  readonly coverage: number | null;
  /** The items with the most measured units come first. */
  readonly items: readonly {
    readonly key: string;
    readonly statistics: Statistics;
    /** The share of its measured units. */
    readonly coverage: number;
    /** In order of date, without empty buckets. */
    readonly buckets: readonly { readonly date: string; readonly statistics: Statistics }[];
    /** null: not requested, or no unit. */
    readonly baseline: Statistics | null;
  }[];
}

/** Hours, with the share of units in which they are known; null without any. */
export interface DoraDuration {
  readonly statistics: Statistics | null;
  readonly coverage: number | null;
}

export type DoraBand = 'STRONG' | 'MODERATE' | 'POOR';

/** null: nothing is known of the key. */
export type DoraBands = Readonly<
  Record<'deploymentFrequency' | 'leadTime' | 'changeFailureRate' | 'timeToRestore', DoraBand | null>
>;

export interface DoraKeys {
  readonly deploymentFrequency: {
    readonly deployments: number;
    readonly perDay: number;
  };
  readonly leadTime: DoraDuration;
  readonly changeFailureRate: {
    readonly failed: number;
    /** null without deployments. */
    readonly rate: number | null;
  };
  readonly timeToRestore: DoraDuration;
  readonly bands: DoraBands;
}

export interface DoraBucket {
  readonly date: string;
  readonly keys: DoraKeys;
}

export interface DoraResult {
  readonly dimension: DoraRequest['dimension'];
  readonly total: DoraKeys;
  /** The items with the most deployments come first. */
  readonly items: readonly { readonly key: string; readonly keys: DoraKeys }[];
  /** All, in order of date; empty if no interval was requested. */
  readonly buckets: readonly DoraBucket[];
}

/** null: no request is known that was opened until then. */
export interface WorkInProgress {
  readonly count: number | null;
  /** Whole days since requests were opened; null without open requests. */
  readonly ageDays: Statistics | null;
}

export interface WorkInProgressResult {
  readonly dimension: WorkInProgressRequest['dimension'];
  readonly total: WorkInProgress;
  /** The items with the most open requests come first. */
  readonly items: readonly { readonly key: string; readonly work: WorkInProgress }[];
  /** The open requests at the end of each, in order of date; empty if no interval was requested. */
  readonly buckets: readonly { readonly date: string; readonly count: number | null }[];
}

export interface ReviewLoad {
  /** Requests whose reviews are known, at least 1. */
  readonly requests: number;
  /** The share of these with a review by another person. */
  readonly reviewedShare: number;
  readonly reviews: number;
  /** The number of different people. */
  readonly reviewers: number;
  /** The smallest number of people who gave at least half of the reviews; null without reviews. */
  readonly halfOfReviewsBy: number | null;
}

export interface ReviewsResult {
  readonly dimension: ReviewsRequest['dimension'];
  /** null without requests whose reviews are known. */
  readonly total: ReviewLoad | null;
  /** The items with the most requests come first. */
  readonly items: readonly { readonly key: string; readonly load: ReviewLoad }[];
  /** Which team reviews which, most reviews first. */
  readonly teams: readonly {
    /** The team of the request. */
    readonly team: string;
    readonly reviewingTeam: string;
    readonly reviews: number;
    readonly requests: number;
  }[];
  /** The time from the opening to the end of the review, by size; unknown sizes first, then by lines. */
  readonly sizes: readonly ({
    /** null, as `toLines`: the size is unknown. */
    readonly fromLines: number | null;
    /** null: there is no limit. */
    readonly toLines: number | null;
  } & DoraDuration)[];
}

export interface SankeyResult {
  readonly nodes: readonly {
    /** `DIMENSION:value`. */
    readonly id: string;
    readonly label: string;
    readonly dimension: Dimension;
    readonly value: number;
  }[];
  readonly edges: readonly { readonly source: string; readonly target: string; readonly value: number }[];
  /** Shares between 0 and 1 of the units that have a team, a repository, a theme, and a known churn. */
  readonly coverage: {
    readonly teamCoverage: number;
    readonly repoCoverage: number;
    readonly themeCoverage: number;
    readonly churnCoverage: number;
  } | null;
}

export interface AnalyticsResult {
  readonly timeseries: readonly TimeseriesResult[];
  readonly breakdowns: readonly BreakdownResult[];
  readonly distributions: readonly DistributionResult[];
  /** null: not requested. */
  readonly dora: DoraResult | null;
  /** null: not requested. */
  readonly workInProgress: WorkInProgressResult | null;
  /** null: not requested. */
  readonly reviews: ReviewsResult | null;
  readonly sankey: SankeyResult | null;
}

export interface CatalogValue {
  readonly value: string;
  /** The number of work units with that value. */
  readonly count: number;
}

/** The analytics of one store. All methods read rows of the given organization only. */
export interface Analytics {
  /**
   * The distinct values of a dimension, most frequent first, at most 100.
   *
   * @param search only values that contain this text, whatever the case of its letters A to Z; absent or null: all
   * @throws QueryTimeout after the timeout; the signal's reason once it is aborted (both also stop the engine);
   *   AnalyticsUnavailable while the store is unreachable
   */
  values(
    orgId: string,
    dimension: Dimension,
    signal: AbortSignal,
    search?: string | null,
  ): Promise<readonly CatalogValue[]>;
  /**
   * The first day of a work unit; null: there is none. Throws like `values`.
   *
   * @param repos only in these repositories; none: in all
   */
  firstDay(orgId: string, repos: readonly string[], signal: AbortSignal): Promise<string | null>;
  /** One page of work units. Throws like `values`. */
  units(orgId: string, request: UnitsRequest, signal: AbortSignal): Promise<UnitsPage>;
  /** Answers a batch within one consistent snapshot if the engine supports it. Throws like `values`. */
  run(orgId: string, batch: AnalyticsBatch, signal: AbortSignal): Promise<AnalyticsResult>;
  /** Asks the store for nothing. Throws like `values` if it does not answer. */
  ping(signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/** The engine was stopped because a query exceeded its time limit. */
export class QueryTimeout extends Error {
  /** The time limit of a query. */
  readonly timeoutSeconds: number;

  constructor(timeoutSeconds: number) {
    super(`The query took longer than ${timeoutSeconds} seconds.`);
    this.name = 'QueryTimeout';
    this.timeoutSeconds = timeoutSeconds;
  }
}

/** The store is temporarily unreachable; a later attempt may succeed. The driver's error is the cause. */
export class AnalyticsUnavailable extends Error {
  constructor(cause: unknown) {
    super('The analytics store is unreachable.', { cause });
    this.name = 'AnalyticsUnavailable';
  }
}

/** The engine rejected a statement or failed. The message has no details; the driver's error is the cause. */
export class AnalyticsFailed extends Error {
  constructor(cause: unknown) {
    super('The analytics store could not answer.', { cause });
    this.name = 'AnalyticsFailed';
  }
}
