/** Picks as the Platform API stores them, in saved views and thresholds. */
import type { Schemas } from '@plumbline/sdk/platform';
import { dimensionNames, type Picks } from './picks.js';

type WorkFilters = Schemas['WorkFilters'];

const filterOf = {
  THEME: 'themes',
  SUBCATEGORY: 'subcategories',
  TEAM: 'teams',
  REPO: 'repos',
  AUTHOR: 'authors',
  WORK_TYPE: 'work_types',
  ASSISTANT: 'assistants',
  EPIC: 'epics',
  INITIATIVE: 'initiatives',
  PLAN: 'plans',
} as const;

export function workFiltersOf(picks: Picks): WorkFilters {
  const filters: WorkFilters = {
    teams: [],
    repos: [],
    authors: [],
    work_types: [],
    themes: [],
    subcategories: [],
    assistants: [],
    epics: [],
    initiatives: [],
    plans: [],
  };
  for (const name of dimensionNames) Object.assign(filters, { [filterOf[name]]: picks[name] ?? [] });
  return filters;
}

export function picksOfWorkFilters(filters: WorkFilters): Picks {
  return Object.fromEntries(dimensionNames.map((name) => [name, filters[filterOf[name]]]));
}
