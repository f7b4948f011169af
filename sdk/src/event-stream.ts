import { ConnectionError, UnexpectedReplyError } from './errors.js';
import type { StreamContext } from './operation.js';

/** An event of the HTML standard, with the fields that these APIs use. */
interface ReceivedEvent {
  readonly id: string | null;
  /** null: a comment, or other fields alone. */
  readonly data: string | null;
  readonly retryMs: number | null;
}

/** Connections without an event or a comment, one after the other, before reading fails. */
const mostEmptyConnections = 5;

/** Three heartbeats of the server. A connection that is silent for longer is dead, although nothing has closed it. */
const longestSilenceMs = 45_000;

/** The pause before the next connection, until the server sends `retry`. It doubles after each short connection. */
const firstPauseMs = 1000;
const longestBackoffMs = 8000;
const shortestRetryMs = 100;
const longestRetryMs = 30_000;
const shortConnectionMs = 5000;

/**
 * Reads the data of events, and connects again after the last one when the connection is lost or silent, or the server closes
 * it, until the server says that there are no further events.
 *
 * @throws ConnectionError when the server closes connections repeatedly without an event, or cannot be reached
 * @throws TimeoutError when the server accepts a connection and does not answer
 */
export async function* readEvents(first: ReadableStream<Uint8Array>, context: StreamContext): AsyncGenerator {
  let lastId: string | null = null;
  let empty = 0;
  let short = 0;
  let pauseMs = firstPauseMs;
  for (let stream: ReadableStream<Uint8Array> | null = first; stream !== null;) {
    let loss: unknown = null;
    empty += 1;
    const start = Date.now();
    try {
      for await (const event of eventsOf(stream)) {
        empty = 0;
        pauseMs = event.retryMs ?? pauseMs;
        if (event.data === null) continue;
        lastId = event.id ?? lastId;
        yield valueOf(event.data, context);
      }
    } catch (error) {
      if (error instanceof UnexpectedReplyError) throw error;
      context.signal?.throwIfAborted();
      loss = error;
    }
    if (empty >= mostEmptyConnections) throw new ConnectionError(context.operation, context.url, loss);
    // A proxy that cuts each connection after an event must not cause a tight loop.
    short = Date.now() - start < shortConnectionMs ? short + 1 : 0;
    const backoffMs = pauseMs * 2 ** Math.max(short - 1, 0);
    stream = await context.resume(lastId, Math.min(backoffMs, Math.max(pauseMs, longestBackoffMs)));
  }
}

/** Reads the events and comments of one connection. An event that is cut off is none. */
async function* eventsOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<ReceivedEvent> {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await unlessSilent(reader.read());
      if (done) return;
      rest += decoder.decode(value, { stream: true });
      const blocks = rest.split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) yield eventOf(block);
    }
  } finally {
    // A consumer that stops early aborts the request; after a complete read there is nothing to abort.
    await reader.cancel().catch(() => undefined);
  }
}

/**
 * A timer of the machine, not the client's `Timing`: a sleep that tests shorten must not end streams.
 *
 * @throws Error when the server sends nothing for {@link longestSilenceMs}
 */
async function unlessSilent<Part>(part: Promise<Part>): Promise<Part> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`The server sent nothing for ${longestSilenceMs / 1000} seconds.`));
    }, longestSilenceMs);
  });
  try {
    return await Promise.race([part, silence]);
  } finally {
    clearTimeout(timer);
  }
}

function eventOf(block: string): ReceivedEvent {
  const fields = block.split('\n').map((line) => /^([^:]*):? ?(.*)$/.exec(line) ?? []);
  const data = fields.flatMap(([, name, value]) => (name === 'data' ? [value ?? ''] : []));
  const last = (field: string): string | null => fields.findLast(([, name]) => name === field)?.[2] ?? null;
  const retry = last('retry') ?? '';
  const retryMs = /^\d+$/.test(retry) ? Math.min(Math.max(Number(retry), shortestRetryMs), longestRetryMs) : null;
  return { id: last('id'), data: data.length === 0 ? null : data.join('\n'), retryMs };
}

function valueOf(data: string, { operation, response }: StreamContext): unknown {
  try {
    return JSON.parse(data) as unknown;
  } catch (cause) {
    throw new UnexpectedReplyError(operation, response, cause);
  }
}
