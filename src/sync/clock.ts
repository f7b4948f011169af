/** The clock of a sync, passed in so that tests control it. */
export interface Clock {
  /** The current time in epoch milliseconds. */
  readonly now: () => number;
  /** Resolves after the given time; rejects with the signal's reason when it aborts. */
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

export const systemClock: Clock = { now: Date.now, sleep };

function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((done, reject) => {
    signal.throwIfAborted();
    const onAbort = (): void => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', onAbort);
      done();
    }, milliseconds);
    signal.addEventListener('abort', onAbort, { once: true });
  });
}
