import { after } from '../../surroundings.js';
import { outcomeOf } from './job-outcome.js';
import type { ExecutionEnd, StepResult } from './sync-job.js';

/** What becomes of a run whose execution has ended. */
export type Settlement =
  | { readonly kind: 'end'; readonly status: 'complete' | 'partial' | 'failed'; readonly error: string | null }
  | {
      readonly kind: 'put back';
      readonly availableAt: Date;
      readonly error: string | null;
      /** Whether this was an attempt; it was none when the server had to stop. */
      readonly counts: boolean;
    };

/** With the delays below, passing failures are waited out for about eight minutes. */
export const mostAttempts = 6;
const firstDelaySeconds = 15;
const maxDelaySeconds = 900;

/**
 * Decides what becomes of a run.
 *
 * @param run `attempts` counts this one; `isStopping` says whether the server has told it to stop; `secrets` must not
 * appear in the error
 */
export function settlementOf(
  end: ExecutionEnd,
  run: {
    readonly attempts: number;
    readonly steps: readonly StepResult[];
    readonly isStopping: boolean;
    readonly secrets: readonly string[];
  },
  now: Date,
): Settlement {
  if (end.kind === 'stopped' || (end.kind === 'died' && run.isStopping)) {
    return { kind: 'put back', availableAt: now, error: null, counts: false };
  }
  const { status, error, isWorthRetrying } =
    end.kind === 'finished'
      ? outcomeOf(run.steps, run.secrets)
      : { status: 'failed' as const, error: 'The process that reads has died.', isWorthRetrying: true };
  if (!isWorthRetrying || run.attempts >= mostAttempts) return { kind: 'end', status, error };
  const delaySeconds = Math.min(firstDelaySeconds * 2 ** (run.attempts - 1), maxDelaySeconds);
  return { kind: 'put back', availableAt: after(now, delaySeconds), error, counts: true };
}
