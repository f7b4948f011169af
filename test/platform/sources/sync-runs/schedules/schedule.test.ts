import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nextRunAt, violationsOfSchedule } from '../../../../../src/platform/sources/sync-runs/schedules/schedule.js';

const id = '6c1f0f0e-8f0e-4a56-9f8b-0d8f2f9f3a10';
const now = new Date('2026-03-28T23:30:00.000Z');
const minuteMs = 60_000;

/** A field of a cron expression, and the values that it matches. */
interface Field {
  readonly text: string;
  readonly values: ReadonlySet<number>;
}

function fields(first: number, last: number): fc.Arbitrary<Field> {
  const all = Array.from({ length: last - first + 1 }, (_, index) => first + index);
  const value = fc.integer({ min: first, max: last });
  const part = fc.oneof(
    value.map((each): Field => ({ text: String(each), values: new Set([each]) })),
    fc.tuple(value, value, fc.integer({ min: 1, max: 5 })).map(([one, two, step]): Field => {
      const [from, to] = one < two ? [one, two] : [two, one];
      const inRange = all.filter((each) => each >= from && each <= to && (each - from) % step === 0);
      return { text: `${from}-${to}${step === 1 ? '' : `/${step}`}`, values: new Set(inRange) };
    }),
    fc.integer({ min: 2, max: Math.min(20, last - first) }).map((step): Field => {
      return { text: `*/${step}`, values: new Set(all.filter((each) => (each - first) % step === 0)) };
    }),
  );
  return fc.oneof(
    fc.constant<Field>({ text: '*', values: new Set(all) }),
    fc.array(part, { minLength: 1, maxLength: 3 }).map((parts): Field => {
      const values = new Set(parts.flatMap((each) => [...each.values]));
      return { text: parts.map((each) => each.text).join(), values };
    }),
  );
}

/** The first minute after `from` that the fields match, found day by day and minute by minute. */
function nextByCounting([minutes, hours, days, months, weekdays]: readonly Field[], from: Date): number | null {
  const dayMs = 86_400_000;
  const midnight = Math.floor(from.getTime() / dayMs) * dayMs;
  for (let day = 0; day < 366 * 9; day += 1) {
    const date = new Date(midnight + day * dayMs);
    const isWeekday =
      weekdays?.values.has(date.getUTCDay()) === true || (date.getUTCDay() === 0 && weekdays?.values.has(7));
    const isDay = days?.values.has(date.getUTCDate()) === true;
    const either = days?.text !== '*' && weekdays?.text !== '*' ? isDay || isWeekday : isDay && isWeekday;
    if (months?.values.has(date.getUTCMonth() + 1) !== true || either !== true) continue;
    for (let minute = 0; minute < 1440; minute += 1) {
      const time = date.getTime() + minute * minuteMs;
      const matches = hours?.values.has(Math.floor(minute / 60)) === true && minutes?.values.has(minute % 60) === true;
      if (matches && time > from.getTime()) return time;
    }
  }
  return null;
}

describe('the next run of a cron expression', () => {
  it('is that of an independent computation, in UTC, with the delay of the configuration', () => {
    const expression = fc.tuple(fields(0, 59), fields(0, 23), fields(1, 31), fields(1, 12), fields(0, 7));
    const time = fc.date({ min: new Date('2024-01-01'), max: new Date('2030-01-01'), noInvalidDate: true });
    const delay = nextRunAt('0 0 * * *', id, now).getTime() - Date.parse('2026-03-29');
    expect(delay).toBeGreaterThanOrEqual(0);
    expect(delay).toBeLessThan(5 * minuteMs);
    fc.assert(
      fc.property(expression, time, (parts, from) => {
        const next = nextByCounting(parts, new Date(from.getTime() - delay));
        fc.pre(next !== null);
        const found = nextRunAt(parts.map(({ text }) => text).join(' '), id, from);
        expect(found.toISOString()).toBe(new Date(next + delay).toISOString());
      }),
      { numRuns: 300 },
    );
  });

  it.each([
    ['the night in which clocks of Europe go forward', '30 2 * * *', '2026-03-28T23:30:00.000Z', '2026-03-29T02:30'],
    ['the night in which clocks of Europe go back', '30 2 * * *', '2026-10-24T23:30:00.000Z', '2026-10-25T02:30'],
    ['the end of a leap February', '0 0 29 2 *', '2026-03-01T00:00:00.000Z', '2028-02-29T00:00'],
  ])('is found across %s', (_what, schedule, from, minute) => {
    const next = nextRunAt(schedule, id, new Date(from));
    expect(Math.floor((next.getTime() - Date.parse(`${minute}:00.000Z`)) / (5 * minuteMs))).toBe(0);
  });
});

describe('the runs of many configurations', () => {
  it.each([
    ['hourly', 60, 30],
    ['daily', 240, 120],
    ['0 6 * * *', 5, 4],
  ])('at %s are spread over %i minutes, and each stays at its time', (schedule, spread, least) => {
    const times = Array.from({ length: 1000 }, (_, number) => {
      const first = nextRunAt(schedule, `configuration ${number}`, now);
      const second = nextRunAt(schedule, `configuration ${number}`, first);
      const period = schedule === 'hourly' ? 3_600_000 : 86_400_000;
      expect(second.getTime() - first.getTime()).toBe(period);
      return (first.getTime() / minuteMs) % (schedule === 'hourly' ? 60 : 1440);
    });
    const minutes = new Set(times.map((time) => Math.floor(time)));
    expect(minutes.size).toBeGreaterThanOrEqual(least);
    expect(Math.max(...minutes) - Math.min(...minutes)).toBeLessThan(spread);
  });
});

describe('a schedule', () => {
  it.each([
    'hourly',
    'daily',
    '*/15 * * * *',
    '0,15,30,45 * * * *',
    '5 4 * * sun',
    '0 0 1 JAN-MAR *',
    '0 0 29 2 *',
    null,
  ])('%s can be used', (schedule) => {
    expect(violationsOfSchedule(schedule)).toEqual([]);
  });

  it.each([
    ['* * * * *', 'at least 15 minutes'],
    ['*/10 * * * *', 'at least 15 minutes'],
    ['0,50 3 * * *', 'at least 15 minutes'],
    ['0 0 30 2 *', 'no such day'],
    ['0 0 31 4,6,9,11 *', 'no such day'],
    ['60 * * * *', 'five fields'],
    ['0 24 * * *', 'five fields'],
    ['10-5 * * * *', 'five fields'],
    ['*/0 * * * *', 'five fields'],
    ['0 0 * xyz *', 'five fields'],
    [', * * * *', 'five fields'],
    ['@reboot', 'five fields'],
  ])('%s is refused: %s', (schedule, reason) => {
    expect(violationsOfSchedule(schedule)).toEqual([
      { path: '/body/schedule', rule: 'schedule', message: expect.stringContaining(reason) },
    ]);
  });
});
