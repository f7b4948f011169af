/** Adapts an iterable to an asynchronous iterable. Items are read on demand. */
// eslint-disable-next-line @typescript-eslint/require-await -- there is nothing to wait for, which is the point
export async function* toAsyncIterable<Item>(items: Iterable<Item>): AsyncGenerator<Item, void> {
  yield* items;
}
