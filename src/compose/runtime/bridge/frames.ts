/**
 * The Engine API's framing of two streams in one connection: eight bytes of header (stream, three zeros, length
 * in big-endian), then the payload. A generator, so that an unread frame holds the connection back.
 */
import { backendFailure } from '../errors.js';
import type { OutputChunk } from '../records.js';

const HEADER = 8;

/** Whole frames, one for one. @throws RuntimeError.backendFailure for what is no frame, or a torn one */
export async function* framesOf(source: AsyncIterable<Buffer>): AsyncGenerator<OutputChunk, void> {
  const pending: Buffer[] = [];
  let available = 0;
  let frame: { readonly stream: OutputChunk['stream']; readonly length: number } | undefined;

  /** Takes bytes off the front; each byte is copied once, however the source cuts them. */
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
  if (frame !== undefined || available > 0) throw backendFailure('The container engine broke an output frame off.');
}

/** With a tty there are no frames: all of it is standard output. */
export async function* unframed(source: AsyncIterable<Buffer>): AsyncGenerator<OutputChunk, void> {
  for await (const data of source) yield { stream: 'stdout', data };
}

function headerOf(header: Buffer): { stream: OutputChunk['stream']; length: number } {
  const kind = header.readUInt8(0);
  if (kind > 2) throw backendFailure('The container engine sent output that is not framed.');
  return { stream: kind === 2 ? 'stderr' : 'stdout', length: header.readUInt32BE(4) };
}
