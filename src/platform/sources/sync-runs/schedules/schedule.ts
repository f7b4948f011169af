/** When sync configurations run by themselves. All times are in UTC, which has no daylight saving time. */
import { createHash } from 'node:crypto';
import { Cron } from 'croner';
import type { Violation } from '@plumbline/contract/violations';
import { after } from '../../../clock.js';

/** The fewest minutes between two runs. The contract names the number. */
const leastMinutes = 15;

interface Named {
  readonly cron: string;
  /** The seconds over which the runs of all configurations are spread. */
  readonly spread: number;
}

/** The schedules with names. */
const named: Readonly<Record<string, Named>> = {
  hourly: { cron: '0 * * * *', spread: 3600 },
  daily: { cron: '0 1 * * *', spread: 4 * 3600 },
};
/** A cron expression names its minute, so its runs are spread over little time. */
const spreadOfCron = 300;

/** The violation of a schedule that is invalid, too frequent or never due; none: it can be used. */
export function violationsOfSchedule(schedule: string | null): Violation[] {
  if (schedule === null || Object.hasOwn(named, schedule)) return [];
  const violation = (message: string): Violation[] => [{ path: '/body/schedule', rule: 'schedule', message }];
  let cron: Cron;
  try {
    cron = parse(schedule);
  } catch {
    return violation('must be hourly, daily, or a cron expression of five fields, such as 30 6 * * 1-5');
  }
  if (cron.nextRun(new Date(0)) === null) return violation('must be due at some time: there is no such day');
  if (gapOf(schedule) < leastMinutes) {
    return violation(`must have at least ${leastMinutes} minutes between its minutes, also across the full hour`);
  }
  return [];
}

/**
 * The first time after `now` at which a configuration is due. Configurations with the same schedule are due at different
 * times, each always with the same delay.
 *
 * @param schedule without violations
 * @param id the configuration
 */
export function nextRunAt(schedule: string, id: string, now: Date): Date {
  const { cron, spread } = named[schedule] ?? { cron: schedule, spread: spreadOfCron };
  const delay = createHash('sha256').update(id).digest().readUInt32BE() % spread;
  const next = parse(cron).nextRun(after(now, -delay));
  if (next === null) throw new Error(`The schedule ${schedule} has no next time`);
  return after(next, delay);
}

function parse(expression: string): Cron {
  return new Cron(expression, { timezone: 'UTC', mode: '5-part', paused: true });
}

/** The fewest minutes between two minutes of the first field, as if every hour matched. */
function gapOf(expression: string): number {
  const [minutes = '*'] = expression.split(' ');
  const times = parse(`${minutes} * * * *`).nextRuns(61, new Date(0));
  const gaps = times.slice(1).map((time, index) => time.getTime() - (times[index]?.getTime() ?? 0));
  return Math.min(...gaps) / 60_000;
}
