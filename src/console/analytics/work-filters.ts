/** Picks as the Platform API stores them, in saved views and thresholds. */
import type { Schemas } from '@plumbline/sdk/platform';
import type { Dimension } from './client.js';
import type { Picks } from './picks.js';

type WorkFilters = Schemas['WorkFilters'];

const filterOf = {
  THEME: 'themes',
  SUBCATEGORY: 'subcategories',
  TEAM: 'teams',
  REPO: 'repos',
  AUTHOR: 'authors',
  WORK_TYPE: 'work_types',
} as const satisfies Partial<Record<Dimension, keyof WorkFilters>>;

/** The dimensions that views and thresholds store. */
export type StoredDimension = keyof typeof filterOf;

export const storedDimensions = Object.keys(filterOf) as readonly StoredDimension[]; // as its type says

/** Whether views and thresholds can store values of a dimension. */
export function isStored(dimension: Dimension): dimension is StoredDimension {
  return Object.hasOwn(filterOf, dimension);
}

export function workFiltersOf(picks: Picks): WorkFilters {
  const filters: WorkFilters = { teams: [], repos: [], authors: [], work_types: [], themes: [], subcategories: [] };
  for (const name of storedDimensions) Object.assign(filters, { [filterOf[name]]: picks[name] ?? [] });
  return filters;
}

export function picksOfWorkFilters(filters: WorkFilters): Picks {
  return Object.fromEntries(storedDimensions.map((name) => [name, filters[filterOf[name]]]));
}
