import { developmentOf, mostLines, type Development } from '../analytics/development.js';
import type { Bar } from '../charts/bars.js';
import type { FlowNode } from '../charts/flow.js';
import type { ChartTable } from '../charts/table.js';
import { wordsOf } from '../charts/words.js';
import type { Overview } from './analytics.js';

/** The parts of the reply, by what they are: `graphql/persisted/overview.graphql` has them in this order. */
export interface Figures {
  readonly units: readonly Bar[];
  readonly unitsBefore: readonly Bar[];
  readonly churn: readonly Bar[];
  readonly cycleTime: readonly Bar[];
  readonly themes: readonly Bar[];
  readonly subcategories: readonly Bar[];
  readonly byTheme: Development;
  readonly byTeam: Development;
  readonly cycleTimes: Development;
  readonly flow: NonNullable<Overview['sankey']> | null;
  /** The first day of which work is known; null: there is none. */
  readonly knownSince: string | null;
  /** The day of the last sync; null: no sync has said it. */
  readonly knownUntil: string | null;
}

/** Where the breakdowns of the charts are in the reply. */
export const places = { themes: 4, subcategories: 5 } as const;

/** @param dates the buckets of the period */
export function figuresOf(
  { breakdowns, timeseries, sankey, knownSince, knownUntil }: Overview,
  dates: readonly string[],
): Figures {
  const bars = (at: number): readonly Bar[] => breakdowns[at]?.items ?? [];
  const lines = (dimension: string): Development =>
    developmentOf(timeseries.filter((each) => each.dimension === dimension).slice(0, mostLines), dates);
  return {
    units: bars(0),
    unitsBefore: bars(1),
    churn: bars(2),
    cycleTime: bars(3),
    themes: bars(places.themes),
    subcategories: bars(places.subcategories),
    byTheme: lines('THEME'),
    byTeam: byName(lines('TEAM')),
    cycleTimes: lines('WORK_TYPE'),
    flow: sankey ?? null,
    knownSince: knownSince ?? null,
    knownUntil: knownUntil ?? null,
  };
}

/** The lines in alphabetical order: teams are not ranked. */
function byName(development: Development): Development {
  return { ...development, series: development.series.toSorted((one, other) => one.key.localeCompare(other.key)) };
}

/** A row per edge. */
export function tableOfFlow(
  { nodes, edges }: NonNullable<Figures['flow']>,
  hrefOf: (nodes: readonly FlowNode[]) => string | undefined,
): ChartTable {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const ends = edges.map(({ source, target }) => [source, target].flatMap((id) => byId.get(id) ?? []));
  return {
    columns: ['From', 'To', 'Work units'],
    rows: edges.map(({ source, target, value }, at) => {
      const [from = source, to = target] = (ends[at] ?? []).map(({ dimension, label }) => wordsOf(dimension, label));
      return [from, to, value];
    }),
    hrefOf: (row) => hrefOf(ends[row] ?? []),
  };
}
