/** The runtime's only source of time, injected so that tests control it. */
import { setTimeout as delay } from 'node:timers/promises';

export interface Clock {
  now(): Date;
  /** Settles after the delay. Rejects with the signal's reason if the signal fires first. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

/** About 25 days. A longer timer of Node.js fires at once. */
const LONGEST_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => new Date(),
  async sleep(milliseconds, signal) {
    signal?.throwIfAborted();
    try {
      await delay(Math.min(milliseconds, LONGEST_MS), undefined, signal === undefined ? {} : { signal });
    } catch (error) {
      // The timer rejects with its own AbortError; callers expect the signal's reason.
      signal?.throwIfAborted();
      throw error;
    }
  },
};
