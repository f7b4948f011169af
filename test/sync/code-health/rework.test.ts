import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ReworkCount } from '../../../src/sync/code-health/rework.js';
import { mostReworked, type TimedChange } from './most-reworked.js';

const DAY = 86_400_000;

function counted(changes: readonly TimedChange[], from: number): number {
  const count = new ReworkCount();
  for (const { at, added, deleted } of changes) {
    const change = { path: 'a.ts', oldPath: null, added, deleted };
    if (at < from) count.precede(at, change);
    else count.count(at, change);
  }
  return count.reworkedLines;
}

it('counts the largest number of deleted lines that can be matched with young ones', () => {
  const changes = fc.array(fc.record({ days: fc.integer({ min: 0, max: 15 }), added: fc.nat(4), deleted: fc.nat(4) }), {
    maxLength: 9,
  });
  fc.assert(
    fc.property(changes, fc.integer({ min: 0, max: 40 }), (some, first) => {
      let at = 0;
      const timed = some.map(({ days, added, deleted }) => ({ at: (at += days * DAY + 1), added, deleted }));
      expect(counted(timed, first * DAY)).toBe(mostReworked(timed, first * DAY));
    }),
  );
});

it.each([
  ['a line on its 21st day', 21 * DAY, 1],
  ['a line after that', 21 * DAY + 1, 0],
])('%s counts: %s ms, %s line', (_what, age, expected) => {
  const changes = [
    { at: 0, added: 1, deleted: 0 },
    { at: age, added: 0, deleted: 1 },
  ];
  expect(counted(changes, 0)).toBe(expected);
});

it('counts the lines of both files after a rename onto a path that had another file', () => {
  const count = new ReworkCount();
  count.count(0, { path: 'new.ts', oldPath: null, added: 1, deleted: 0 });
  count.count(DAY, { path: 'old.ts', oldPath: null, added: 5, deleted: 0 });
  count.count(2 * DAY, { path: 'new.ts', oldPath: null, added: 2, deleted: 0 });
  count.count(3 * DAY, { path: 'new.ts', oldPath: 'old.ts', added: 0, deleted: 4 });
  expect(count.reworkedLines).toBe(4);
  // The oldest lines went first: one of the first day and three of the second, so that four are young.
  count.count(22 * DAY, { path: 'new.ts', oldPath: null, added: 0, deleted: 9 });
  expect(count.reworkedLines).toBe(8);
});

it('follows a file that is renamed, and counts both files after a copy', () => {
  const count = new ReworkCount();
  count.count(0, { path: 'old.ts', oldPath: null, added: 5, deleted: 0 });
  count.count(DAY, { path: 'new.ts', oldPath: 'old.ts', added: 1, deleted: 2 });
  expect(count.reworkedLines).toBe(2);
  count.count(2 * DAY, { path: 'old.ts', oldPath: null, added: 0, deleted: 9 });
  expect(count.reworkedLines).toBe(7);
  count.count(3 * DAY, { path: 'new.ts', oldPath: 'old.ts', added: 0, deleted: 9 });
  expect(count).toMatchObject({ addedLines: 6, deletedLines: 20, reworkedLines: 11 });
});
