/** Work that a server does in rounds, in the background. */
export interface Rounds {
  /** Begins a round soon. Call it after a transaction that added work. */
  wake(): void;
  /** Does what is due now, and resolves afterwards. */
  drain(): Promise<void>;
  /** Stops after the current step of the round. */
  stop(): Promise<void>;
}

export interface RoundOptions {
  readonly pollMs: number;
  /**
   * Does what is due.
   *
   * @param again asks for another round
   */
  round(again: () => void, isStopped: () => boolean): Promise<void>;
  /** Logs that a round failed; the next poll tries again. */
  failed(error: unknown): void;
}

/** Starts the rounds: one at a time, at least every `pollMs`. */
export function startRounds({ pollMs, round, failed }: RoundOptions): Rounds {
  let running: Promise<void> | null = null;
  let asked = false;
  let stopped = false;

  const takeRequest = (): boolean => {
    const wasAsked = asked && !stopped;
    asked = false;
    return wasAsked;
  };
  const runAll = async (): Promise<void> => {
    try {
      // A request during the loop may refer to work added after the read, so loop again.
      while (takeRequest()) {
        try {
          await round(
            () => (asked = true),
            () => stopped,
          );
        } catch (error) {
          // Another request arrived during this round, perhaps after the cause of the failure was resolved, so try
          // again.
          if (!asked) throw error;
          failed(error);
        }
      }
    } finally {
      running = null; // synchronously after the last check of `asked`, so that no request is missed
    }
  };
  const drain = (): Promise<void> => {
    asked = true;
    return (running ??= runAll());
  };
  const attempt = (): void => {
    drain().catch(failed);
  };
  const timer = setInterval(attempt, pollMs);
  timer.unref();
  return {
    wake: () => setImmediate(attempt),
    drain,
    stop: async () => {
      stopped = true;
      clearInterval(timer);
      await running?.catch(() => undefined); // failures were logged by the code that started it
    },
  };
}
