import { PlumblineError } from './errors.js';
import type { AnyResult, DataOf } from './result.js';

/**
 * Gives the data of a success, for code that would rather catch than branch.
 *
 * @throws PlumblineError for a problem
 */
export function unwrap<Result extends AnyResult>(result: Result): DataOf<Result> {
  if (!result.ok) throw new PlumblineError(result);
  return result.data;
}
