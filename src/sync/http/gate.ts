/** One gate per host: every worker passes through it before each request, and a host that asks for patience closes it. */
import type { SyncProgress } from '../dependencies.js';

/** The longest that a server's own delay is honoured, and the bounds of our own (src/sync/README.md, rate limits). */
const LONGEST_SERVER_DELAY = 300_000;
const FIRST_BACKOFF = 1_000;
const LONGEST_BACKOFF = 60_000;

/** How often one request is tried. */
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
  /** The server said how long to wait, in milliseconds. */
  delay(milliseconds: number, reason: string): void;
  /** A request failed and the server did not say how long to wait: the next one waits twice as long as after the last. */
  backOff(reason: string): void;
  /** A request succeeded: the next failure begins with the shortest wait again. */
  succeeded(): void;
}

/** Opens a gate. Its state is the time before which no request is sent; it only moves forward. */
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
      // Another worker may close the gate again while this one sleeps.
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
      // Half fixed, half by chance, so that workers of several machines do not come back all at once.
      close(longest / 2 + (longest / 2) * options.random(), reason);
    },
    succeeded: () => {
      failures = 0;
    },
  };
}
