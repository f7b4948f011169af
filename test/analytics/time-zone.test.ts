import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isTimeZone, timeZoneOf } from '../../src/analytics/time-zone.js';

/** What a calendar on the wall of a zone shows. */
function shownDay(timeZone: string, moment: number): string {
  const parts = { year: 'numeric', month: '2-digit', day: '2-digit' } as const;
  return new Intl.DateTimeFormat('sv-SE', { timeZone, ...parts }).format(moment);
}

const zones = [
  'UTC',
  'Europe/Berlin',
  'America/Los_Angeles',
  'Pacific/Auckland',
  'Pacific/Chatham',
  'Australia/Lord_Howe',
  'Asia/Kolkata',
  'America/Sao_Paulo',
  'Africa/Casablanca',
  'Pacific/Apia',
  'Pacific/Kiritimati',
  'Etc/GMT+12',
];

describe('the days of a time zone', () => {
  it.each(zones)('are those that a calendar in %s shows', (name) => {
    const { dayOf } = timeZoneOf(name);
    const moments = fc.integer({ min: Date.UTC(1970, 0), max: Date.UTC(2040, 0) });
    fc.assert(
      fc.property(moments, (moment) => {
        expect(dayOf(moment)).toBe(shownDay(name, moment));
      }),
      { numRuns: 2000 },
    );
  });

  it.each([
    ['Europe/Berlin', '2026-03-29', '2026-03-28T23:00:00Z', 23],
    ['Europe/Berlin', '2026-10-25', '2026-10-24T22:00:00Z', 25],
    ['America/Los_Angeles', '2026-03-08', '2026-03-08T08:00:00Z', 23],
    ['Pacific/Auckland', '2026-04-05', '2026-04-04T11:00:00Z', 25],
    ['Australia/Lord_Howe', '2026-04-05', '2026-04-04T13:00:00Z', 24.5],
    ['Asia/Kolkata', '2028-02-29', '2028-02-28T18:30:00Z', 24],
    // Clocks were moved at midnight: the day begins at 1 o'clock.
    ['America/Sao_Paulo', '2018-11-04', '2018-11-04T03:00:00Z', 23],
    // Samoa crossed the date line, and had no 30 December.
    ['Pacific/Apia', '2011-12-29', '2011-12-29T10:00:00Z', 24],
    ['Pacific/Apia', '2011-12-30', '2011-12-30T10:00:00Z', 0],
    ['Pacific/Apia', '2011-12-31', '2011-12-30T10:00:00Z', 24],
    ['UTC', '2026-03-29', '2026-03-29T00:00:00Z', 24],
  ])('begin and end with the clocks: %s, %s', (name, day, start, hours) => {
    const { startOf, dayOf } = timeZoneOf(name);
    const next = new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10);
    expect(new Date(startOf(day)).toISOString()).toBe(new Date(start).toISOString());
    expect((startOf(next) - startOf(day)) / 3_600_000).toBe(hours);
    if (hours === 0) return;
    expect([dayOf(startOf(day)), dayOf(startOf(next) - 1)]).toEqual([day, day]);
    expect(dayOf(startOf(day) - 1) < day).toBe(true);
  });

  it('follow each other without a gap over the years that can be stored', () => {
    const { startOf, dayOf } = timeZoneOf('America/New_York');
    for (let time = Date.parse('1900-01-01'); time < Date.parse('2299-12-31'); time += 40 * 86_400_000) {
      const day = new Date(time).toISOString().slice(0, 10);
      expect([dayOf(startOf(day)), dayOf(startOf(day) - 1) < day]).toEqual([day, true]);
    }
  });
});

describe('the names of time zones', () => {
  it.each(zones)('include %s', (name) => {
    expect(isTimeZone(name)).toBe(true);
  });

  it.each(['', 'Mars/Olympus', '+02:00', 'Europe/Berlin ', 'UTC+2', '../etc/passwd'])('do not include %j', (name) => {
    expect(isTimeZone(name)).toBe(false);
  });
});
