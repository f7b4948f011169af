/** Reading one page ahead: the provider works on the next page while the databases store the last one. */

/**
 * Iterates over `pages`, of which at most one more than the consumer has seen is held in memory. When the consumer
 * stops early, the source is ended before the iteration returns.
 */
export async function* readAhead<Item>(pages: AsyncIterable<Item>): AsyncGenerator<Item> {
  const source = pages[Symbol.asyncIterator]();
  let next = source.next();
  try {
    for (;;) {
      const result = await next;
      if (result.done === true) return;
      next = source.next();
      // If the consumer fails first, nobody awaits this one: its own failure must not end the process.
      next.catch(() => {});
      yield result.value;
    }
  } finally {
    await next.catch(() => {});
    await source.return?.();
  }
}
