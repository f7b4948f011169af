import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { beginsWithDay, instantOf } from '../../src/contract/instant.js';

const ajv = new Ajv2020();
formats.default(ajv);
const isDateTime = ajv.compile({ type: 'string', format: 'date-time' });

const digits = (min: number, max: number, length = 2): fc.Arbitrary<string> =>
  fc.integer({ min, max }).map((number) => String(number).padStart(length, '0'));
const dateTimes = fc
  .tuple(
    fc.oneof(fc.constantFrom('0000', '0001', '1969', '1970', '9999'), digits(0, 9999, 4)),
    digits(1, 12),
    digits(1, 31),
    fc.constantFrom('T', 't', ' '),
    digits(0, 23),
    digits(0, 59),
    digits(0, 60),
    fc.constantFrom('', '.5', '.123456789123'),
    fc.constantFrom('Z', 'z', '+00', '-23:59', '+23:59', '+0100', '-00:00', '+15:00'),
  )
  .map(([year, month, day, t, hour, minute, second, fraction, zone]) =>
    [year, '-', month, '-', day, t, hour, ':', minute, ':', second, fraction, zone].join(''),
  );

it('every date-time that the contract accepts is an instant from 1970 to 9999', () => {
  fc.assert(
    fc.property(dateTimes, (text) => {
      fc.pre(isDateTime(text));
      expect(instantOf(text).toISOString()).toMatch(/^(?:19[7-9]\d|[2-9]\d{3})-/);
    }),
    { numRuns: 2000 },
  );
});

it.each([
  ['2026-03-02t09:15:00z', '2026-03-02T09:15:00.000Z'],
  ['2026-03-02 09:15:00+01', '2026-03-02T08:15:00.000Z'],
  ['2026-03-02T09:15:00-0130', '2026-03-02T10:45:00.000Z'],
  ['2016-12-31T23:59:60Z', '2016-12-31T23:59:59.000Z'],
  ['0000-01-01T00:00:00Z', '1970-01-01T00:00:00.000Z'],
  ['9999-12-31T23:59:59-10:00', '9999-12-31T23:59:59.999Z'],
])('%s is %s', (text, instant) => {
  expect(isDateTime(text)).toBe(true);
  expect(instantOf(text).toISOString()).toBe(instant);
});

it.each([
  ['2026-02-28T00:00:00Z', true],
  ['2024-02-29', true],
  ['2026-02-30T00:00:00Z', false],
  ['2025-02-29', false],
  ['2026-04-31T10:00:00+02:00', false],
  ['2026-13-01', false],
  ['2026-00-10', false],
])('the day of %s is one of the calendar: %s', (text, isDay) => {
  expect(beginsWithDay(text)).toBe(isDay);
});
