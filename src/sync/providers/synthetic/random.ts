/** A pseudo-random number generator that is seeded by a text. */
import { createHash } from 'node:crypto';

export interface Random {
  /** An integer from `least` to `most`, both included. */
  between(least: number, most: number): number;
  /** True with the given probability. */
  chance(probability: number): boolean;
  pick<Item>(items: readonly [Item, ...Item[]]): Item;
  /** An item, chosen in proportion to its weight, which is an integer. */
  pickWeighted<Item>(items: readonly [readonly [weight: number, item: Item], ...(readonly [number, Item])[]]): Item;
  /** The given number of hexadecimal digits, a multiple of eight. */
  hex(digits: number): string;
}

/**
 * A generator whose numbers depend on the name only. It is xoshiro128** (Blackman and Vigna, 2018), seeded with a
 * SHA-256 of the name, so that sequences of different names practically never overlap.
 */
export function randomNamed(name: string): Random {
  const digest = createHash('sha256').update(name).digest();
  let a = digest.readInt32LE(0);
  let b = digest.readInt32LE(4);
  let c = digest.readInt32LE(8);
  let d = digest.readInt32LE(12) | 1;

  const word = (): number => {
    const product = Math.imul(b, 5);
    const result = Math.imul((product << 7) | (product >>> 25), 9);
    const shifted = b << 9;
    c ^= a;
    d ^= b;
    b ^= c;
    a ^= d;
    c ^= shifted;
    d = (d << 11) | (d >>> 21);
    return result >>> 0;
  };
  const fraction = (): number => word() / 2 ** 32;
  return {
    between: (least, most) => least + Math.floor(fraction() * (most - least + 1)),
    chance: (probability) => fraction() < probability,
    pick: (items) => items[Math.floor(fraction() * items.length)] ?? items[0],
    pickWeighted: (items) => {
      let place = fraction() * items.reduce((sum, [weight]) => sum + weight, 0);
      const found = items.find(([weight]) => (place -= weight) < 0);
      return (found ?? items[0])[1];
    },
    hex: (digits) => {
      let text = '';
      while (text.length < digits) text += word().toString(16).padStart(8, '0');
      return text;
    },
  };
}
