import type { Operation } from '../read/contract-model.js';

/**
 * Lists the operations that create something for a known caller and take no `Idempotency-Key`. An API none of whose
 * operations takes keys is exempt, and so is an operation of another standard, whose clients know no keys.
 *
 * @returns one line per fault
 */
export function idempotencyFaults(operations: readonly Operation[]): string[] {
  if (!operations.some(({ isIdempotent }) => isIdempotent)) return [];
  return operations
    .filter(({ method, isIdempotent, errorForm }) => method === 'POST' && !isIdempotent && errorForm === null)
    .filter(({ security, replies }) => !security.anonymous && replies.some(({ status }) => status === 201))
    .map(({ path }) => `POST ${path}: it creates something for a known caller, and takes no Idempotency-Key`);
}
