/** Where the figures of a page come from: pictures and files say it, because there is no page around them. */
import { createContext, type ComponentChildren, type JSX } from 'preact';
import { useContext } from 'preact/hooks';
import { useFreshness } from '../analytics/freshness.js';
import type { DateRange } from '../analytics/period.js';
import { dimensionNames, dimensions, type Picks } from '../analytics/picks.js';
import { useMe } from '../session/queries.js';
import { momentOf } from '../ui/moment.js';
import { dayOf, wordsOf } from './words.js';

export interface Origin {
  /** Lines of a picture: the organization and what its work was picked by, then the days, and up to when all was read. */
  readonly lines: readonly string[];
  /** When the syncs began that have read everything so far, as an instant; null: it is not known. */
  readonly asOf: string | null;
  /** A part of file names: the first and the last day. */
  readonly days: string;
}

const Context = createContext<Origin | null>(null);

interface OriginProps {
  /** The days that the figures were asked for. */
  readonly range: DateRange;
  /** What the work was picked by. */
  readonly picks: Picks;
  readonly children: ComponentChildren;
}

/** Names the origin of the charts in it. */
export function WithOrigin({ range, picks, children }: OriginProps): JSX.Element {
  const me = useMe().data;
  const asOf = useFreshness(me?.org_id ?? '').data?.current_at ?? null;
  const picked = dimensionNames.flatMap((dimension) =>
    (picks[dimension] ?? []).map((value) => `${dimensions[dimension].label}: ${wordsOf(dimension, value)}`),
  );
  const days = `${dayOf(range.startDate)} – ${dayOf(range.endDate)}`;
  const origin = {
    lines: [
      [me?.org_name ?? '', ...picked].filter((part) => part !== '').join(' · '),
      asOf === null ? days : `${days}, as of ${momentOf(asOf)}`,
    ].filter((line) => line !== ''),
    asOf,
    days: `${range.startDate}-to-${range.endDate}`,
  };
  return <Context.Provider value={origin}>{children}</Context.Provider>;
}

/** Null: the page names none. */
export function useOrigin(): Origin | null {
  return useContext(Context);
}
