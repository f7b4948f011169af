/** Reply streams. They end cleanly when the client leaves, the server stops, or the container is gone. */
import { setMaxListeners } from 'node:events';
import type { RequestContext, ServerSentEvent } from '@plumbline/contract/contract-types';
import { isRuntimeError } from '../runtime/errors.js';
import type { ComposeDependencies } from './dependencies.js';
import { positionAfter, textOfPosition, type Position } from './positions.js';

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

/**
 * Converts items to events, whose ids are positions.
 *
 * @param after where the items begin; undefined: at none
 */
export function eventsOf<Item extends { readonly time: string }, Data>(
  items: AsyncIterable<Item>,
  after: Position | undefined,
  dataOf: (item: Item) => Data,
  signal: AbortSignal,
  dependencies: ComposeDependencies,
): AsyncIterable<ServerSentEvent<Data>> {
  let position = after;
  const eventOf = (item: Item): ServerSentEvent<Data> => {
    position = positionAfter(position, item);
    return { id: textOfPosition(position), data: dataOf(item) };
  };
  return streamOf(items, eventOf, signal, dependencies);
}

/** Reads at most one item. */
export async function hasItems(items: AsyncIterable<unknown>): Promise<boolean> {
  const iterator = items[Symbol.asyncIterator]();
  const { done } = await iterator.next();
  await iterator.return?.();
  return done !== true;
}
