import type { AnalyticsSchema } from '@plumbline/sdk/analytics';
import type { Picks } from './picks.js';

export type Level = 'TEAM' | 'REPO' | 'AUTHOR';

/** What a page is narrowed down to: `TEAM:core` in the query string; null: the whole organization. */
export interface Scope {
  readonly level: Level;
  readonly id: string;
}

export const levels = [
  { level: 'TEAM', label: 'Teams' },
  { level: 'REPO', label: 'Repositories' },
  { level: 'AUTHOR', label: 'Authors' },
] as const;

/** Reads the scope out of the query string. */
export function scopeOf(search: URLSearchParams): Scope | null {
  const text = search.get('scope') ?? '';
  const found = levels.find(({ level }) => text.startsWith(`${level}:`));
  return found === undefined ? null : { level: found.level, id: text.slice(found.level.length + 1) };
}

/** The same as what picks work units. */
export function picksOfScope(scope: Scope | null): Picks {
  return scope === null ? {} : { [scope.level]: [scope.id] };
}

/** The same as the filter of a query. */
export function filtersOfScope(scope: Scope | null): AnalyticsSchema.FilterInput | null {
  return scope === null ? null : { scope: { level: scope.level, ids: [scope.id] } };
}
