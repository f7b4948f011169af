import { nextAttempt, type Backoff } from '../../../clock.js';
import { outcomeOf } from './job-outcome.js';
import { hasSucceeded, type ExecutionEnd, type StepResult } from './sync-job.js';

/** What happens to a run whose execution has ended. */
export type Settlement =
  | { readonly kind: 'end'; readonly status: 'complete' | 'partial' | 'failed'; readonly error: string | null }
  | {
      readonly kind: 'put back';
      readonly availableAt: Date;
      readonly error: string | null;
      /** Whether this counts as an attempt. An interruption by the server does not. */
      readonly counts: boolean;
    };

/** With the delays below, temporary failures are retried for about eight minutes. */
export const mostAttempts = 6;
const backoff: Backoff = { first: 15, longest: 900 };

/**
 * Decides what happens to a run.
 *
 * @param run `attempts` includes this one; `isStopping`: the server has asked it to stop; `overdue`: why it was ended,
 * for users; `secrets` must not appear in the error
 */
export function settlementOf(
  end: ExecutionEnd,
  run: {
    readonly attempts: number;
    readonly steps: readonly StepResult[];
    readonly isStopping: boolean;
    readonly overdue: string | null;
    readonly secrets: readonly string[];
  },
  now: Date,
): Settlement {
  const limit = end.kind === 'exhausted' ? end.reason : run.overdue;
  if (limit !== null && end.kind !== 'finished') {
    const { error } = outcomeOf(run.steps, run.secrets);
    const status = run.steps.some(hasSucceeded) ? 'partial' : 'failed';
    return { kind: 'end', status, error: error === null ? limit : `${limit} ${error}` };
  }
  if (end.kind === 'stopped' || (end.kind === 'died' && run.isStopping)) {
    return { kind: 'put back', availableAt: now, error: null, counts: false };
  }
  const { status, error, isWorthRetrying } =
    end.kind === 'finished'
      ? outcomeOf(run.steps, run.secrets)
      : { status: 'failed' as const, error: 'The sync process died.', isWorthRetrying: true };
  if (!isWorthRetrying || run.attempts >= mostAttempts) return { kind: 'end', status, error };
  return { kind: 'put back', availableAt: nextAttempt(now, run.attempts, backoff), error, counts: true };
}
