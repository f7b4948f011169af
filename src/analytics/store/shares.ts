/** The stored form of shares: integer millionths, so that all engines compute equal sums. */
import type { Share } from '../work-unit.js';
import type { Subcategory } from '../vocabulary.js';

/** A whole unit. Sums of millionths stay far below 2^63. */
export const WHOLE = 1_000_000;

/** A share in millionths; those of a unit add up to exactly `WHOLE`. */
export interface Part {
  readonly subcategory: Subcategory;
  readonly weight: number;
}

/**
 * Converts shares to millionths by the largest remainder method, sorted by size and then by name.
 *
 * @param shares positive proportions; they need not add up to 1, and a subcategory may occur twice
 * @param main the subcategory of a unit without shares
 */
export function partsOf(shares: readonly Share[], main: Subcategory): readonly Part[] {
  return wholeParts(shares) ?? roundedParts(shares, main);
}

/** Shares that are already integer millionths, sorted, and add up to 1, as the derivation creates them. */
function wholeParts(shares: readonly Share[]): readonly Part[] | undefined {
  const parts: Part[] = [];
  let sum = 0;
  let last: Part | undefined;
  for (const { subcategory, share } of shares) {
    const part = { subcategory, weight: share * WHOLE };
    if (!Number.isInteger(part.weight) || part.weight <= 0) return undefined;
    if (last !== undefined && (last.weight < part.weight || (last.weight === part.weight && byName(last, part) >= 0)))
      return undefined;
    sum += part.weight;
    parts.push(part);
    last = part;
  }
  // Equal names are not always adjacent when sorted by weight first; there are few parts to compare.
  const isDistinct = parts.every(
    ({ subcategory }, at) => parts.findIndex((part) => part.subcategory === subcategory) === at,
  );
  return sum === WHOLE && isDistinct ? parts : undefined;
}

function roundedParts(shares: readonly Share[], main: Subcategory): readonly Part[] {
  const merged = new Map<Subcategory, number>();
  for (const { subcategory, share } of shares) {
    if (share > 0 && Number.isFinite(share)) merged.set(subcategory, (merged.get(subcategory) ?? 0) + share);
  }
  if (merged.size === 0) return [{ subcategory: main, weight: WHOLE }];
  const total = [...merged.values()].reduce((sum, share) => sum + share, 0);
  const exact = [...merged].map(([subcategory, share]) => {
    const weight = (share / total) * WHOLE;
    return { subcategory, weight: Math.floor(weight), rest: weight - Math.floor(weight) };
  });
  let missing = WHOLE - exact.reduce((sum, { weight }) => sum + weight, 0);
  for (const part of exact.toSorted((one, other) => other.rest - one.rest || byName(one, other))) {
    if (missing === 0) break;
    part.weight += 1;
    missing -= 1;
  }
  return exact
    .filter(({ weight }) => weight > 0)
    .map(({ subcategory, weight }) => ({ subcategory, weight }))
    .toSorted((one, other) => other.weight - one.weight || byName(one, other));
}

/** The shares as a store returns them, to compare derived units with stored ones. */
export function storedShares(shares: readonly Share[], main: Subcategory): readonly Share[] {
  return sharesOf(partsOf(shares, main));
}

export function sharesOf(parts: readonly Part[]): readonly Share[] {
  return parts.map(({ subcategory, weight }) => ({ subcategory, share: weight / WHOLE }));
}

function byName(one: { readonly subcategory: string }, other: { readonly subcategory: string }): number {
  return one.subcategory < other.subcategory ? -1 : one.subcategory > other.subcategory ? 1 : 0;
}
