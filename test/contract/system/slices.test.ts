import { describe, expect, it } from 'vitest';
import { atOnce, inSlices, type Steps } from '../../../src/contract/system/slices.js';

function* spinning(milliseconds: number): Steps<string> {
  for (const end = performance.now() + milliseconds; performance.now() < end;) yield;
  return 'done';
}

describe('long work in steps', () => {
  it('lets other work run between two slices', async () => {
    const order: string[] = [];
    setImmediate(() => order.push('other'));
    order.push(await inSlices(spinning(100)));
    expect(order).toEqual(['other', 'done']);
  });

  it('can run at once', () => {
    expect(atOnce(spinning(1))).toBe('done');
  });

  it('fails with the error of its step', async () => {
    const failing = function* (): Steps<never> {
      throw new Error('no');
    };
    await expect(inSlices(failing())).rejects.toThrow('no');
    expect(() => atOnce(failing())).toThrow('no');
  });
});
