/** The words after `plumbline api`. */

export interface ApiWords {
  /** Whether help is asked for: `help`, with an operation or without. */
  readonly isHelp: boolean;
  /** The name of the operation, which may not exist; undefined: there is none yet. */
  readonly operation: string | undefined;
}

/** Reads the words that are neither options nor the address of `--server`. Options may come before the operation. */
export function readWords(words: readonly string[]): ApiWords {
  const isPlain = (word: string, index: number): boolean => !word.startsWith('-') && words[index - 1] !== '--server';
  const [first, second] = words.filter(isPlain);
  const isHelp = first === 'help';
  return { isHelp, operation: isHelp ? second : first };
}
