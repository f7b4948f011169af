import { describe, expect, it } from 'vitest';
import type { Page } from '../../src/contract/page.js';
import { readCursor, replyWithPage, type PagedList, type Position } from '../../src/platform/server/paging.js';

const id = '3b0f6c1e-52a4-4c0e-8d6f-6a1f9c2f7b01';
const at = new Date('2026-03-02T09:15:00.123Z');

/** A list of rows that are all the same. */
function listOf(count: number): PagedList<Position, Position> {
  const rows = Array.from({ length: count }, () => ({ at, id }));
  return {
    select: (_position, limit) => Promise.resolve(rows.slice(0, limit)),
    positionOf: (row) => row,
    itemOf: (row) => row,
  };
}

async function pageOf(count: number, limit: number): Promise<Page<Position>> {
  const reply = await replyWithPage({ limit }, listOf(count));
  if (reply.status !== 200) throw new Error('the page was refused');
  return reply.body;
}

const cursor = (await pageOf(2, 1)).next_cursor ?? '';

describe('a cursor', () => {
  it('leads back to the last item of its page', () => {
    expect(readCursor(cursor)).toEqual({ position: { at, id } });
  });

  it('is not needed for the first page', () => {
    expect(readCursor(undefined)).toEqual({ position: null });
  });

  it('is not given on the last page, nor on an empty one', async () => {
    expect(await pageOf(1, 1)).toEqual({ items: [{ at, id }], next_cursor: null });
    expect(await pageOf(0, 1)).toEqual({ items: [], next_cursor: null });
  });

  it('that cannot be read is refused before the list is read', async () => {
    const list = { ...listOf(1), select: () => Promise.reject(new Error('the list was read')) };
    expect(await replyWithPage({ limit: 1, cursor: 'nonsense' }, list)).toMatchObject({ status: 422 });
  });

  it.each([
    ['text', 'nonsense'],
    ['half of one', cursor.slice(0, 20)],
    ['SQL', encode(`2026-03-02T09:15:00.123Z ' or 1=1`)],
    ['a day that is none', encode(`2026-02-31T25:15:00.123Z ${id}`)],
    ['a year that PostgreSQL cannot read', encode(`0000-01-01T00:00:00.000Z ${id}`)],
    ['no id', encode('2026-03-02T09:15:00.123Z ')],
  ])('made of %s is refused', (_what, text) => {
    expect(readCursor(text)).toMatchObject({
      refusal: { status: 422, body: { violations: [{ path: '/query/cursor', rule: 'format' }] } },
    });
  });
});

function encode(text: string): string {
  return Buffer.from(text).toString('base64url');
}
