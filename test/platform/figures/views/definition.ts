import type { Schemas } from '../../../../generated/platform/operations.js';

/** What a view shows, as the contract defines it. */
export const exampleDefinition: Schemas['ViewDefinition'] = {
  dimension: 'team',
  measure: 'count',
  interval: 'week',
  top: 10,
  whole_units: false,
  period: { preset: '90d' },
  filters: {
    teams: [],
    repos: [],
    authors: [],
    work_types: [],
    themes: ['quality'],
    subcategories: [],
    assistants: [],
  },
};
