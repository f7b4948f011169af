/** Since when the work is known that figures are about: charts, their tables, files and pictures say it. */
import { createContext, type ComponentChildren, type JSX } from 'preact';
import { useContext } from 'preact/hooks';
import { count } from '../ui/count.js';
import { dayOf } from './words.js';

/** A part of each answer of the analytics. */
export interface KnownDays {
  readonly knownSince?: string | null;
  readonly historyLimits: readonly { readonly repo: string; readonly workType: string; readonly knownSince: string }[];
}

export interface KnownHistory {
  /** YYYY-MM-DD. */
  readonly since: string;
  /** For a line of a picture. */
  readonly short: string;
  readonly sentence: string;
}

const Context = createContext<KnownHistory | null>(null);

interface KnownHistoryProps {
  readonly days: KnownDays;
  /** The days that the figures were asked for. */
  readonly range: { readonly startDate: string };
  readonly children: ComponentChildren;
}

/** Tells the charts in it what is known of their figures. */
export function WithKnownHistory({ days, range, children }: KnownHistoryProps): JSX.Element {
  return <Context.Provider value={knownHistory(days, range.startDate)}>{children}</Context.Provider>;
}

/** Null: all work of the period is known. */
export function useKnownHistory(): KnownHistory | null {
  return useContext(Context);
}

function knownHistory({ knownSince: since, historyLimits }: KnownDays, startDate: string): KnownHistory | null {
  if (since == null || since <= startDate) return null;
  const day = dayOf(since);
  const limits = historyLimits.filter((limit) => limit.knownSince > startDate);
  const [latest] = limits;
  if (latest === undefined) return { since, short: `Known since ${day}`, sentence: `Known since ${day}.` };
  const others = new Set(limits.map(({ repo }) => repo)).size - 1;
  const more = others === 0 ? '' : ` and of ${count(others, 'other repository', 'other repositories')}`;
  const types = new Set(limits.map(({ workType }) => workType));
  const work = types.size === 1 ? `${latest.workType.replaceAll('_', ' ')}s` : 'work';
  return {
    since,
    short: `Known completely since ${day}`,
    sentence: `Not all work before ${day} is known: syncs read only the later ${work} of ${latest.repo}${more}.`,
  };
}
