import { describe, expect, it } from 'vitest';
import { channel } from '../../../src/compose/runtime/channel.js';

async function settledSoon(promise: Promise<unknown>): Promise<boolean> {
  const open = Symbol('open');
  const turns = (async () => {
    for (let turn = 0; turn < 10; turn++) await Promise.resolve();
    return open;
  })();
  return (await Promise.race([promise.then(() => true), turns])) !== open;
}

describe('channel', () => {
  it('yields the items in order, then ends', async () => {
    const numbers = channel<number>();
    void numbers.push(1);
    void numbers.push(2);
    numbers.end();
    void numbers.push(3);
    const seen: number[] = [];
    for await (const number of numbers) seen.push(number);
    expect(seen).toEqual([1, 2]);
  });

  it('yields queued items before it fails', async () => {
    const numbers = channel<number>();
    void numbers.push(1);
    numbers.fail(new Error('broken'));
    const seen: number[] = [];
    const reading = (async () => {
      for await (const number of numbers) seen.push(number);
    })();
    await expect(reading).rejects.toThrow('broken');
    expect(seen).toEqual([1]);
  });

  it('blocks the producer until the consumer has read', async () => {
    const numbers = channel<number>({ capacity: 2 });
    expect(await settledSoon(numbers.push(1))).toBe(true);
    const second = numbers.push(2);
    expect(await settledSoon(second)).toBe(false);
    const reader = numbers[Symbol.asyncIterator]();
    await reader.next();
    expect(await settledSoon(second)).toBe(true);
  });

  it('releases the source and the producer when the consumer leaves', async () => {
    let closed = 0;
    const numbers = channel<number>({ capacity: 1, onClose: () => closed++ });
    const first = numbers.push(1);
    for await (const number of numbers) {
      expect(number).toBe(1);
      break;
    }
    await first;
    expect(closed).toBe(1);
    expect(await settledSoon(numbers.push(2))).toBe(true);
  });
});
