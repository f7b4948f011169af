/** A binary heap. It returns the smallest item first, according to the comparison function. */
export class Heap<Item> {
  readonly #items: Item[] = [];
  readonly #compare: (a: Item, b: Item) => number;

  constructor(compare: (a: Item, b: Item) => number) {
    this.#compare = compare;
  }

  push(item: Item): void {
    const items = this.#items;
    let at = items.push(item) - 1;
    while (at > 0) {
      const above = (at - 1) >> 1;
      if (!this.#isBefore(at, above)) return;
      this.#swap(at, above);
      at = above;
    }
  }

  pop(): Item | undefined {
    const items = this.#items;
    if (items.length > 1) this.#swap(0, items.length - 1);
    const first = items.pop();
    for (let at = 0; ;) {
      let least = at;
      for (const below of [2 * at + 1, 2 * at + 2])
        if (below < items.length && this.#isBefore(below, least)) least = below;
      if (least === at) return first;
      this.#swap(at, least);
      at = least;
    }
  }

  #isBefore(a: number, b: number): boolean {
    // Only indexes below the length are compared.
    return this.#compare(this.#items[a] as Item, this.#items[b] as Item) < 0;
  }

  #swap(a: number, b: number): void {
    const item = this.#items[a] as Item;
    this.#items[a] = this.#items[b] as Item;
    this.#items[b] = item;
  }
}
