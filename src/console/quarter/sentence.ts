/** A number or a name in a sentence, which leads to the units or the page behind it. */
export interface Figure {
  readonly text: string;
  readonly href: string;
}

/** A sentence that a page shows: its words, and its figures as links. */
export type Sentence = readonly (string | Figure)[];

/** Puts figures into words: sentence`${figure} work units.` */
export function sentence(words: TemplateStringsArray, ...figures: readonly (string | Figure)[]): Sentence {
  return words.flatMap((text, at) => [text, figures[at] ?? '']).filter((part) => part !== '');
}
