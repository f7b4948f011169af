/** The only clock. Tests control it; no other code reads the time. */
export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };

/** The time `seconds` after `from`. */
export function after(from: Date, seconds: number): Date {
  return new Date(from.getTime() + seconds * 1000);
}

/** Seconds between attempts: each delay is twice the one before, up to the longest. */
export interface Backoff {
  readonly first: number;
  readonly longest: number;
}

/**
 * When to try again.
 *
 * @param attempts how many were made, at least 1
 */
export function nextAttempt(now: Date, attempts: number, { first, longest }: Backoff): Date {
  return after(now, Math.min(first * 2 ** (attempts - 1), longest));
}
