import fc from 'fast-check';
import { expect, test } from 'vitest';
import { moment } from '../../../src/compose/cli/arguments.js';

const read = moment(() => new Date('2026-01-31T10:00:00Z'));

test.each([
  ['2026-01-31T09:00:00Z', '2026-01-31T09:00:00.000Z'],
  ['2026-01-31T09:00:00.5+01:00', '2026-01-31T08:00:00.500Z'],
  ['2026-01-31', '2026-01-31T00:00:00.000Z'],
  ['1769853600', '2026-01-31T10:00:00.000Z'],
  ['42m', '2026-01-31T09:18:00.000Z'],
  ['1h30m', '2026-01-31T08:30:00.000Z'],
  ['9999999d', '1970-01-01T00:00:00.000Z'],
  ['0001-01-01', '1970-01-01T00:00:00.000Z'],
  ['99999999999999999999', '9999-12-31T23:59:59.999Z'],
  ['9999-12-31T23:59:59-10:00', '9999-12-31T23:59:59.999Z'],
])('%s is %s', (text, instant) => {
  expect(read(text).toISOString()).toBe(instant);
});

test.each(['web 5', '2026-02-30', '2026-13-01', '2026-01-31T25:00:00Z', '10000-01-01', '', '-1', '5x'])(
  '%j is refused',
  (text) => {
    expect(() => read(text)).toThrow('It must be a date');
  },
);

test('any other text is refused or is an instant that an engine can represent', () => {
  const parts = fc.constantFrom(
    '0',
    '1',
    '9',
    '99',
    '9999',
    '-',
    ':',
    'T',
    'Z',
    '+',
    '.',
    ' ',
    's',
    'm',
    'h',
    'd',
    '31',
  );
  const texts = fc.oneof(
    fc.string(),
    fc.array(parts, { maxLength: 16 }).map((all) => all.join('')),
  );
  fc.assert(
    fc.property(texts, (text) => {
      let instant: Date;
      try {
        instant = read(text);
      } catch (error) {
        expect(String(error)).toContain('It must be a date');
        return;
      }
      expect(instant.toISOString()).toMatch(/^(?:19[7-9]\d|[2-9]\d{3})-/);
    }),
    { numRuns: 2000 },
  );
});
