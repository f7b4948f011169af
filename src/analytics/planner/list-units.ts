/** Reads one page of work units: the page, the total number and the shares of its units, in one snapshot. */
import { MOST_COUNTED, type Filters, type ListedUnit, type UnitsPage, type UnitsRequest } from '../analytics.js';
import { partRow, unitOf } from '../store/rows.js';
import type { Part } from '../store/shares.js';
import { wholeNumber, type Row } from './result-rows.js';
import type { QueryEngine } from './engine.js';
import type { Slice } from './slices.js';
import { compile, type UnitSharesQuery, type UnitsQuery } from './statements.js';

/** Reads a page. Throws like the engine. */
export async function listUnits(
  engine: QueryEngine,
  orgId: string,
  request: UnitsRequest,
  signal: AbortSignal,
): Promise<UnitsPage> {
  const { first, dateRange, scope, completedOnly, order, descending, after } = request;
  const { whole, shares } = splitFilters(request);
  const slice: Slice = { orgId, source: 'units', dateRange, scope, filters: whole };
  const limit = first + 1;
  const query: UnitsQuery = { kind: 'units', slice, shares, completedOnly, order, descending, after, limit };
  const count: UnitsQuery = { ...query, kind: 'unit-count', after: null, limit: MOST_COUNTED };
  const pageOf = (found: readonly Row[]): readonly Row[] => found.slice(0, first);
  const [rows = [], counted = [], shared = []] = await engine.run(
    [compile(engine.dialect, query), compile(engine.dialect, count)],
    signal,
    ([found = []]) => sharesOf(orgId, pageOf(found)).map((each) => compile(engine.dialect, each)),
  );
  const page = pageOf(rows);
  const parts = partsOf(shared);
  const units = page.map((row) => unitOfRow(row, parts.get(String(row[0])) ?? []));
  const last = units.at(-1);
  return {
    units,
    next: rows.length > first && last !== undefined ? { key: keyOf(last, request), id: last.id } : null,
    total: Number(wholeNumber(counted[0]?.[0])),
  };
}

/** The shares of a unit differ only in theme and subcategory. */
function splitFilters({ filters, useInvestment }: UnitsRequest): { readonly whole: Filters; readonly shares: Filters } {
  if (!useInvestment) return { whole: filters, shares: {} };
  const { THEME = [], SUBCATEGORY = [], ...whole } = filters;
  return { whole, shares: { THEME, SUBCATEGORY } };
}

/** The query of the shares of a page's units; none for an empty page. */
function sharesOf(orgId: string, page: readonly Row[]): readonly UnitSharesQuery[] {
  const days = page.map((row) => String(row[9])).sort();
  const [startDate, endDate] = [days[0], days.at(-1)];
  if (startDate === undefined || endDate === undefined) return [];
  const slice: Slice = {
    orgId,
    source: 'shares',
    dateRange: { startDate, endDate },
    scope: { level: 'ORG', ids: [] },
    filters: {},
  };
  return [{ kind: 'unit-shares', slice, ids: page.map(([id]) => String(id)) }];
}

function partsOf(rows: readonly Row[]): ReadonlyMap<string, readonly Part[]> {
  const parts = new Map<string, Part[]>();
  for (const [id, subcategory, weight] of rows) {
    const key = String(id);
    const all = parts.get(key) ?? [];
    parts.set(key, all);
    all.push(partRow(subcategory, wholeNumber(weight)));
  }
  for (const all of parts.values()) all.sort((a, b) => b.weight - a.weight || (a.subcategory < b.subcategory ? -1 : 1));
  return parts;
}

/** @param row the columns of a `units` statement */
function unitOfRow(row: Row, parts: readonly Part[]): ListedUnit {
  const [id, work_type, repo, team, author, theme, subcategory, started, completed, day, churn, cycle, ...rest] = row;
  const [assistant, co_authors, epic, initiative] = rest;
  const unit = unitOf(
    {
      ...{ id, work_type, repo, team, author, theme, subcategory, day, assistant, co_authors, epic, initiative },
      churn: churn === null ? null : wholeNumber(churn),
      started_at: momentOf(started),
      completed_at: completed === null ? null : momentOf(completed),
    },
    parts,
  );
  return {
    ...unit,
    cycleMs: cycle === null ? null : Number(wholeNumber(cycle)),
  };
}

/** Epoch milliseconds, or the stored text of the timestamp. */
function momentOf(value: unknown): string {
  const text = String(value);
  return /^-?\d+$/.test(text) ? new Date(Number(text)).toISOString() : text;
}

function keyOf(unit: ListedUnit, { order }: UnitsRequest): string | number {
  if (order === 'DAY') return unit.day;
  return (order === 'CHURN_LOC' ? unit.churnLoc : unit.cycleMs) ?? -1;
}
