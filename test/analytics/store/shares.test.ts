import fc from 'fast-check';
import { expect, it } from 'vitest';
import { partsOf, storedShares, WHOLE } from '../../../src/analytics/store/shares.js';
import type { Share } from '../../../src/analytics/work-unit.js';

const shares = fc.array(
  fc.record({
    subcategory: fc.constantFrom('risk.security', 'quality.testing', 'maintenance.debt', 'operational.support'),
    share: fc.double({ min: 1e-9, max: 1, noNaN: true }),
  }) satisfies fc.Arbitrary<Share>,
);

it('any shares are scaled to exactly one million parts', () => {
  fc.assert(
    fc.property(shares, (given) => {
      const parts = partsOf(given, 'quality.bugfix');
      expect(parts.reduce((sum, { weight }) => sum + weight, 0)).toBe(WHOLE);
      expect(new Set(parts.map(({ subcategory }) => subcategory)).size).toBe(parts.length);
      expect(parts.every(({ weight }) => Number.isInteger(weight) && weight > 0)).toBe(true);
    }),
  );
});

it('stored shares do not change when they are stored again', () => {
  fc.assert(
    fc.property(shares, (given) => {
      const stored = storedShares(given, 'quality.bugfix');
      expect(storedShares(stored, 'quality.bugfix')).toEqual(stored);
      expect(storedShares(stored.toReversed(), 'quality.bugfix')).toEqual(stored);
    }),
  );
});

it('thirds give the odd millionth to the first by name, and a unit without shares is whole', () => {
  const third = 1 / 3;
  expect(
    partsOf(
      [
        { subcategory: 'risk.security', share: third },
        { subcategory: 'quality.testing', share: third },
        { subcategory: 'maintenance.debt', share: third },
      ],
      'risk.security',
    ),
  ).toEqual([
    { subcategory: 'maintenance.debt', weight: 333_334 },
    { subcategory: 'quality.testing', weight: 333_333 },
    { subcategory: 'risk.security', weight: 333_333 },
  ]);
  expect(partsOf([], 'risk.security')).toEqual([{ subcategory: 'risk.security', weight: WHOLE }]);
});
