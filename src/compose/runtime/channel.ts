/**
 * A queue from one or more producers to one consumer. `push` settles when the queue has room, so a producer that awaits
 * it reads no faster than the consumer. This applies back-pressure to the engine.
 */

export interface Channel<T> extends AsyncIterable<T> {
  push(item: T): Promise<void>;
  /** Ends the channel after the queued items. */
  end(): void;
  /** Delivers the queued items, then the error. */
  fail(error: unknown): void;
}

/**
 * @param options.capacity items that may wait before `push` blocks
 * @param options.onClose called once when the consumer has left or the channel has ended; free the source here
 */
export function channel<T>(options: { capacity?: number; onClose?: () => void } = {}): Channel<T> {
  const capacity = options.capacity ?? 256;
  const queue: T[] = [];
  // One object, because the compiler does not track assignments to variables in closures.
  const state: { outcome?: { readonly error?: unknown }; left: boolean } = { left: false };
  let wakeConsumer: (() => void) | undefined;
  let waitingProducers: (() => void)[] = [];

  const wake = (): void => {
    wakeConsumer?.();
    wakeConsumer = undefined;
  };
  const releaseProducers = (): void => {
    const released = waitingProducers;
    waitingProducers = [];
    for (const release of released) release();
  };

  async function* consume(): AsyncGenerator<T, void> {
    try {
      for (;;) {
        while (queue.length > 0) {
          // The length was checked. The cast allows items that are undefined.
          const item = queue.shift() as T;
          if (queue.length < capacity) releaseProducers();
          yield item;
        }
        if (state.outcome !== undefined) break;
        await new Promise<void>((resolve) => (wakeConsumer = resolve));
      }
      if ('error' in state.outcome) throw state.outcome.error;
    } finally {
      state.left = true;
      queue.length = 0;
      releaseProducers();
      options.onClose?.();
    }
  }

  const items = consume();
  return {
    [Symbol.asyncIterator]: () => items,
    push(item) {
      if (state.left || state.outcome !== undefined) return Promise.resolve();
      queue.push(item);
      wake();
      if (queue.length < capacity) return Promise.resolve();
      return new Promise<void>((resolve) => waitingProducers.push(resolve));
    },
    end() {
      state.outcome ??= {};
      wake();
      releaseProducers();
    },
    fail(error) {
      state.outcome ??= { error };
      wake();
      releaseProducers();
    },
  };
}
