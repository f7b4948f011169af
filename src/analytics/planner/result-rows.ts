import type { Query } from './statements.js';

/** A row: its columns in the order of the statement. */
export type Row = readonly unknown[];

/** The rows of each query of a plan. */
export type Rows = ReadonlyMap<Query, readonly Row[]>;

/** Converts an integer of any driver; the sum of no rows is null. */
export function wholeNumber(value: unknown): bigint {
  if (value === null || value === undefined) return 0n;
  if (typeof value === 'bigint' || typeof value === 'number' || typeof value === 'string') return BigInt(value);
  throw new Error(`Expected an integer from the engine, got ${typeof value}.`);
}
