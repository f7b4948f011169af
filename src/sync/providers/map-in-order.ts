/** Runs several tasks concurrently and keeps their order. */

/**
 * Calls `work` for each item, for at most `concurrency` items at a time, and yields the results in the order of the
 * items. The first failure ends the iteration, after the running calls have ended.
 */
export async function* mapInOrder<Item, Result>(
  items: AsyncIterable<Item> | Iterable<Item>,
  concurrency: number,
  work: (item: Item) => Promise<Result>,
): AsyncGenerator<Result> {
  const running: Promise<Result>[] = [];
  try {
    for await (const item of items) {
      const result = work(item);
      // It is awaited below; until then a failure must not count as an unhandled rejection.
      result.catch(() => {});
      running.push(result);
      if (running.length < concurrency) continue;
      const first = running.shift();
      if (first !== undefined) yield await first;
    }
    for (let first = running.shift(); first !== undefined; first = running.shift()) yield await first;
  } finally {
    await Promise.allSettled(running);
  }
}
