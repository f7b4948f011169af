/** Runs statements: the common interface of all engines, so that there is one planner. */
import { AnalyticsFailed, AnalyticsUnavailable, QueryTimeout } from '../analytics.js';
import type { Row } from './result-rows.js';
import type { Dialect } from './dialects.js';
import type { Statement } from './statements.js';

/** The rows of statements, in their order. */
export type Answers = readonly (readonly Row[])[];

export type Follow = (answers: Answers) => readonly Statement[];

export interface QueryEngine {
  readonly dialect: Dialect;
  /**
   * Runs statements, within one snapshot if the engine supports it.
   *
   * @param follow statements that depend on the rows of the first ones; they read the same snapshot
   * @returns the rows of each statement, then those of the statements that followed; no rows while the tables do not
   *   exist
   * @throws QueryTimeout, AnalyticsUnavailable, AnalyticsFailed, or the signal's reason
   */
  run(statements: readonly Statement[], signal: AbortSignal, follow?: Follow): Promise<Answers>;
  close(): Promise<void>;
}

/** The kinds of driver errors. */
export type Failure = 'timeout' | 'no-tables' | 'unavailable' | 'failed';

/**
 * Runs the work of a batch under one time limit.
 *
 * @param work gets a signal that aborts when the caller's signal does, or when the work has failed, to stop the rest
 * @param kind classifies the driver's errors; their texts are not passed on
 * @returns undefined while there are no tables
 */
export async function limited<Result>(
  { signal, timeoutSeconds, kind }: LimitedBy,
  work: (limits: Limits) => Promise<Result>,
): Promise<Result | undefined> {
  signal.throwIfAborted();
  const failed = new AbortController();
  const end = performance.now() + timeoutSeconds * 1000;
  const limits: Limits = {
    signal: AbortSignal.any([signal, failed.signal]),
    remaining: () => {
      const left = end - performance.now();
      if (left <= 0) throw new QueryTimeout(timeoutSeconds);
      return Math.ceil(left);
    },
  };
  try {
    return await work(limits);
  } catch (error) {
    failed.abort();
    signal.throwIfAborted();
    if (error instanceof QueryTimeout) throw error;
    switch (kind(error)) {
      case 'timeout':
        throw new QueryTimeout(timeoutSeconds);
      case 'no-tables':
        return undefined;
      case 'unavailable':
        throw new AnalyticsUnavailable(error);
      case 'failed':
        throw new AnalyticsFailed(error);
    }
  }
}

interface LimitedBy {
  readonly signal: AbortSignal;
  readonly timeoutSeconds: number;
  readonly kind: (error: unknown) => Failure;
}

export interface Limits {
  readonly signal: AbortSignal;
  /**
   * The remaining milliseconds, at least 1.
   *
   * @throws QueryTimeout when there are none
   */
  readonly remaining: () => number;
}
