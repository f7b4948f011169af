import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { feed } from '../../../src/compose/runtime/engine/feed.js';

it('input of many chunks leaves no listeners on the stream', async () => {
  const stream = new PassThrough({ highWaterMark: 1 });
  let most = 0;
  async function* input(): AsyncGenerator<Uint8Array, void> {
    for (let chunk = 0; chunk < 50; chunk++) {
      most = Math.max(most, stream.listenerCount('close'));
      yield await Promise.resolve(Buffer.from('data'));
    }
  }
  const before = stream.listenerCount('close');
  feed(stream, input());
  stream.resume();
  await once(stream, 'end');
  expect(most).toBeLessThanOrEqual(before + 1);
});
