/** What is here as a whole, for those who take a stream. */
// eslint-disable-next-line @typescript-eslint/require-await -- there is nothing to wait for, which is the point
export async function* oneItem<Item>(item: Item): AsyncGenerator<Item, void> {
  yield item;
}
