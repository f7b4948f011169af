import { PlumblineError } from './errors.js';
import type { AnyResult, DataOf } from './result.js';

/**
 * Returns the data of a success, for code that prefers exceptions.
 *
 * @throws PlumblineError for a problem
 */
export function unwrap<Result extends AnyResult>(result: Result): DataOf<Result> {
  if (!result.ok) throw new PlumblineError(result);
  return result.data;
}
