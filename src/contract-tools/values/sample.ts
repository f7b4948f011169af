import fc from 'fast-check';
import type { Check } from '../schemas.js';
import { valuesOf, type Making } from './arbitrary.js';

/** Attempts before a schema counts as one that no value can be made for. */
const attempts = 200;

/**
 * A valid value for a schema, always the same.
 *
 * @returns the value in an array; an empty array when none was found
 */
export function sample(making: Making, schema: unknown, check: Check): [] | [unknown] {
  const values = valuesOf(making, schema);
  // The first is usually valid.
  for (const numRuns of [1, attempts]) {
    for (const value of fc.sample(values, { seed: 1, numRuns })) {
      if (check(value).length === 0) return [value];
    }
  }
  return [];
}
