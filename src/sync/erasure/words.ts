/** A word of a text, and where it is. */
export interface Word {
  readonly start: number;
  readonly end: number;
}

/** The words of a text. Hyphens, underscores and apostrophes within are parts of a word, but not the `'s` at its end. */
export function wordsOf(text: string): readonly Word[] {
  return Array.from(text.matchAll(WORD), ({ 0: word, index }) => ({ start: index, end: index + word.length }));
}

const WORD = /[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}_-]|['’](?=\p{L})(?!s(?!\p{L})))*/gu;
