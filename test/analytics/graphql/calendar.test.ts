import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { countDays, isCalendarDate, isTooLong } from '../../../src/analytics/graphql/calendar.js';
import { bucketsOf, countBuckets } from '../../../src/analytics/planner/buckets.js';

/** A day by its distance from 1 January 2000, as a peer would count: with dates that are stepped one by one. */
const dateAfter = (days: number): string => {
  const date = new Date(Date.UTC(2000, 0, 1));
  date.setUTCDate(date.getUTCDate() + days);
  return date.toISOString().slice(0, 10);
};
const ranges = fc
  .tuple(fc.integer({ min: -20_000, max: 40_000 }), fc.integer({ min: 0, max: 800 }))
  .map(([start, length]) => ({ startDate: dateAfter(start), endDate: dateAfter(start + length), length }));

const each = (startDate: string, length: number): string[] =>
  Array.from({ length: length + 1 }, (_, index) => {
    const date = new Date(`${startDate}T12:00:00Z`);
    date.setUTCDate(date.getUTCDate() + index);
    return date.toISOString().slice(0, 10);
  });

/** The Monday of a day's week, found by walking back. */
const mondayOf = (day: string): string => {
  const date = new Date(`${day}T12:00:00Z`);
  while (date.getUTCDay() !== 1) date.setUTCDate(date.getUTCDate() - 1);
  return date.toISOString().slice(0, 10);
};

const quarterOf = (day: string): string => `${day.slice(0, 4)} ${Math.ceil(Number(day.slice(5, 7)) / 3)}`;

describe('A range of days', () => {
  test('has as many days as a listing of them, and as many buckets as they fall into', () => {
    fc.assert(
      fc.property(ranges, (range) => {
        const days = each(range.startDate, range.length);
        expect(countDays(range)).toBe(days.length);
        expect(countBuckets('DAY', range)).toBe(days.length);
        expect(countBuckets('WEEK', range)).toBe(new Set(days.map(mondayOf)).size);
        expect(countBuckets('MONTH', range)).toBe(new Set(days.map((day) => day.slice(0, 7))).size);
        expect(countBuckets('QUARTER', range)).toBe(new Set(days.map(quarterOf)).size);
        expect(countBuckets('YEAR', range)).toBe(new Set(days.map((day) => day.slice(0, 4))).size);
      }),
      { numRuns: 300 },
    );
  });

  test.each([
    ['the first', '0001-01-01', '0001-02-01'],
    ['the last', '9999-12-01', '9999-12-31'],
  ])('in %s year of the calendar has the buckets that are counted', (_name, startDate, endDate) => {
    for (const interval of ['DAY', 'WEEK', 'MONTH', 'QUARTER', 'YEAR'] as const) {
      const range = { startDate, endDate };
      expect(bucketsOf(interval, range).starts).toHaveLength(countBuckets(interval, range));
    }
  });

  test.each([
    ['one day', '2026-03-02', '2026-03-02', 1, 1, 1],
    ['the leap day', '2024-02-28', '2024-03-01', 3, 1, 2],
    ['no leap day in 2100', '2100-02-28', '2100-03-01', 2, 2, 2],
    ['a leap year', '2024-01-01', '2024-12-31', 366, 53, 12],
    ['the turn of a year within an ISO week', '2025-12-31', '2026-01-01', 2, 1, 2],
    ['Sunday and Monday', '2026-03-01', '2026-03-02', 2, 2, 1],
    ['Monday to Sunday', '2026-03-02', '2026-03-08', 7, 1, 1],
    ['the change to summer time in Europe', '2026-03-28', '2026-03-30', 3, 2, 1],
    ['the end of it', '2026-10-24', '2026-10-26', 3, 2, 1],
    ['the days around 1970', '1969-12-28', '1970-01-01', 5, 2, 2],
  ])('%s', (_name, startDate, endDate, days, weeks, months) => {
    const range = { startDate, endDate };
    expect([countDays(range), countBuckets('WEEK', range), countBuckets('MONTH', range)]).toEqual([
      days,
      weeks,
      months,
    ]);
  });

  test.each([
    ['a leap year', '2024-01-01', '2024-12-31', 365, false],
    ['a leap year where less than a year is allowed', '2024-01-01', '2024-12-31', 364, true],
    ['366 days across two years', '2024-01-02', '2025-01-01', 365, true],
    ['365 days across two years', '2024-01-02', '2024-12-31', 365, false],
    ['two years', '2024-01-01', '2025-12-31', 730, true],
    ['two years where their days are allowed', '2024-01-01', '2025-12-31', 731, false],
  ])('%s', (_name, startDate, endDate, maxDays, tooLong) => {
    expect(isTooLong({ startDate, endDate }, maxDays)).toBe(tooLong);
  });

  test('that ends before it starts has no day', () => {
    expect(countDays({ startDate: '2026-03-02', endDate: '2026-03-01' })).toBe(0);
  });
});

describe('A calendar date', () => {
  test('is any existing day that the stores can keep', () => {
    fc.assert(fc.property(fc.integer({ min: -36_524, max: 109_571 }), (day) => isCalendarDate(dateAfter(day))));
    expect(['1900-01-01', '2299-12-31'].map(isCalendarDate)).toEqual([true, true]);
  });

  test.each([
    '2026-02-29',
    '2100-02-29',
    '2026-02-30',
    '2026-04-31',
    '2026-13-01',
    '2026-00-10',
    '2026-01-00',
    '0000-01-01',
    '0001-01-01',
    '1899-12-31',
    '2300-01-01',
    '9999-12-31',
    '+010000-01-01',
    '2026-1-01',
    '26-01-01',
    '20260101',
    '2026-01-01T00:00:00Z',
    '2026-01-01 ',
    '+002026-01-01',
    'today',
    '',
  ])('cannot be %j', (text) => {
    expect(isCalendarDate(text)).toBe(false);
  });
});
