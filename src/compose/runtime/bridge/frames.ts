/**
 * Decodes the Engine API's framing of two streams in one connection: an eight-byte header (stream, three zeros,
 * big-endian length), then the payload. A generator, so that unread frames apply back-pressure to the connection.
 */
import { backendFailure } from '../errors.js';
import type { OutputChunk } from '../records.js';

const HEADER = 8;

/** Yields whole frames. @throws RuntimeError.backendFailure for an invalid or truncated frame */
export async function* framesOf(source: AsyncIterable<Buffer>): AsyncGenerator<OutputChunk, void> {
  const pending: Buffer[] = [];
  let available = 0;
  let frame: { readonly stream: OutputChunk['stream']; readonly length: number } | undefined;

  /** Takes bytes from the front. Copies each byte once, independent of how the source splits them. */
  const take = (length: number): Buffer => {
    const parts: Buffer[] = [];
    for (let missing = length; missing > 0;) {
      const head = pending[0];
      if (head === undefined) throw new RangeError('fewer bytes are pending than were counted');
      if (head.length <= missing) pending.shift();
      else pending[0] = head.subarray(missing);
      const part = head.subarray(0, missing);
      parts.push(part);
      missing -= part.length;
    }
    available -= length;
    return parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts);
  };

  for await (const chunk of source) {
    pending.push(chunk);
    available += chunk.length;
    for (;;) {
      if (frame === undefined) {
        if (available < HEADER) break;
        frame = headerOf(take(HEADER));
      }
      if (available < frame.length) break;
      const { stream, length } = frame;
      frame = undefined;
      yield { stream, data: take(length) };
    }
  }
  if (frame !== undefined || available > 0)
    throw backendFailure('The container engine sent an incomplete output frame.');
}

/** With a tty there are no frames; everything is standard output. */
export async function* unframed(source: AsyncIterable<Buffer>): AsyncGenerator<OutputChunk, void> {
  for await (const data of source) yield { stream: 'stdout', data };
}

function headerOf(header: Buffer): { stream: OutputChunk['stream']; length: number } {
  const kind = header.readUInt8(0);
  if (kind > 2) throw backendFailure('The container engine sent unframed output.');
  return { stream: kind === 2 ? 'stderr' : 'stdout', length: header.readUInt32BE(4) };
}
