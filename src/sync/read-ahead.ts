/** Reads ahead: the provider reads the next pages while the databases store the current one. */

/**
 * Iterates over `pages`, and holds at most `most` unconsumed pages in memory. A provider that is slower than the
 * consumer never waits; a faster one does. If the consumer stops early, the source is closed before the iteration
 * returns.
 */
export async function* readAhead<Item>(pages: AsyncIterable<Item>, most: number): AsyncGenerator<Item> {
  const source = pages[Symbol.asyncIterator]();
  const ready: Item[] = [];
  const state = { isStopped: false, isEnded: false };
  let failure: { readonly error: unknown } | undefined;
  let wakeReader = (): void => {};
  let wakeConsumer = (): void => {};

  const read = async (): Promise<void> => {
    try {
      while (!state.isStopped) {
        if (ready.length >= most) {
          await new Promise<void>((wake) => (wakeReader = wake));
          continue;
        }
        const result = await source.next();
        if (result.done === true) break;
        ready.push(result.value);
        wakeConsumer();
      }
    } catch (error) {
      failure = { error };
    }
    state.isEnded = true;
    wakeConsumer();
  };

  const reading = read();
  try {
    for (;;) {
      const item = ready.shift();
      if (item !== undefined) {
        wakeReader();
        yield item;
      } else if (state.isEnded) break;
      else await new Promise<void>((wake) => (wakeConsumer = wake));
    }
    if (failure !== undefined) throw failure.error;
  } finally {
    state.isStopped = true;
    wakeReader();
    await reading;
    await source.return?.();
  }
}
