/** Finds the keywords of all rules in one pass over a text, by looking up its words. */

/** A keyword of a rule: consecutive words, the last of which may be open-ended. */
interface Keyword {
  readonly words: readonly string[];
  readonly isOpen: boolean;
  /** Number of the rule. */
  readonly rule: number;
}

/** The words that were found, by the number of the rule. */
export type Found = ReadonlyMap<number, string>;

/** The size of the cache of candidates by word. */
const REMEMBERED = 50_000;
/** Text beyond this many characters is ignored; it is usually templates and logs. */
const MOST_CHARACTERS = 4000;
const WORD = /[\p{L}\p{N}_]+/gu;
/** The same for ASCII, the most common case, which takes a third of the time. */
const ASCII_WORD = /[a-z0-9_]+/g;
const ASCII = /^[\0-\x7f]*$/;
const NONE: readonly Keyword[] = [];

/** Finds keywords: `crash` as a whole word, `crash*` with any ending, `race condition` as words in sequence. */
export class KeywordFinder {
  readonly #exact = new Map<string, Keyword[]>();
  /** Single open-ended words, by their first character, which leaves few candidates for a word. */
  readonly #open = new Map<string, Keyword[]>();
  readonly #candidates = new Map<string, readonly Keyword[]>();

  add(keyword: string, rule: number): void {
    const words = wordsOf(keyword);
    const [first] = words;
    // `cve-*` is the word `cve` followed by any word: its last word is open-ended and empty.
    const isOpen = keyword.endsWith('*');
    if (isOpen && /[^\p{L}\p{N}_]\*$/u.test(keyword)) words.push('');
    if (first === undefined) return;
    const entry: Keyword = { words, isOpen, rule };
    const [index, name] = isOpen && words.length === 1 ? [this.#open, first.slice(0, 1)] : [this.#exact, first];
    index.set(name, [...(index.get(name) ?? []), entry]);
  }

  /** @param words as {@link wordsOf} gives them */
  find(words: readonly string[]): Found {
    const found = new Map<number, string>();
    for (let index = 0; index < words.length; index += 1) {
      for (const keyword of this.#candidatesFor(words[index] ?? '')) {
        if (found.has(keyword.rule) || !continues(keyword, words, index)) continue;
        found.set(keyword.rule, words.slice(index, index + keyword.words.length).join(' '));
      }
    }
    return found;
  }

  /** Finds the keywords that a text begins with: of those, the ones with the most words. */
  findAtStart(words: readonly string[]): Found {
    const found = new Map<number, string>();
    let most = 0;
    for (const keyword of this.#candidatesFor(words[0] ?? '')) {
      const length = keyword.words.length;
      if (length < most || !continues(keyword, words, 0)) continue;
      if (length > most) found.clear();
      most = length;
      found.set(keyword.rule, words.slice(0, length).join(' '));
    }
    return found;
  }

  #candidatesFor(word: string): readonly Keyword[] {
    const known = this.#candidates.get(word);
    if (known !== undefined) return known;
    const open = this.#open.get(word.slice(0, 1))?.filter((keyword) => word.startsWith(keyword.words[0] ?? '')) ?? [];
    const exact = this.#exact.get(word) ?? [];
    const candidates = exact.length + open.length === 0 ? NONE : [...exact, ...open];
    if (this.#candidates.size >= REMEMBERED) this.#candidates.clear();
    this.#candidates.set(word, candidates);
    return candidates;
  }
}

function continues({ words, isOpen }: Keyword, text: readonly string[], start: number): boolean {
  return words.every((word, offset) => {
    const found = text[start + offset];
    if (found === undefined) return false;
    return isOpen && offset === words.length - 1 ? found.startsWith(word) : found === word;
  });
}

/** The words of a text in lower case; of a long text, only those at its beginning. */
export function wordsOf(text: string): string[] {
  const beginning = (text.length > MOST_CHARACTERS ? text.slice(0, MOST_CHARACTERS) : text).toLowerCase();
  return beginning.match(ASCII.test(beginning) ? ASCII_WORD : WORD) ?? [];
}
