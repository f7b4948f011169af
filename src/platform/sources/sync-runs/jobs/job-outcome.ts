import { withoutSecrets } from '../../../../sync/failures.js';
import { failuresOf, hasSucceeded, isSettled, type StepResult } from './sync-job.js';

/** The combined outcome of a finished job's steps. */
export interface JobOutcome {
  readonly status: 'complete' | 'partial' | 'failed';
  /** A message for users, without secrets; null: nothing failed. */
  readonly error: string | null;
  /** Whether another attempt may succeed. */
  readonly isWorthRetrying: boolean;
}

/** The maximum number of reasons given in full. */
const mostReasons = 5;
const longestReason = 500;

/** @param secrets texts that must not appear in the error, whatever their source */
export function outcomeOf(steps: readonly StepResult[], secrets: readonly string[]): JobOutcome {
  const reasons = new Set(steps.flatMap(failuresOf).map(({ name, failure }) => reasonOf(name, failure.message)));
  if (reasons.size === 0) return { status: 'complete', error: null, isWorthRetrying: false };
  const told = [...reasons].slice(0, mostReasons);
  const more = reasons.size > told.length ? ` And ${reasons.size - told.length} more.` : '';
  return {
    status: steps.some(hasSucceeded) ? 'partial' : 'failed',
    error: withoutSecrets(told.join(' '), secrets) + more,
    isWorthRetrying: !steps.every(isSettled),
  };
}

function reasonOf(name: string, message: string): string {
  const line = message.replaceAll(/\s+/g, ' ').trim().slice(0, longestReason);
  return `${name}: ${line}${/[.!?]$/.test(line) ? '' : '.'}`;
}
