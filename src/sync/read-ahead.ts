/** Reading ahead: the provider works on the next pages while the databases store the last one. */

/**
 * Iterates over `pages`, of which at most `most` more than the consumer has seen are held in memory: a provider that is
 * the slower of the two is never kept waiting, one that is the faster is held back. When the consumer stops early, the
 * source is ended before the iteration returns.
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
