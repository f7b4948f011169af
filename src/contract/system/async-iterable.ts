/** Adapts an iterable to an asynchronous iterable. Items are read on demand. */
// eslint-disable-next-line @typescript-eslint/require-await -- there is nothing to wait for, which is the point
export async function* toAsyncIterable<Item>(items: Iterable<Item>): AsyncGenerator<Item, void> {
  yield* items;
}

/** The items that meet the condition. */
export async function* filtered<Item>(
  items: AsyncIterable<Item>,
  meets: (item: Item) => boolean,
): AsyncGenerator<Item, void> {
  for await (const item of items) if (meets(item)) yield item;
}
