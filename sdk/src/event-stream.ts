import { ConnectionError, UnexpectedReplyError } from './errors.js';
import type { StreamContext } from './operation.js';

/** An event of the HTML standard, with the fields that these APIs use. */
interface ReceivedEvent {
  readonly id: string | null;
  readonly data: string;
}

/** Connections without an event or a comment, one after the other, before reading fails. */
const mostEmptyConnections = 5;

/** Three heartbeats of the server. A connection that is silent for longer is dead, although nothing has closed it. */
const longestSilenceMs = 45_000;

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
  for (let stream: ReadableStream<Uint8Array> | null = first; stream !== null;) {
    let loss: unknown = null;
    empty += 1;
    try {
      for await (const event of eventsOf(stream)) {
        empty = 0;
        if (event === null) continue;
        lastId = event.id ?? lastId;
        yield valueOf(event.data, context);
      }
    } catch (error) {
      if (error instanceof UnexpectedReplyError) throw error;
      context.signal?.throwIfAborted();
      loss = error;
    }
    if (empty >= mostEmptyConnections) throw new ConnectionError(context.operation, context.url, loss);
    stream = await context.resume(lastId);
  }
}

/** Reads the events of one connection, and null for comments. An event that is cut off is none. */
async function* eventsOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<ReceivedEvent | null> {
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

/** @returns null for comments */
function eventOf(block: string): ReceivedEvent | null {
  const fields = block.split('\n').map((line) => /^([^:]*):? ?(.*)$/.exec(line) ?? []);
  const data = fields.flatMap(([, name, value]) => (name === 'data' ? [value ?? ''] : []));
  if (data.length === 0) return null;
  const id = fields.findLast(([, name]) => name === 'id')?.[2] ?? null;
  return { id, data: data.join('\n') };
}

function valueOf(data: string, { operation, response }: StreamContext): unknown {
  try {
    return JSON.parse(data) as unknown;
  } catch (cause) {
    throw new UnexpectedReplyError(operation, response, cause);
  }
}
