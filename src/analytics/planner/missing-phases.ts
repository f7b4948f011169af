import { PHASES } from '../vocabulary.js';

/**
 * Whether an error about an unknown column names one of the phases. Tables of an earlier release get these with the next
 * sync: until then the store is unavailable for them. Any other unknown column is a defect.
 */
export function lacksPhases(error: unknown): boolean {
  return error instanceof Error && PHASES.some((phase) => error.message.includes(`${phase}_ms`));
}
