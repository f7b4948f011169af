import { describe, expect, it } from 'vitest';
import { readAhead } from '../../src/sync/read-ahead.js';

/** Pages that come only when they are let through, one at a time. */
function gated(pages: number): {
  readonly source: AsyncGenerator<number>;
  readonly asked: () => number;
  readonly letThrough: () => void;
  readonly isEnded: () => boolean;
} {
  let asked = 0;
  let isEnded = false;
  let open = (): void => {};
  async function* numbers(): AsyncGenerator<number> {
    try {
      for (let page = 0; page < pages; page += 1) {
        asked += 1;
        await new Promise<void>((resolve) => (open = resolve));
        yield page;
      }
    } finally {
      isEnded = true;
    }
  }
  return {
    source: numbers(),
    asked: () => asked,
    letThrough: () => {
      open();
    },
    isEnded: () => isEnded,
  };
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Lets so many pages through, each after what the one before brought about. */
async function letPass(pages: number, letThrough: () => void): Promise<void> {
  for (let page = 0; page < pages; page += 1) {
    await settled();
    letThrough();
  }
}

describe('reading ahead', () => {
  it('yields every page in order, and buffers no more than its limit', async () => {
    const { source, asked, letThrough } = gated(9);
    const pages = readAhead(source, 2);
    const first = pages.next();
    await letPass(12, letThrough);
    expect(await first).toEqual({ done: false, value: 0 });
    // One was given, two are held.
    expect(asked()).toBe(3);
    const rest: number[] = [];
    const reading = (async () => {
      for await (const page of pages) rest.push(page);
    })();
    await letPass(12, letThrough);
    await reading;
    expect(rest).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  });

  it('closes the source when the consumer stops, also while a page that fills the buffer is being read', async () => {
    const { source, letThrough, isEnded } = gated(9);
    const pages = readAhead(source, 2);
    const first = pages.next();
    await letPass(3, letThrough);
    await first;
    // It holds one page, and has asked for the one that makes it full.
    const second = pages.next();
    await settled();
    await second;
    await settled();
    const stopped = pages.return(undefined);
    await settled();
    letThrough();
    await stopped;
    expect(isEnded()).toBe(true);
  });

  it('throws an error of the source after the pages before it', async () => {
    async function* failing(): AsyncGenerator<number> {
      yield await Promise.resolve(1);
      throw new Error('no more');
    }
    const seen: number[] = [];
    const reading = (async () => {
      for await (const page of readAhead(failing(), 4)) seen.push(page);
    })();
    await expect(reading).rejects.toThrow('no more');
    expect(seen).toEqual([1]);
  });
});
