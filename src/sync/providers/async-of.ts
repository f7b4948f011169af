/** Items that are at hand, for an interface that lets them be waited for. */

/** Yields the items one after another; as lazily as the iterable does. */
// eslint-disable-next-line @typescript-eslint/require-await -- there is nothing to wait for, which is the point
export async function* asyncOf<Item>(items: Iterable<Item>): AsyncGenerator<Item> {
  yield* items;
}
