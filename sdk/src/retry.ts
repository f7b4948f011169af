const firstDelayMs = 500;
const longestBackoffMs = 8_000;

/** Clock, random source and sleep, passed in so that tests control them. */
export interface Timing {
  /** Milliseconds since the epoch. */
  now(): number;
  /** At least 0, less than 1. */
  random(): number;
  /** Waits `ms` milliseconds; throws the signal's reason when it aborts. */
  sleep(ms: number, signal: AbortSignal | undefined): Promise<void>;
}

export const systemTiming: Timing = {
  now: () => Date.now(),
  random: () => Math.random(),
  sleep: async (ms, signal) => {
    await new Promise<void>((resolve) => {
      const stop = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', stop);
        resolve();
      };
      const timer = setTimeout(stop, ms);
      if (signal?.aborted === true) stop();
      else signal?.addEventListener('abort', stop);
    });
    signal?.throwIfAborted();
  },
};

export interface RetryPolicy {
  /** Whether the request may be sent again when the outcome of an attempt is unknown. */
  readonly isRepeatable: boolean;
  /** Whether it has an idempotency key. */
  readonly isKeyed: boolean;
  /** The longest delay that a server may request; a request for more ends the retries. */
  readonly maxRetryDelayMs: number;
  readonly timing: Timing;
}

/**
 * Computes the delay before the next attempt; null: do not retry.
 *
 * A 429 is returned before anything is done, so all requests may be retried. After a lost connection, a timeout, 502,
 * 503 or 504 the outcome is unknown, so only idempotent methods and requests with an idempotency key are retried. With a
 * key, a 500 has had no effect, and a 409 with `Retry-After` says that an earlier attempt is still being handled.
 *
 * @param response null: there was none
 * @param attempt number of attempts so far, from 1
 */
export function delayBeforeRetry(response: Response | null, attempt: number, policy: RetryPolicy): number | null {
  const { isRepeatable, isKeyed, maxRetryDelayMs, timing } = policy;
  const status = response?.status ?? null;
  const isUnknown = status === null || status === 502 || status === 503 || status === 504;
  const retryAfter = response?.headers.get('retry-after') ?? null;
  const hasNoEffect = isKeyed && (status === 500 || (status === 409 && retryAfter !== null));
  if (status !== 429 && !hasNoEffect && !(isUnknown && isRepeatable)) return null;
  const asked = retryAfterMs(retryAfter, timing.now());
  if (asked !== null) return asked <= maxRetryDelayMs ? asked : null;
  // Half of the delay is random, so that clients that failed together do not retry together.
  const backoff = Math.min(firstDelayMs * 2 ** (attempt - 1), longestBackoffMs);
  return Math.round(backoff * (1 - timing.random() / 2));
}

/** `Retry-After` in milliseconds from now: a number of seconds or a date (RFC 9110, section 10.2.3). */
function retryAfterMs(value: string | null, now: number): number | null {
  if (value === null) return null;
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}
