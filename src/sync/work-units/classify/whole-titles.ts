/**
 * Patterns for whole titles, word by word: `release #`. They find releases, whose titles are little more than a
 * version.
 */

const VERSION = '#';
/** Longer titles are not names of versions. */
const MOST_CHARACTERS = 50;
/** `1.4.3-rc1`, `v2.0`, `3.0.0-alpha.3`. */
const VERSIONS = /\bv?\d{1,9}(?:\.\d{1,9}){1,5}(?:[-.]?(?:alpha|beta|rc|pre|dev)[-.]?\d{0,9}(?:\.\d{1,9})?)?\b/g;
/** Suffixes that hosts and build servers add to a title: `(#12)`, `[ci skip]`. */
const ADDED = /\s*(?:\(#\d{1,9}\)|\[[^[\]]{1,40}\])$/;

/** Finds the rules whose patterns match a whole title; `*` stands for one word, `#` for a version. */
export class WholeTitles {
  /** By the number of words. */
  readonly #patterns = new Map<number, { readonly words: readonly string[]; readonly rule: number }[]>();

  add(pattern: string, rule: number): void {
    const words = pattern.toLowerCase().split(/\s+/);
    this.#patterns.set(words.length, [...(this.#patterns.get(words.length) ?? []), { words, rule }]);
  }

  /** The numbers of the rules. */
  find(title: string): ReadonlySet<number> {
    const found = new Set<number>();
    if (this.#patterns.size === 0 || title.length > MOST_CHARACTERS) return found;
    const words = wordsOf(title);
    for (const { words: wanted, rule } of this.#patterns.get(words.length) ?? [])
      if (wanted.every((word, index) => matches(word, words[index]))) found.add(rule);
    return found;
  }
}

function matches(wanted: string, word: string | undefined): boolean {
  return wanted === '*' ? word !== VERSION : wanted === word;
}

function wordsOf(title: string): readonly string[] {
  const plain = title.toLowerCase().replace(ADDED, '').replace(VERSIONS, ` ${VERSION} `);
  return plain.match(/#|[^\s#:,]+/g) ?? [];
}
