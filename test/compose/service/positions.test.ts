import { describe, expect, test } from 'vitest';
import {
  itemsAfter,
  parsePosition,
  positionAfter,
  sinceOf,
  textOfPosition,
  type Position,
} from '../../../src/compose/service/positions.js';
import { movingPositions, parsePositions, positionOf } from '../../../src/compose/service/projects/log-positions.js';
import { toAsyncIterable } from '../../../src/contract/system/async-iterable.js';

interface Item {
  readonly time: string;
  readonly name: string;
}

/** Items named by their index, at some nanoseconds; null: without a time. */
const itemsAt = (...nanoseconds: (number | null)[]): Item[] =>
  nanoseconds.map((at, index) => ({
    time: at === null ? '' : `2026-03-02T09:15:02.${String(at).padStart(9, '0')}Z`,
    name: String(index),
  }));

const positionsOf = (items: readonly Item[]): Position[] => {
  let position: Position | undefined;
  return items.map((item) => (position = positionAfter(position, item)));
};

async function namesAfter(items: readonly Item[], position: Position): Promise<string> {
  let names = '';
  for await (const { name } of itemsAfter(toAsyncIterable(items), position)) names += name;
  return names;
}

describe('A position', () => {
  test.each([
    ['different times', itemsAt(1, 2, 999_999_999)],
    ['equal times', itemsAt(7, 7, 7, 8, 8)],
    ['items without a time', itemsAt(null, 7, null, null, 8, null)],
  ])('loses and repeats nothing among %s', async (_what, items) => {
    const positions = positionsOf(items);
    for (const [index, position] of positions.entries()) {
      const rest = items.slice(index + 1).map(({ name }) => name);
      expect(await namesAfter(items, position)).toBe(rest.join(''));
      expect(parsePosition(textOfPosition(position))).toEqual(position);
    }
  });

  test('loses nothing where times are out of order', async () => {
    const items = itemsAt(5, 9, 7, 6, 9, 8);
    for (const [index, position] of positionsOf(items).entries()) {
      const after = await namesAfter(items, position);
      expect(after.endsWith(items.slice(index + 1).map(({ name }) => name).join(''))).toBe(true); // prettier-ignore
    }
  });

  test('is passed by a later item if the engine no longer has the one at it', async () => {
    const [, position] = positionsOf(itemsAt(5, 6));
    expect(await namesAfter(itemsAt(3, 4, 7, 8, 8), position as Position)).toBe('234');
  });

  test('asks the engine from a second earlier on, and never before 1970', () => {
    const [position] = positionsOf(itemsAt(3_000_001));
    expect(sinceOf(position as Position).toISOString()).toBe('2026-03-02T09:15:01.003Z');
    expect(sinceOf({ time: 5n, count: 1 }).getTime()).toBe(0);
  });

  test.each(['', 'mock', '1.', '.1', '-1.1', '1.1.1', '12345678901234567890.1', undefined])(
    'is not in the text %j',
    (text) => {
      expect(parsePosition(text)).toBeUndefined();
    },
  );
});

describe('The positions in several containers', () => {
  const time = '2026-03-02T09:15:02.000000001Z';

  test('are kept by an id for each container', () => {
    const idAfter = movingPositions(parsePositions());
    idAfter({ container: 'a', time });
    idAfter({ container: 'b', time });
    const id = idAfter({ container: 'a', time });
    const positions = parsePositions(id);
    expect(positionOf(positions, 'a')?.count).toBe(2);
    expect(positionOf(positions, 'b')?.count).toBe(1);
    expect(positionOf(positions, 'c')).toBeUndefined();
    expect(positionOf(parsePositions(movingPositions(positions)({ container: 'b', time })), 'b')?.count).toBe(2);
  });

  test('are those of the containers that printed last, as many as request headers can carry', () => {
    const idAfter = movingPositions(parsePositions());
    let id = '';
    for (let index = 0; index <= 200; index++) id = idAfter({ container: `web-${index}`, time });
    expect(id.length).toBeLessThan(9000);
    expect(positionOf(parsePositions(id), 'web-0')).toBeUndefined();
    for (let index = 1; index <= 200; index++) expect(positionOf(parsePositions(id), `web-${index}`)).toBeDefined();
  });

  test.each(['', ',', 'fake', 'abc.1.1', '123456789012.x'])('are not in the text %j', (text) => {
    expect(parsePositions(text).size).toBe(0);
  });
});
