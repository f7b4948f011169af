/** Streams of a reply: they end well when the caller goes, when the server stops, and when what they tell of is gone. */
import { setMaxListeners } from 'node:events';
import type { RequestContext } from '../../../generated/contract.js';
import { isRuntimeError } from '../runtime/errors.js';
import type { ComposeDependencies } from './dependencies.js';

/** Fires when nobody needs the stream any more. */
export function streamSignal({ signal }: RequestContext, { stopping }: ComposeDependencies): AbortSignal {
  const either = AbortSignal.any([signal, stopping]);
  // Each call to the engine that is under way listens: many are no leak.
  setMaxListeners(0, either);
  return either;
}

/**
 * The items, each turned into a line, no faster than they are taken.
 *
 * @param signal the one that the items were asked for with
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
    // A container that was removed has no more to tell.
    if (!signal.aborted && !isRuntimeError(error, 'notFound')) throw error;
  } finally {
    closed();
  }
}
