import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { framesOf } from '../../../../src/compose/runtime/bridge/frames.js';
import type { OutputChunk } from '../../../../src/compose/runtime/records.js';

function frame(kind: number, data: Uint8Array): Buffer {
  const header = Buffer.alloc(8);
  header.writeUInt8(kind, 0);
  header.writeUInt32BE(data.length, 4);
  return Buffer.concat([header, data]);
}

// eslint-disable-next-line @typescript-eslint/require-await -- a connection is an asynchronous iterable
async function* cut(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function read(bytes: Buffer, size: number): Promise<OutputChunk[]> {
  const frames: OutputChunk[] = [];
  for await (const one of framesOf(cut(bytes, size))) frames.push(one);
  return frames;
}

describe('frames of the Engine API', () => {
  it('are reassembled from any chunks', async () => {
    const parts = fc.array(fc.tuple(fc.constantFrom(1, 2), fc.uint8Array({ maxLength: 50 })));
    await fc.assert(
      fc.asyncProperty(parts, fc.integer({ min: 1, max: 100 }), async (frames, size) => {
        const bytes = Buffer.concat(frames.map(([kind, data]) => frame(kind, data)));
        const seen = await read(bytes, size);
        expect(seen.map(({ stream, data }) => [stream, [...data]])).toEqual(
          frames.map(([kind, data]) => [kind === 2 ? 'stderr' : 'stdout', [...data]]),
        );
      }),
    );
  });

  it('are a backendFailure if truncated or malformed', async () => {
    const whole = frame(1, Buffer.from('text'));
    for (const bytes of [whole.subarray(0, 10), whole.subarray(0, 3), Buffer.from('plain text, not framed')]) {
      await expect(read(bytes, 5)).rejects.toMatchObject({ failure: { case: 'backendFailure' } });
    }
  });
});
