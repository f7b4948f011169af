/**
 * Flows from level to level. Nodes beyond the limits are merged into one node `other` per level. A merged node takes all
 * its edges along, on both sides, so that inflow and outflow of a node stay equal.
 */
import type { SankeyRequest, SankeyResult } from '../analytics.js';
import type { Dimension } from '../vocabulary.js';
import { wholeNumber, type Row, type Rows } from './result-rows.js';
import { shareOfLimits } from './plan.js';
import type { FlowQuery } from './statements.js';
import { add, byBytes, byValue, isMean, NOTHING, valueOf, type Sums } from './values.js';

const OTHER = 'other';

export function answerSankey(request: SankeyRequest, flows: readonly FlowQuery[], rows: Rows): SankeyResult {
  const { path, measure } = request;
  const limits = shareOfLimits(path.length, request);
  const steps = flows.map((query) => stepOf(query, rows.get(query) ?? []));
  const source = flows[0]?.slice.source ?? 'units';
  const value = (sums: Sums): number => valueOf(source, measure, sums) ?? 0;

  const levels = path.map((_dimension, level) => levelOf(steps, level, limits.nodes, value));
  fitEdges(steps, levels, limits.edges);

  const edges = steps.flatMap((step, index) => {
    const [from, to] = [levels[index], levels[index + 1]];
    const [source, target] = [path[index], path[index + 1]];
    if (from === undefined || to === undefined || source === undefined || target === undefined) return [];
    return folded(step, from, to)
      .map(({ from: one, to: other, sums }) => ({
        source: nodeId(source, one),
        target: nodeId(target, other),
        value: value(sums),
      }))
      .toSorted(
        (one, other) =>
          other.value - one.value || byBytes(one.source, other.source) || byBytes(one.target, other.target),
      );
  });
  return {
    nodes: path.flatMap((dimension, index) => nodesOf(dimension, levels[index], value)),
    edges,
    coverage: coverageOf(flows[0], rows),
  };
}

/** The flow between two levels. Null labels are values that the engine has already merged. */
interface Step {
  readonly edges: readonly { readonly from: string | null; readonly to: string | null; readonly sums: Sums }[];
}

interface Level {
  readonly totals: ReadonlyMap<string | null, Sums>;
  /** The labels with a separate node, largest first. */
  readonly kept: string[];
}

function stepOf(query: FlowQuery, rows: readonly Row[]): Step {
  const mean = isMean(query.measure);
  const edges = rows.map(([from, to, sum, divisor]) => ({
    from: label(from),
    to: label(to),
    sums: { sum: wholeNumber(sum), divisor: mean ? wholeNumber(divisor) : 0n },
  }));
  // An empty mean is not a flow.
  return { edges: mean ? edges.filter(({ sums }) => sums.divisor !== 0n) : edges };
}

function label(stored: unknown): string | null {
  return typeof stored === 'string' ? stored : null;
}

/** The first level is the start of the first step, all others the end of the step before. */
function levelOf(steps: readonly Step[], level: number, limit: number, value: (sums: Sums) => number): Level {
  const totals = new Map<string | null, Sums>();
  const step = steps[Math.max(0, level - 1)];
  for (const { from, to, sums } of step?.edges ?? []) {
    const name = level === 0 ? from : to;
    totals.set(name, add(totals.get(name) ?? NOTHING, sums));
  }
  const ranked = [...totals]
    .flatMap(([name, sums]) => (name === null ? [] : [{ name, value: value(sums) }]))
    .toSorted(byValue)
    .map(({ name }) => name);
  const all = !totals.has(null) && ranked.length <= limit;
  return { totals, kept: all ? ranked : ranked.slice(0, limit - 1) };
}

/** Merges the smallest node of the larger level, until each step has few enough edges. */
function fitEdges(steps: readonly Step[], levels: readonly Level[], limit: number): void {
  for (;;) {
    const at = steps.findIndex((step, index) => {
      const [from, to] = [levels[index], levels[index + 1]];
      return from !== undefined && to !== undefined && folded(step, from, to).length > limit;
    });
    const [from, to] = [levels[at], levels[at + 1]];
    if (at === -1 || from === undefined || to === undefined) return;
    const larger = from.kept.length > to.kept.length ? from : to;
    // Replacing a single node by `other` would merge nothing, so merge the next one, too.
    const first = larger.kept.length === larger.totals.size;
    larger.kept.pop();
    if (first) larger.kept.pop();
  }
}

interface Edge {
  readonly from: string;
  readonly to: string;
  readonly sums: Sums;
}

function folded(step: Step, from: Level, to: Level): readonly Edge[] {
  const [keptFrom, keptTo] = [new Set<string | null>(from.kept), new Set<string | null>(to.kept)];
  const edges = new Map<string, Edge>();
  for (const each of step.edges) {
    const one = each.from !== null && keptFrom.has(each.from) ? each.from : OTHER;
    const other = each.to !== null && keptTo.has(each.to) ? each.to : OTHER;
    const key = JSON.stringify([one, other]);
    edges.set(key, { from: one, to: other, sums: add(edges.get(key)?.sums ?? NOTHING, each.sums) });
  }
  return [...edges.values()];
}

/** Largest first, then the rest. A value named `other` is part of the rest, if there is one. */
function nodesOf(dimension: Dimension, level: Level | undefined, value: (sums: Sums) => number): SankeyResult['nodes'] {
  const sums = new Map<string, Sums>();
  const kept = new Set<string | null>(level?.kept);
  for (const name of level?.kept ?? []) sums.set(name, NOTHING);
  for (const [name, total] of level?.totals ?? []) {
    const shown = name !== null && kept.has(name) ? name : OTHER;
    sums.set(shown, add(sums.get(shown) ?? NOTHING, total));
  }
  return [...sums].map(([name, total]) => ({
    id: nodeId(dimension, name),
    label: name,
    dimension,
    value: value(total),
  }));
}

function nodeId(dimension: Dimension, name: string): string {
  return `${dimension}:${name}`;
}

function coverageOf(query: FlowQuery | undefined, rows: Rows): SankeyResult['coverage'] {
  if (query === undefined) return null;
  const at = isMean(query.measure) ? 4 : 3;
  const sumOf = (column: number): number =>
    Number((rows.get(query) ?? []).reduce((sum, row) => sum + wholeNumber(row[at + column]), 0n));
  const units = sumOf(0);
  if (units === 0) return null;
  return {
    teamCoverage: sumOf(1) / units,
    repoCoverage: sumOf(2) / units,
    themeCoverage: sumOf(3) / units,
    churnCoverage: sumOf(4) / units,
  };
}
