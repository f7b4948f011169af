/**
 * Since when and until when the work is known that figures are about, and the calendar that they follow if it is not the
 * usual one: charts, their tables, files and pictures say it.
 */
import { createContext, type ComponentChildren, type JSX } from 'preact';
import { useContext } from 'preact/hooks';
import { count } from '../ui/count.js';
import { useCalendar, weekDays } from '../analytics/calendar.js';
import { endsUnread, type Calendar, type DateRange, type KnownDays } from '../analytics/period.js';
import { dayOf } from './words.js';

export interface KnownHistory {
  /** Columns of a file: their names, and what each of their cells has, such as a day (YYYY-MM-DD). */
  readonly columns: readonly (readonly [string, string])[];
  /** For a line of a picture. */
  readonly short: string;
  readonly sentence: string;
}

const Context = createContext<KnownHistory | null>(null);

interface KnownHistoryProps {
  readonly days: KnownDays;
  /** The days that the figures were asked for. */
  readonly range: DateRange;
  readonly children: ComponentChildren;
}

/** Tells the charts in it what is known of their figures. */
export function WithKnownHistory({ days, range, children }: KnownHistoryProps): JSX.Element {
  const calendar = useCalendar();
  return <Context.Provider value={knownHistory(days, range, calendar)}>{children}</Context.Provider>;
}

/** Null: all work of the period is known, and the calendar is the usual one. */
export function useKnownHistory(): KnownHistory | null {
  return useContext(Context);
}

function knownHistory(days: KnownDays, range: DateRange, calendar: Calendar | undefined): KnownHistory | null {
  const parts = [
    knownBeginning(days, range),
    knownEnd(days, range),
    unusualWeeks(calendar),
    unusualDays(calendar),
  ].filter((part) => part !== null);
  if (parts.length === 0) return null;
  return {
    columns: parts.flatMap(({ columns }) => columns),
    short: parts.map(({ short }) => short).join(', '),
    sentence: parts.map(({ sentence }) => sentence).join(' '),
  };
}

function knownBeginning(
  { knownSince: since, historyLimits }: KnownDays,
  { startDate }: DateRange,
): KnownHistory | null {
  if (since == null || since <= startDate) return null;
  const columns = [['Known since', since]] as const;
  const day = dayOf(since);
  const limits = historyLimits.filter((limit) => limit.knownSince > startDate);
  const [latest] = limits;
  if (latest === undefined) return { columns, short: `Known since ${day}`, sentence: `Known since ${day}.` };
  const others = new Set(limits.map(({ repo }) => repo)).size - 1;
  const more = others === 0 ? '' : ` and of ${count(others, 'other repository', 'other repositories')}`;
  const types = new Set(limits.map(({ workType }) => workType));
  const work = types.size === 1 ? `${latest.workType.replaceAll('_', ' ')}s` : 'work';
  return {
    columns,
    short: `Known completely since ${day}`,
    sentence: `Not all work before ${day} is known: syncs read only the later ${work} of ${latest.repo}${more}.`,
  };
}

function knownEnd({ knownUntil: until }: KnownDays, range: DateRange): KnownHistory | null {
  if (until == null || !endsUnread(range, until)) return null;
  const short = `Known until ${dayOf(until)}`;
  return { columns: [['Known until', until]], short, sentence: `${short}, the day of the last sync.` };
}

function unusualWeeks(calendar: Calendar | undefined): KnownHistory | null {
  if (calendar === undefined || calendar.weekStartsOn === 'MONDAY') return null;
  const day = weekDays[calendar.weekStartsOn];
  return { columns: [['Weeks from', day]], short: `Weeks from ${day}`, sentence: `Weeks begin on ${day}.` };
}

function unusualDays(calendar: Calendar | undefined): KnownHistory | null {
  if (calendar === undefined || calendar.timeZone === 'UTC') return null;
  const { timeZone } = calendar;
  return {
    columns: [['Time zone', timeZone]],
    short: `Days of ${timeZone}`,
    sentence: `Days are those of ${timeZone}.`,
  };
}
