import { ADDED_DIMENSIONS, CO_AUTHORS_COLUMN, MEASURE_COLUMNS, REVIEWERS_COLUMN } from '../store/rows.js';

const ADDED = [...MEASURE_COLUMNS, REVIEWERS_COLUMN, CO_AUTHORS_COLUMN, ...ADDED_DIMENSIONS];

/**
 * Whether an error about an unknown column names one that 0.2.0 has added, such as a phase. Tables of an earlier release
 * get these with the next sync: until then the store is unavailable for them. Any other unknown column is a defect.
 */
export function lacksMeasures(error: unknown): boolean {
  return error instanceof Error && ADDED.some((column) => error.message.includes(column));
}
