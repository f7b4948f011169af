/**
 * Counts frequent requests in memory, and adds the counts to the shared ones each second, so that read requests cause
 * no database writes. Several servers together may exceed the limit by the requests of one second.
 */
import type { RateLimitState, RequestCounts } from '@plumbline/contract/rate-limiting';
import type { Clock } from '../../clock.js';
import type { RateLimitRule } from './rate-limit-rule.js';
import { rateLimitState } from './rate-limit-state.js';
import type { StoredRateLimiter } from './stored-rate-limiter.js';

const sharedEveryMs = 1000;
/** Ended windows are dropped when there are more windows than this. */
const mostWindows = 1000;

interface Window {
  readonly policy: RateLimitRule;
  readonly endsAtMs: number;
  /** Requests that are included in the shared count. */
  shared: number;
  /** Requests that are not yet included. */
  pending: number;
  sharedAtMs: number;
}

/**
 * @param stored counts the first request of a window, and requests under all other settings
 * @param settings the limits that are counted in memory
 */
export function createLocalCounts(stored: StoredRateLimiter, settings: readonly string[], clock: Clock): RequestCounts {
  const windows = new Map<string, Window>();
  return {
    giveBack: (setting, key) => stored.giveBack(setting, key),
    consume: async (setting, key) => {
      if (!settings.includes(setting)) return stored.consume(setting, key);
      const nowMs = clock.now().getTime();
      const name = JSON.stringify([setting, key]);
      const window = windows.get(name);
      if (window !== undefined && window.endsAtMs > nowMs) {
        share(window, nowMs, (points) => stored.consume(setting, key, points));
        return count(window, nowMs);
      }
      const state = await stored.consume(setting, key);
      return state === null ? null : begin(windows, name, state, clock.now().getTime());
    },
  };
}

/** Begins a window with its stored count, or joins the one that a parallel request began in the meantime. */
function begin(windows: Map<string, Window>, name: string, state: RateLimitState, nowMs: number): RateLimitState {
  const window = windows.get(name);
  if (window !== undefined && window.endsAtMs > nowMs) {
    window.shared = Math.max(window.shared, usedOf(state));
    return rateLimitState(window.policy, window.shared + window.pending, window.endsAtMs - nowMs);
  }
  if (windows.size >= mostWindows) dropEnded(windows, nowMs);
  windows.set(name, windowOf(state, nowMs));
  return state;
}

/** Adds pending requests to the shared count, without waiting. */
function share(window: Window, nowMs: number, add: (points: number) => Promise<RateLimitState | null>): void {
  if (window.pending === 0 || nowMs - window.sharedAtMs < sharedEveryMs) return;
  const points = window.pending;
  window.pending = 0;
  window.shared += points;
  window.sharedAtMs = nowMs;
  add(points).then(
    (state) => {
      if (state !== null) window.shared = Math.max(window.shared, usedOf(state));
    },
    () => {
      // The database is unavailable; retried after the next second.
      window.shared -= points;
      window.pending += points;
    },
  );
}

function count(window: Window, nowMs: number): RateLimitState {
  const state = rateLimitState(window.policy, window.shared + window.pending + 1, window.endsAtMs - nowMs);
  if (!state.exceeded) window.pending += 1;
  return state;
}

function windowOf(state: RateLimitState, nowMs: number): Window {
  const { limit, windowSeconds, resetSeconds } = state;
  return {
    policy: { limit, windowSeconds },
    endsAtMs: nowMs + resetSeconds * 1000,
    shared: usedOf(state),
    pending: 0,
    sharedAtMs: nowMs,
  };
}

function usedOf({ limit, remaining, exceeded }: RateLimitState): number {
  return exceeded ? limit + 1 : limit - remaining;
}

function dropEnded(windows: Map<string, Window>, nowMs: number): void {
  for (const [name, { endsAtMs }] of windows) if (endsAtMs <= nowMs) windows.delete(name);
}
