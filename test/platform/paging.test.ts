import { describe, expect, it } from 'vitest';
import { pageOf, readCursor } from '../../src/platform/paging.js';

const id = '3b0f6c1e-52a4-4c0e-8d6f-6a1f9c2f7b01';
const at = new Date('2026-03-02T09:15:00.123Z');

function cursorAfter(): string {
  const { nextCursor } = pageOf(
    [
      { at, id },
      { at, id },
    ],
    1,
    (row) => row,
  );
  return nextCursor ?? '';
}

describe('a cursor', () => {
  it('leads back to the last item of its page', () => {
    expect(readCursor(cursorAfter())).toEqual({ position: { at, id } });
  });

  it('is not needed for the first page', () => {
    expect(readCursor(undefined)).toEqual({ position: null });
  });

  it('is not given on the last page, nor on an empty one', () => {
    expect(pageOf([{ at, id }], 1, (row) => row)).toEqual({ page: [{ at, id }], nextCursor: null });
    expect(pageOf([], 1, () => ({ at, id }))).toEqual({ page: [], nextCursor: null });
  });

  it.each([
    ['text', 'nonsense'],
    ['half of one', cursorAfter().slice(0, 20)],
    ['SQL', encode(`2026-03-02T09:15:00.123Z ' or 1=1`)],
    ['a day that is none', encode(`2026-02-31T25:15:00.123Z ${id}`)],
    ['a year that PostgreSQL cannot read', encode(`0000-01-01T00:00:00.000Z ${id}`)],
    ['no id', encode('2026-03-02T09:15:00.123Z ')],
  ])('made of %s is refused', (_what, cursor) => {
    expect(readCursor(cursor)).toMatchObject({
      refusal: { status: 422, body: { violations: [{ path: '/query/cursor', rule: 'format' }] } },
    });
  });
});

function encode(text: string): string {
  return Buffer.from(text).toString('base64url');
}
