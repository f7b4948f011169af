/** Values that work units are picked by, as the query string holds them: `theme=quality&theme=risk&team=core`. */
import type { AnalyticsSchema } from '@plumbline/sdk/analytics';
import type { Dimension } from './client.js';
import type { SearchParts } from './search-parts.js';

/** Per dimension the values of which a unit has one; a dimension that is absent does not matter. */
export type Picks = Readonly<Partial<Record<Dimension, readonly string[]>>>;

interface DimensionWords {
  /** The part of the query string. */
  readonly part: string;
  readonly filter: Exclude<keyof AnalyticsSchema.FilterInput, 'scope' | 'bots' | 'assistants'>;
  readonly label: string;
}

/** The dimensions, in the order in which they are offered. */
export const dimensions: Readonly<Record<Dimension, DimensionWords>> = {
  THEME: { part: 'theme', filter: 'themes', label: 'Theme' },
  SUBCATEGORY: { part: 'subcategory', filter: 'subcategories', label: 'Subcategory' },
  TEAM: { part: 'team', filter: 'teams', label: 'Team' },
  REPO: { part: 'repo', filter: 'repos', label: 'Repository' },
  AUTHOR: { part: 'author', filter: 'authors', label: 'Author' },
  WORK_TYPE: { part: 'work_type', filter: 'workTypes', label: 'Type of work' },
  ASSISTANT: { part: 'assistant', filter: 'assistantNames', label: 'Assistant' },
  PLAN: { part: 'plan', filter: 'plans', label: 'Planned or unplanned' },
  EPIC: { part: 'epic', filter: 'epics', label: 'Epic' },
  INITIATIVE: { part: 'initiative', filter: 'initiatives', label: 'Initiative' },
};

export const dimensionNames = Object.keys(dimensions) as readonly Dimension[]; // as its type says

/** Whether a text names a dimension. */
export function isDimension(name: string): name is Dimension {
  return Object.hasOwn(dimensions, name);
}

/** Reads the picks out of the query string. */
export function picksOf(search: URLSearchParams): Picks {
  return Object.fromEntries(
    dimensionNames.flatMap((dimension) => {
      const values = [...new Set(search.getAll(dimensions[dimension].part))];
      return values.length === 0 ? [] : [[dimension, values]];
    }),
  );
}

/** The parts of the query string that hold picks; dimensions without values are removed from it. */
export function partsOfPicks(picks: Picks): SearchParts {
  return Object.fromEntries(dimensionNames.map((name) => [dimensions[name].part, picks[name] ?? null]));
}

/** The picks as the server takes them; null: there are none. */
export function filtersOf(picks: Picks): AnalyticsSchema.FilterInput | null {
  const filters: Partial<Record<DimensionWords['filter'], readonly string[]>> = {};
  for (const name of dimensionNames) {
    const values = picks[name] ?? [];
    if (values.length > 0) filters[dimensions[name].filter] = values;
  }
  return Object.keys(filters).length === 0 ? null : filters;
}
