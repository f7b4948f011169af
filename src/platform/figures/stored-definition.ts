import type { Schemas } from '../../../generated/platform/operations.js';

type WorkFilters = Schemas['WorkFilters'];

/** The filters that releases after 0.1.0 have added. */
const addedFilters = { assistants: [], epics: [], initiatives: [], plans: [] } satisfies Partial<WorkFilters>;

/**
 * Completes the stored definition of a view or threshold: one that an earlier release has stored lacks the filters that
 * were added since, and accepts any value of them.
 */
export function withAllFilters<Definition extends { readonly filters: WorkFilters }>(
  definition: Definition,
): Definition {
  return { ...definition, filters: { ...addedFilters, ...definition.filters } };
}
