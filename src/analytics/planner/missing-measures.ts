import { MEASURE_COLUMNS } from '../store/rows.js';

/**
 * Whether an error about an unknown column names one that 0.2.0 has added: a phase, or whether a change failed. Tables of
 * an earlier release get these with the next sync: until then the store is unavailable for them. Any other unknown
 * column is a defect.
 */
export function lacksMeasures(error: unknown): boolean {
  return error instanceof Error && MEASURE_COLUMNS.some((column) => error.message.includes(column));
}
