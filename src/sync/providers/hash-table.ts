/** Assigns numbers to hashes in the order of their insertion, with a few bytes of overhead per hash. */
export class HashTable {
  readonly #bytes: number;
  #hashes: Buffer;
  /** Open addressing. 0: free; otherwise the id plus one. */
  #slots = new Uint32Array(4096);
  #size = 0;

  /** @param bytes the size of a hash */
  constructor(bytes: number) {
    this.#bytes = bytes;
    this.#hashes = Buffer.alloc(1024 * bytes);
  }

  /** The number of assigned ids. */
  get size(): number {
    return this.#size;
  }

  /** Returns the id of a hash in hexadecimal digits; assigns an id to a new hash. */
  add(hash: string): number {
    if (2 * this.#size >= this.#slots.length) this.#rehash();
    const bytes = Buffer.from(hash, 'hex');
    const slot = this.#slotOf(bytes);
    const known = this.#slots[slot] ?? 0;
    if (known !== 0) return known - 1;
    const id = this.#size;
    this.#size += 1;
    if (this.#size * this.#bytes > this.#hashes.length)
      this.#hashes = Buffer.concat([this.#hashes, Buffer.alloc(this.#hashes.length)]);
    bytes.copy(this.#hashes, id * this.#bytes);
    this.#slots[slot] = id + 1;
    return id;
  }

  find(hash: string): number | undefined {
    const known = this.#slots[this.#slotOf(Buffer.from(hash, 'hex'))] ?? 0;
    return known === 0 ? undefined : known - 1;
  }

  hash(id: number): string {
    return this.#hashes.toString('hex', id * this.#bytes, (id + 1) * this.#bytes);
  }

  /** The slot of a hash, or the slot where to insert it. */
  #slotOf(bytes: Buffer): number {
    // Hashes are uniformly distributed, so their first bytes are a good slot number.
    let slot = bytes.readUInt32LE(0) % this.#slots.length;
    for (;;) {
      const id = (this.#slots[slot] ?? 0) - 1;
      const start = id * this.#bytes;
      if (id < 0 || bytes.equals(this.#hashes.subarray(start, start + this.#bytes))) return slot;
      slot = (slot + 1) % this.#slots.length;
    }
  }

  #rehash(): void {
    this.#slots = new Uint32Array(2 * this.#slots.length);
    for (let id = 0; id < this.#size; id += 1) {
      const start = id * this.#bytes;
      this.#slots[this.#slotOf(this.#hashes.subarray(start, start + this.#bytes))] = id + 1;
    }
  }
}
