/** Converts points to shares, deterministically. The shares of a unit add up to exactly 1. */
import type { Share } from '../../../analytics/work-unit.js';
import type { Subcategory, Theme } from '../../../analytics/vocabulary.js';
import { TAXONOMY, UNCLASSIFIED } from '../../../analytics/vocabulary.js';

/**
 * Shares are whole numbers of these parts. A 64th is exact in binary floating point, so that the shares of a unit add
 * up to 1 in any order. It is also a whole number of millionths (15,625), the unit in which the analytics store shares.
 */
export const PARTS = 64;

/** A smaller fraction of the points is noise; it is distributed among the others. */
const LEAST = 0.05;

/** All subcategories in the order of the taxonomy. */
export const SUBCATEGORIES: readonly Subcategory[] = Object.entries(TAXONOMY).flatMap(([theme, names]) =>
  // By definition, a theme and one of its names form a subcategory.
  names.map((name) => `${theme}.${name}` as Subcategory),
);

export type Points = ReadonlyMap<Subcategory, number>;

export interface Classification {
  /** The theme with the largest share, and the subcategory with the largest share within it. */
  readonly theme: Theme;
  readonly subcategory: Subcategory;
  /** At least one; the largest first, then by name. */
  readonly shares: readonly Share[];
}

/**
 * Divides a unit by its points.
 *
 * @param points positive numbers; at least one
 * @param named the subcategories that the unit itself names, in order; of themes with equal shares, the one named first
 * becomes the main theme; if none is named, the main theme is `unclassified`
 */
export function divide(points: Points, named: readonly Subcategory[] = []): Classification {
  const total = sum(points.values());
  const kept = [...points]
    .filter(([, value]) => value > 0 && value >= total * LEAST)
    .map(([subcategory, value]) => ({ subcategory, value, order: ORDER.get(subcategory) ?? 0 }));
  const [only] = kept;
  if (only === undefined) throw new Error('A unit cannot be divided without points');
  if (kept.length === 1) return wholeOf(only.subcategory);
  kept.sort((a, b) => a.order - b.order);
  const keptTotal = sum(kept.map(({ value }) => value));
  const exact = kept.map(({ subcategory, value, order }) => {
    const parts = (value / keptTotal) * PARTS;
    return { subcategory, order, parts: Math.floor(parts), rest: parts - Math.floor(parts) };
  });
  // Parts lost by rounding go to the largest remainders; ties are resolved by the order of the taxonomy.
  let left = PARTS - sum(exact.map(({ parts }) => parts));
  for (const item of exact.toSorted((a, b) => b.rest - a.rest || a.order - b.order)) {
    if (left === 0) break;
    item.parts += 1;
    left -= 1;
  }
  const shares = exact.map(({ subcategory, parts }) => ({ subcategory, share: parts / PARTS }));
  const ordered = shares.toSorted((a, b) => b.share - a.share || (a.subcategory < b.subcategory ? -1 : 1));
  return { ...mainOf(shares, named), shares: ordered };
}

const ORDER = new Map(SUBCATEGORIES.map((subcategory, order) => [subcategory, order]));
const WHOLES = new Map<Subcategory, Classification>(
  SUBCATEGORIES.map((subcategory) => [
    subcategory,
    { theme: themeOf(subcategory), subcategory, shares: [{ subcategory, share: 1 }] },
  ]),
);

function wholeOf(subcategory: Subcategory): Classification {
  const found = WHOLES.get(subcategory);
  if (found === undefined) throw new Error(`${subcategory} is not a subcategory`);
  return found;
}

/** The theme of a subcategory. */
export function themeOf(subcategory: Subcategory): Theme {
  // A subcategory is its theme, a dot and a name.
  return subcategory.slice(0, subcategory.indexOf('.')) as Theme;
}

type Main = Pick<Classification, 'theme' | 'subcategory'>;

/** @param shares in the order of the taxonomy, which resolves ties within a theme */
function mainOf(shares: readonly Share[], named: readonly Subcategory[]): Main {
  const themes = new Map<Theme, number>();
  for (const { subcategory, share } of shares) {
    const theme = themeOf(subcategory);
    themes.set(theme, (themes.get(theme) ?? 0) + share);
  }
  const most = Math.max(...themes.values());
  const tied = [...themes.keys()].filter((each) => themes.get(each) === most);
  const theme = tied.length === 1 ? tied[0] : named.map(themeOf).find((each) => tied.includes(each));
  if (theme === undefined) return { theme: UNCLASSIFIED, subcategory: `${UNCLASSIFIED}.${UNCLASSIFIED}` };
  const within = shares.filter(({ subcategory }) => themeOf(subcategory) === theme);
  const [subcategory] = largest(within.map((each) => [each.subcategory, each.share] as const));
  return { theme, subcategory };
}

/** The first of the largest entries. */
function largest<Name>(entries: readonly (readonly [Name, number])[]): readonly [Name, number] {
  return entries.reduce((best, entry) => (entry[1] > best[1] ? entry : best));
}

function sum(values: Iterable<number>): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}
