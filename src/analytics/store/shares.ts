/** Shares as they are stored: whole millionths, so that every engine adds them up to the same figure. */
import type { Share } from '../work-unit.js';
import type { Subcategory } from '../vocabulary.js';

/** The whole of a unit. Sums of millionths stay far below 2^63, where they would overflow. */
export const WHOLE = 1_000_000;

/** A share in millionths; those of one unit add up to exactly `WHOLE`. */
export interface Part {
  readonly subcategory: Subcategory;
  readonly weight: number;
}

/**
 * Turns shares into millionths by the method of largest remainders, largest first and then by name.
 *
 * @param shares any positive proportions; they need not add up to 1, and a subcategory may occur twice
 * @param main what a unit without shares belongs to as a whole
 */
export function partsOf(shares: readonly Share[], main: Subcategory): readonly Part[] {
  return wholeParts(shares) ?? roundedParts(shares, main);
}

/** Shares that are whole millionths, add up to 1 and are in order already, as the derivation makes them. */
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
  // In order by weight and then by name, equal names can only stand apart: few parts are compared quickly.
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

/** The shares as a store gives them back: of use to whoever compares derived units with stored ones. */
export function storedShares(shares: readonly Share[], main: Subcategory): readonly Share[] {
  return sharesOf(partsOf(shares, main));
}

export function sharesOf(parts: readonly Part[]): readonly Share[] {
  return parts.map(({ subcategory, weight }) => ({ subcategory, share: weight / WHOLE }));
}

function byName(one: { readonly subcategory: string }, other: { readonly subcategory: string }): number {
  return one.subcategory < other.subcategory ? -1 : one.subcategory > other.subcategory ? 1 : 0;
}
