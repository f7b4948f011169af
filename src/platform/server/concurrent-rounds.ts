import { startRounds, type Rounds } from './rounds.js';

export interface ConcurrentRoundOptions<Item> {
  readonly pollMs: number;
  /** How many items are worked on at a time. */
  readonly most: number;
  /** Takes at most `count` items that are due. */
  take(count: number, inFlight: readonly Item[]): Promise<readonly Item[]>;
  perform(item: Item, signal: AbortSignal): Promise<void>;
  /** Logs that nothing could be taken; the next poll tries again. */
  notTaken(error: unknown): void;
  /** Logs that an item failed. */
  notPerformed(error: unknown): void;
}

/** Starts rounds that work on several items at a time. A slow item does not delay the others. */
export function startConcurrentRounds<Item extends object>(options: ConcurrentRoundOptions<Item>): Rounds {
  const { pollMs, most, take, perform, notTaken, notPerformed } = options;
  const stopping = new AbortController();
  const inFlight = new Map<Item, Promise<void>>();
  let ended = 0;

  const begin = (item: Item): void => {
    const work = perform(item, stopping.signal)
      .catch(notPerformed)
      .finally(() => {
        inFlight.delete(item);
        ended += 1;
        rounds.wake();
      });
    inFlight.set(item, work);
  };
  const rounds = startRounds({
    pollMs,
    round: async () => {
      const count = most - inFlight.size;
      if (count === 0) return;
      for (const item of await take(count, [...inFlight.keys()])) begin(item);
    },
    failed: notTaken,
  });
  return {
    wake: () => {
      rounds.wake();
    },
    drain: async () => {
      for (;;) {
        const endedBefore = ended;
        await rounds.drain();
        if (inFlight.size > 0) await Promise.race(inFlight.values());
        // The end of an item can make another one due.
        else if (ended === endedBefore) return;
      }
    },
    stop: async () => {
      stopping.abort();
      await rounds.stop();
      await Promise.all(inFlight.values());
    },
  };
}
