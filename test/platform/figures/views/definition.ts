import type { Schemas } from '../../../../generated/platform/operations.js';

/** Filters that accept any work unit. */
export const noFilters: Schemas['WorkFilters'] = {
  ...{ teams: [], repos: [], authors: [], work_types: [], themes: [], subcategories: [] },
  ...{ assistants: [], epics: [], initiatives: [], plans: [] },
};

/** What a view shows, as the contract defines it. */
export const exampleDefinition: Schemas['ViewDefinition'] = {
  dimension: 'team',
  measure: 'count',
  interval: 'week',
  top: 10,
  whole_units: false,
  period: { preset: '90d' },
  filters: { ...noFilters, themes: ['quality'] },
};
