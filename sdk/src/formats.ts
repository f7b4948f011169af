import { ConnectionError, UnexpectedReplyError } from './errors.js';
import { readEvents } from './event-stream.js';
import type { ReplyFormat, StreamContext } from './operation.js';

export const json: ReplyFormat = { mediaType: 'application/json', parseAs: 'json' };

export const scim: ReplyFormat = { mediaType: 'application/scim+json', parseAs: 'json' };

export const text: ReplyFormat = { mediaType: 'text/plain', parseAs: 'text' };

export const html: ReplyFormat = { mediaType: 'text/html', parseAs: 'text' };

/** One JSON value per line, returned as each line arrives. */
export const ndjson: ReplyFormat = { mediaType: 'application/x-ndjson', parseAs: 'stream', decode: readLines };

/** One JSON value per event, returned as each event arrives. A lost connection is resumed. */
export const events: ReplyFormat = { mediaType: 'text/event-stream', parseAs: 'stream', decode: readEvents };

async function* readLines(stream: ReadableStream<Uint8Array>, context: StreamContext): AsyncGenerator {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await read(reader, context);
      rest += done ? decoder.decode() : decoder.decode(value, { stream: true });
      const lines = rest.split('\n');
      rest = done ? '' : (lines.pop() ?? '');
      for (const line of lines) if (line.trim() !== '') yield parseLine(line, context);
      if (done) return;
    }
  } finally {
    // A consumer that stops early aborts the request; after a complete read there is nothing to abort.
    await reader.cancel().catch(() => undefined);
  }
}

async function read(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  { operation, url, signal }: StreamContext,
): Promise<{ done: boolean; value?: Uint8Array | undefined }> {
  try {
    return await reader.read();
  } catch (cause) {
    signal?.throwIfAborted();
    throw new ConnectionError(operation, url, cause);
  }
}

function parseLine(line: string, { operation, response }: StreamContext): unknown {
  try {
    const value: unknown = JSON.parse(line);
    return value;
  } catch (cause) {
    throw new UnexpectedReplyError(operation, response, cause);
  }
}
