/** Reply streams. They end cleanly when the client leaves, the server stops, or the container is gone. */
import { setMaxListeners } from 'node:events';
import type { RequestContext } from '../../../generated/contract.js';
import { isRuntimeError } from '../runtime/errors.js';
import type { ComposeDependencies } from './dependencies.js';

/** Fires when the stream is no longer needed. */
export function streamSignal({ signal }: RequestContext, { stopping }: ComposeDependencies): AbortSignal {
  const either = AbortSignal.any([signal, stopping]);
  // Each engine request in progress adds a listener, so many listeners are not a leak.
  setMaxListeners(0, either);
  return either;
}

/**
 * Converts the items to lines, at the reader's pace.
 *
 * @param signal the signal of the request for the items
 */
export async function* streamOf<Item, Line>(
  items: AsyncIterable<Item>,
  lineOf: (item: Item) => Line,
  signal: AbortSignal,
  { metrics }: ComposeDependencies,
): AsyncGenerator<Line, void> {
  const closed = metrics.streamOpened();
  try {
    for await (const item of items) {
      if (signal.aborted) return;
      yield lineOf(item);
    }
  } catch (error) {
    // A removed container has no more output.
    if (!signal.aborted && !isRuntimeError(error, 'notFound')) throw error;
  } finally {
    closed();
  }
}
