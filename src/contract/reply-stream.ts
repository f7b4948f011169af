/** The body of a reply whose items arrive over time. */
import { Readable } from 'node:stream';
import type { Endpoint, Exchange } from './exchange.js';

/**
 * Creates the body that sends the items of an iterable, no faster than the caller reads. If the caller disconnects, the
 * iterable is closed. If the iterable fails, the connection is cut, so that the caller does not take a partial reply for
 * a complete one.
 *
 * @param frame writes an item with what separates it from the next one
 * @param heartbeatMs after this time without an item a comment is sent; null: nothing is
 */
export function streamOf(
  items: AsyncIterable<unknown>,
  frame: (item: unknown) => string,
  heartbeatMs: number | null,
  exchange: Exchange<Endpoint>,
): Readable {
  const { request, response } = exchange;
  if (request.method === 'HEAD') {
    // A generator that has not started runs no `finally`, so only the signal releases what its handler opened.
    exchange.abandon();
    void items[Symbol.asyncIterator]().return?.();
    return Readable.from([]);
  }
  // The headers are sent first, because the first item may take long.
  response.once('pipe', () => {
    response.flushHeaders();
  });
  const frames = heartbeatMs === null ? framed(items, frame) : withHeartbeat(items, frame, heartbeatMs);
  return Readable.from(frames, { objectMode: false });
}

async function* framed(items: AsyncIterable<unknown>, frame: (item: unknown) => string): AsyncGenerator<string> {
  for await (const item of items) yield frame(item);
}

/** A comment keeps proxies and the caller from taking an idle connection for a dead one. */
const heartbeat = ': heartbeat\n\n';

async function* withHeartbeat(
  items: AsyncIterable<unknown>,
  frame: (item: unknown) => string,
  heartbeatMs: number,
): AsyncGenerator<string> {
  const iterator = items[Symbol.asyncIterator]();
  try {
    let next = iterator.next();
    for (;;) {
      const result = await withinTime(next, heartbeatMs);
      if (result === null) {
        yield heartbeat;
        continue;
      }
      if (result.done === true) return;
      yield frame(result.value);
      next = iterator.next();
    }
  } finally {
    await iterator.return?.();
  }
}

/** Resolves to null if the promise has not settled after a time. */
async function withinTime<T>(promise: Promise<T>, ms: number): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(resolve, ms, null).unref();
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
