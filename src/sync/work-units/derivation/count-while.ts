/**
 * The number of items before the first one that does not meet the condition, by binary search.
 *
 * @param items in an order in which those that meet it come first
 */
export function countWhile<Item>(items: readonly Item[], meets: (item: Item) => boolean): number {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const item = items[middle];
    if (item !== undefined && meets(item)) low = middle + 1;
    else high = middle;
  }
  return low;
}
