/** Where the work went: sentences about the total and the themes. */
import { numberOf, percentOf, unitsOf } from '../charts/words.js';
import { byChange, changeIn, fewest, isEnough, sharesFrom, type Pair, type Part } from './parts.js';
import type { Figure, Sentence } from './sentence.js';
import type { Span } from './span.js';
import { texts } from './texts.js';

/** The addresses of the units behind the figures of both periods. */
export interface WorkLinks {
  readonly total: Both;
  readonly theme: (theme: string) => Both;
}

export interface Both {
  readonly now: string;
  readonly before: string;
}

/** Changes of the total below this share are called "about as many". */
const smallChange = 0.05;

/** The work of a period beside the former one; what is not known before is null. */
export interface Work {
  readonly total: Pair & { readonly now: number };
  /** In work units. */
  readonly themes: readonly Part[];
}

/** By which part the total changed; 0: it cannot be compared, or did not change by enough to speak of. */
export function changeOfTotal({ now, before }: Pair): number {
  if (now === null || before === null || !isEnough({ now, before })) return 0;
  const change = (now - before) / before;
  return Math.abs(change) < smallChange ? 0 : change;
}

export function totalSentence({ total }: Work, span: Span, links: WorkLinks): Sentence {
  const { now, before } = total;
  const units: Figure = { text: unitsOf(Math.round(now)), href: links.total.now };
  if (before === null) return now === 0 ? texts.total.none() : texts.total.alone(units);
  const former: Figure = { text: numberOf(Math.round(before)), href: links.total.before };
  if (!isEnough(total)) return texts.total.few(units, former, span);
  const change = changeOfTotal(total);
  return change === 0
    ? texts.total.same(units, former, span)
    : texts.total.changed(units, former, percentOf(Math.abs(change)), change > 0, span);
}

/** A theme with its share, and the sentence about it. */
export interface ThemeLine extends Part {
  readonly sentence: Sentence;
}

/** The themes with enough work units, largest changes of their shares first. */
export function themeLines({ themes, total }: Work, span: Span, links: WorkLinks): readonly ThemeLine[] {
  if (total.now < fewest) return [];
  return comparableShares({ themes, total })
    .toSorted(byChange)
    .map((share) => ({ ...share, sentence: themeSentence(share, span, links) }));
}

/** The shares of the themes with enough work units in either period; of too little work before, nothing is compared. */
export function comparableShares({ themes, total }: Work): readonly Part[] {
  const compared = isEnough(total) ? themes : themes.map((theme) => ({ ...theme, before: null }));
  return sharesFrom(
    compared.filter(({ now, before }) => Math.max(now ?? 0, before ?? 0) >= fewest),
    total,
  );
}

/** What the page says of the themes with too few work units; null: there are none. */
export function fewSentence({ themes, total }: Work): Sentence | null {
  if (total.now < fewest) return null;
  const few = themes.filter(({ now, before }) => Math.max(now ?? 0, before ?? 0) < fewest);
  return few.length === 0 ? null : texts.theme.few(few.map(({ key }) => key));
}

function themeSentence({ key, now, before }: Part, span: Span, links: WorkLinks): Sentence {
  const href = links.theme(key);
  const share: Figure = { text: percentOf(now ?? 0), href: href.now };
  if (before === null) return texts.theme.alone(key, share);
  const former: Figure = { text: percentOf(before), href: href.before };
  return share.text === former.text
    ? texts.theme.same(key, share, span)
    : texts.theme.changed(key, share, former, span);
}

/** The theme whose share changed most, by one hundredth of the work at least; undefined: none did. */
export function mostMoved(work: Work): Part | undefined {
  const [most] = comparableShares(work)
    .filter(({ key }) => key !== 'unclassified')
    .toSorted(byChange);
  return most !== undefined && Math.abs(changeIn(most)) >= 0.01 ? most : undefined;
}
