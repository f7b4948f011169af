/** Adapts synchronous items to an asynchronous interface. */

/** Yields the items lazily, one after another. */
// eslint-disable-next-line @typescript-eslint/require-await -- there is nothing to wait for, which is the point
export async function* asyncOf<Item>(items: Iterable<Item>): AsyncGenerator<Item> {
  yield* items;
}
