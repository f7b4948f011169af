/** The one source of time of the runtime, handed in so that tests hold it. */
import { setTimeout as delay } from 'node:timers/promises';

export interface Clock {
  now(): Date;
  /** Settles after that long; rejects with the signal's reason when it fires first. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => new Date(),
  async sleep(milliseconds, signal) {
    signal?.throwIfAborted();
    try {
      await delay(milliseconds, undefined, signal === undefined ? {} : { signal });
    } catch (error) {
      // The timer rejects with an AbortError of its own; callers are promised the reason.
      signal?.throwIfAborted();
      throw error;
    }
  },
};
