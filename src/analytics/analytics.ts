/** What the analytics answer: checked requests in, figures out. GraphQL speaks to this and never to an engine. */
import type { WorkUnit } from './work-unit.js';
import type { Dimension, Interval, Measure, ScopeLevel } from './vocabulary.js';

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
}

export interface SankeyRequest {
  /** Two or more different dimensions. */
  readonly path: readonly Dimension[];
  readonly measure: Measure;
  readonly dateRange: DateRange;
  readonly maxNodes: number;
  readonly maxEdges: number;
}

/** Which units are looked at; no ids: all of the organization. */
export interface Scope {
  readonly level: ScopeLevel;
  readonly ids: readonly string[];
}

/** Values that units must have, by dimension; no values of a dimension: any. All dimensions must fit. */
export type Filters = Readonly<Partial<Record<Dimension, readonly string[]>>>;

/** A batch whose limits and dates have been checked (see `checkBatch`). */
export interface AnalyticsBatch {
  readonly timeseries: readonly TimeseriesRequest[];
  readonly breakdowns: readonly BreakdownRequest[];
  readonly sankey: SankeyRequest | null;
  /** Splits each unit over its shares instead of taking it whole under its main theme. */
  readonly useInvestment: boolean;
  readonly scope: Scope;
  /** Left out: none. With `useInvestment` they pick shares of units, else whole units by their main theme. */
  readonly filters?: Filters;
}

export const UNIT_ORDERS = ['DAY', 'CHURN_LOC', 'CYCLE_TIME_HOURS'] as const;
export type UnitOrder = (typeof UNIT_ORDERS)[number];

/** The last unit of a page: what the units are sorted by, and the id, which tells equal ones apart. */
export interface UnitPosition {
  readonly key: string | number;
  readonly id: string;
}

/** Which units are listed, and how. */
export interface UnitsRequest {
  readonly dateRange: DateRange;
  readonly scope: Scope;
  readonly filters: Filters;
  /** Themes and subcategories pick units by any of their shares instead of the largest. */
  readonly useInvestment: boolean;
  /** Leaves out units that are not complete. */
  readonly completedOnly: boolean;
  readonly order: UnitOrder;
  readonly descending: boolean;
  readonly first: number;
  /** null: from the start. */
  readonly after: UnitPosition | null;
}

/** A unit as it is listed. */
export interface ListedUnit extends Omit<WorkUnit, 'churnLoc'> {
  readonly churnLoc: number | null;
  /** Milliseconds from start to completion; null while it is not complete. */
  readonly cycleMs: number | null;
}

export interface UnitsPage {
  readonly units: readonly ListedUnit[];
  /** Where the next page begins; null: there is none. */
  readonly next: UnitPosition | null;
  /** How many units there are in all, counted up to `MOST_COUNTED`. */
  readonly total: number;
}

/** To count more would cost more than it tells. */
export const MOST_COUNTED = 10_000;

export interface TimeseriesResult {
  readonly dimension: Dimension;
  readonly dimensionValue: string;
  readonly measure: Measure;
  /** In order of date; the first day of each bucket, weeks begin on Monday. */
  readonly buckets: readonly { readonly date: string; readonly value: number }[];
}

export interface BreakdownResult {
  readonly dimension: Dimension;
  readonly measure: Measure;
  /** Largest first. */
  readonly items: readonly { readonly key: string; readonly value: number }[];
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
  readonly sankey: SankeyResult | null;
}

export interface CatalogValue {
  readonly value: string;
  /** Work units with that value. */
  readonly count: number;
}

/** The analytics of one store. Every method reads rows of the given organization only. */
export interface Analytics {
  /**
   * The distinct values of a dimension, most frequent first, at most 100.
   *
   * @throws QueryTimeout after the timeout; the signal's reason once it is aborted (both also end the engine's work);
   *   AnalyticsUnavailable while the store cannot be reached
   */
  values(orgId: string, dimension: Dimension, signal: AbortSignal): Promise<readonly CatalogValue[]>;
  /** One page of the units that figures are made of. Throws as `values` does. */
  units(orgId: string, request: UnitsRequest, signal: AbortSignal): Promise<UnitsPage>;
  /** Answers a batch within one consistent snapshot where the engine has one. Throws as `values` does. */
  run(orgId: string, batch: AnalyticsBatch, signal: AbortSignal): Promise<AnalyticsResult>;
  close(): Promise<void>;
}

/** The engine was stopped because a query took longer than it may. */
export class QueryTimeout extends Error {
  /** The time that a query may take. */
  readonly timeoutSeconds: number;

  constructor(timeoutSeconds: number) {
    super(`The query took longer than ${timeoutSeconds} seconds.`);
    this.name = 'QueryTimeout';
    this.timeoutSeconds = timeoutSeconds;
  }
}

/** The store cannot be reached at present; worth trying again later. The driver's error is the cause. */
export class AnalyticsUnavailable extends Error {
  constructor(cause: unknown) {
    super('The analytics store cannot be reached.', { cause });
    this.name = 'AnalyticsUnavailable';
  }
}

/** The engine refused a statement or broke. The message says nothing of it; the driver's error is the cause. */
export class AnalyticsFailed extends Error {
  constructor(cause: unknown) {
    super('The analytics store could not answer.', { cause });
    this.name = 'AnalyticsFailed';
  }
}
