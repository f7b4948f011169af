/** One gate per host. Every worker passes it before each request. It closes when the host asks the client to wait. */
import type { SyncProgress } from '../dependencies.js';

/**
 * The longest server-provided delay that is honoured, and the bounds of our backoff (src/sync/README.md, rate limits).
 */
const LONGEST_SERVER_DELAY = 300_000;
const FIRST_BACKOFF = 1_000;
const LONGEST_BACKOFF = 60_000;

/** The maximum number of attempts per request. */
export const TRIES = 5;

export interface GateOptions {
  /** The host's name, for progress. */
  readonly host: string;
  readonly now: () => number;
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  readonly random: () => number;
  readonly signal: AbortSignal;
  readonly progress: SyncProgress;
}

export interface Gate {
  /** Resolves when requests may be sent. */
  pass(): Promise<void>;
  /** Closes the gate for the delay that the server specified, in milliseconds. */
  delay(milliseconds: number, reason: string): void;
  /** Closes the gate after a failure without a server-provided delay, each time for twice as long. */
  backOff(reason: string): void;
  /** Resets the backoff after a successful request. */
  succeeded(): void;
}

/** Opens a gate. Its state is the time until which no request is sent. That time only moves forward. */
export function openGate(options: GateOptions): Gate {
  let opensAt = 0;
  let failures = 0;

  const close = (milliseconds: number, reason: string): void => {
    const until = options.now() + milliseconds;
    if (until <= opensAt) return;
    opensAt = until;
    options.progress.waiting?.({ reason: `${options.host}: ${reason}`, seconds: Math.ceil(milliseconds / 1000) });
  };

  return {
    pass: async () => {
      options.signal.throwIfAborted();
      // Another worker may close the gate again during the sleep.
      for (let left = opensAt - options.now(); left > 0; left = opensAt - options.now()) {
        await options.sleep(left, options.signal);
      }
    },
    delay: (milliseconds, reason) => {
      close(Math.min(Math.max(milliseconds, 0), LONGEST_SERVER_DELAY), reason);
    },
    backOff: (reason) => {
      const longest = Math.min(FIRST_BACKOFF * 2 ** failures, LONGEST_BACKOFF);
      failures += 1;
      // Half fixed, half random, so that workers on several machines do not retry simultaneously.
      close(longest / 2 + (longest / 2) * options.random(), reason);
    },
    succeeded: () => {
      failures = 0;
    },
  };
}
