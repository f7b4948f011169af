/**
 * What the analytics have to answer, computed plainly over a list of units in memory. It shares no code with the
 * planner: each figure is written down as the README of src/analytics says it.
 */
import type {
  AnalyticsBatch,
  AnalyticsResult,
  CatalogValue,
  DateRange,
  DoraBand,
  DoraBands,
  DoraDuration,
  DoraKeys,
  DoraRequest,
  DoraResult,
  Filters,
  ReviewLoad,
  ReviewsRequest,
  ReviewsResult,
  SankeyRequest,
  SankeyResult,
  Scope,
  Statistics,
  UnitsRequest,
  WorkInProgress,
  WorkInProgressRequest,
  WorkInProgressResult,
} from '../../../src/analytics/analytics.js';
import {
  DIMENSIONS,
  type Baseline,
  type Dimension,
  type DistributionMeasure,
  type Interval,
  type Measure,
} from '../../../src/analytics/vocabulary.js';
import type { Openness, Phases, Reviewer, WorkUnit } from '../../../src/analytics/work-unit.js';

export interface OwnedUnit extends WorkUnit {
  readonly orgId: string;
}

/** A unit, or with investment a part of it: its share in millionths. */
interface Piece {
  readonly values: Readonly<Record<Dimension, string>>;
  readonly coAuthors: readonly string[];
  readonly day: string;
  readonly millionths: number;
  /** Unknown lines are null. */
  readonly churn: number | null;
  readonly milliseconds: number | null;
  readonly phases: Phases;
  readonly changeFailed: boolean | undefined;
  readonly openness: Openness | undefined;
  readonly reviewers: readonly Reviewer[] | undefined;
  readonly isPart: boolean;
}

export function referenceRun(units: readonly OwnedUnit[], orgId: string, batch: AnalyticsBatch): AnalyticsResult {
  const own = units.filter((unit) => unit.orgId === orgId);
  const all = own.flatMap((unit) => (batch.useInvestment ? partsOf(unit) : [wholeOf(unit)]));
  const pieces = all.filter((piece) => isSelected(piece, batch));
  const wholeUnits = own.map(wholeOf);
  const selectedUnits = wholeUnits.filter((piece) => isSelected(piece, batch));
  const organization = (each: Piece): boolean => {
    const { TEAM: _, REPO: __, AUTHOR: ___, ...kinds } = batch.filters ?? {};
    return matches(each.values, kinds);
  };
  /** The pieces that a request is compared with. */
  const baselineOf = (
    everything: readonly Piece[],
    selected: readonly Piece[],
    { compareWith, dateRange }: { readonly compareWith?: Baseline | null; readonly dateRange: DateRange },
  ): readonly Piece[] | null => {
    if (compareWith == null) return null;
    if (compareWith === 'ORGANIZATION') return within(everything.filter(organization), dateRange);
    return within(selected, before(dateRange));
  };
  return {
    timeseries: batch.timeseries.flatMap(({ dimension, measure, interval, dateRange }) => {
      const inside = within(pieces, dateRange);
      return ranked(inside, dimension, measure)
        .slice(0, 50)
        .map(({ name }) => ({
          dimension,
          dimensionValue: name,
          measure,
          interval,
          dateRange,
          buckets: bucketStarts(interval, dateRange, batch.weekStartsOn).flatMap((date) => {
            const own = inside.filter(
              (piece) =>
                piece.values[dimension] === name && bucketStart(interval, piece.day, batch.weekStartsOn) === date,
            );
            const value = figure(own, measure);
            return value === null ? [] : [{ date, value }];
          }),
        }));
    }),
    breakdowns: batch.breakdowns.map((request) => {
      const { dimension, measure, dateRange, topN } = request;
      const baseline = baselineOf(all, pieces, request);
      return {
        dimension,
        measure,
        items: ranked(within(pieces, dateRange), dimension, measure)
          .slice(0, topN)
          .map(({ name, value }) => ({
            key: name,
            value,
            baseline: baseline === null ? null : figure(of(baseline, dimension, name), measure),
          })),
      };
    }),
    distributions: (batch.distributions ?? []).map((request) => {
      const { dimension, measure, dateRange, topN, interval } = request;
      const baseline = baselineOf(wholeUnits, selectedUnits, request) ?? [];
      const inside = within(selectedUnits, dateRange);
      const names = [...new Set(inside.map(({ values }) => values[dimension]))];
      const items = names.flatMap((key) => {
        const itsUnits = of(inside, dimension, key);
        const statistics = statisticsOf(itsUnits, measure);
        const coverage = coverageOf(itsUnits, measure);
        if (statistics === null || coverage === null) return [];
        const dates = interval === null ? [] : bucketStarts(interval, dateRange, batch.weekStartsOn);
        const buckets = dates.flatMap((date) => {
          const inBucket = itsUnits.filter(
            ({ day }) => interval !== null && bucketStart(interval, day, batch.weekStartsOn) === date,
          );
          const bucket = statisticsOf(inBucket, measure);
          return bucket === null ? [] : [{ date, statistics: bucket }];
        });
        return [{ key, statistics, coverage, buckets, baseline: statisticsOf(of(baseline, dimension, key), measure) }];
      });
      items.sort((a, b) => b.statistics.count - a.statistics.count || bytes(a.key, b.key));
      return { dimension, measure, coverage: coverageOf(inside, measure), items: items.slice(0, topN) };
    }),
    dora: batch.dora == null ? null : dora(selectedUnits, batch.dora, batch.weekStartsOn),
    workInProgress: batch.workInProgress == null ? null : workInProgress(selectedUnits, batch.workInProgress, batch),
    reviews: batch.reviews == null ? null : reviews(selectedUnits, batch.reviews),
    sankey: batch.sankey === null ? null : sankey(within(pieces, batch.sankey.dateRange), batch.sankey),
  };
}

function isSelected(piece: Piece, { scope, filters = {} }: AnalyticsBatch): boolean {
  return isInScope(piece, scope) && matches(piece.values, filters);
}

/** Work belongs to its author and to those who wrote it with them. */
function isInScope({ values, coAuthors }: Piece, { level, ids }: Scope): boolean {
  if (level === 'ORG' || ids.length === 0) return true;
  const all = level === 'AUTHOR' ? [values.AUTHOR, ...coAuthors] : [values[level]];
  return all.some((each) => ids.includes(each));
}

function of(pieces: readonly Piece[], dimension: Dimension, value: string): readonly Piece[] {
  return pieces.filter(({ values }) => values[dimension] === value);
}

/** As many days, directly before. */
function before({ startDate, endDate }: DateRange): DateRange {
  const days = (Date.parse(endDate) - Date.parse(startDate)) / 86_400_000 + 1;
  const moved = (day: string): string => {
    const date = new Date(day);
    date.setUTCDate(date.getUTCDate() - days);
    return date.toISOString().slice(0, 10);
  };
  return { startDate: moved(startDate), endDate: moved(endDate) };
}

function statisticsOf(pieces: readonly Piece[], measure: DistributionMeasure): Statistics | null {
  return statistics(valuesOf(pieces, measure), measure === 'CHURN_LOC' ? 1 : 3_600_000);
}

/** The definition of a percentile, word for word: the smallest value that so many do not exceed. */
function statistics(values: readonly (number | null)[], scale: number): Statistics | null {
  const known = values.filter((value) => value !== null).sort((a, b) => a - b);
  if (known.length === 0) return null;
  const percentile = (percent: number): number =>
    (known.find((_value, index) => (index + 1) * 100 >= percent * known.length) ?? 0) / scale;
  const sum = Number(known.reduce((all, value) => all + BigInt(value), 0n));
  return {
    count: known.length,
    mean: sum / known.length / scale,
    median: percentile(50),
    p75: percentile(75),
    p90: percentile(90),
  };
}

/** The values of the units that a measure is about: phases are about merged requests. */
function valuesOf(pieces: readonly Piece[], measure: DistributionMeasure): readonly (number | null)[] {
  if (measure === 'CHURN_LOC') return pieces.map(({ churn }) => churn);
  if (measure === 'CYCLE_TIME_HOURS')
    return pieces.map(({ milliseconds }) => (milliseconds === 0 ? null : milliseconds));
  const [name = ''] = measure.toLowerCase().split('_');
  const merged = pieces.filter(
    ({ values, milliseconds }) => values.WORK_TYPE === 'pull_request' && milliseconds !== null,
  );
  return merged.map(({ phases }) => Object.entries(phases).find(([phase]) => phase === name)?.[1] ?? null);
}

function coverageOf(pieces: readonly Piece[], measure: DistributionMeasure): number | null {
  const values = valuesOf(pieces, measure);
  return values.length === 0 ? null : values.filter((value) => value !== null).length / values.length;
}

/** The four keys, one after the other, from the units that each is about. */
function dora(
  selected: readonly Piece[],
  { dimension, dateRange, topN, interval }: DoraRequest,
  weekStartsOn: AnalyticsBatch['weekStartsOn'],
): DoraResult {
  const inside = within(selected, dateRange);
  const keysOf = (pieces: readonly Piece[], days: number): DoraKeys => {
    const deployments = pieces.filter(({ changeFailed }) => changeFailed !== undefined);
    const failed = deployments.filter(({ changeFailed }) => changeFailed === true).length;
    const incidents = pieces.filter(({ values }) => values.WORK_TYPE === 'incident');
    const keys = {
      deploymentFrequency: { deployments: deployments.length, perDay: deployments.length / days },
      leadTime: duration(pieces, 'LEAD_TIME_HOURS'),
      changeFailureRate: { failed, rate: deployments.length === 0 ? null : failed / deployments.length },
      timeToRestore: duration(incidents, 'CYCLE_TIME_HOURS'),
    };
    return { ...keys, bands: bandsOf(keys, days) };
  };
  const all = daysOf(dateRange);
  const count = (pieces: readonly Piece[]): number => keysOf(pieces, 1).deploymentFrequency.deployments;
  const items = [...grouped(inside, ({ values }) => values[dimension])]
    .filter(([, pieces]) => count(pieces) > 0)
    .sort(([a, one], [b, other]) => count(other) - count(one) || bytes(a, b))
    .slice(0, topN);
  return {
    dimension,
    total: keysOf(inside, all.length),
    items: items.map(([key, pieces]) => ({ key, keys: keysOf(pieces, all.length) })),
    buckets: (interval === null ? [] : bucketStarts(interval, dateRange, weekStartsOn)).map((date) => {
      const isInBucket = (day: string): boolean =>
        interval !== null && bucketStart(interval, day, weekStartsOn) === date;
      return {
        date,
        keys: keysOf(
          inside.filter(({ day }) => isInBucket(day)),
          all.filter(isInBucket).length,
        ),
      };
    }),
  };
}

/** The borders as a table: each value of a key has the band of the first border that it does not reach. */
function bandsOf(keys: Omit<DoraKeys, 'bands'>, days: number): DoraBands {
  const of = (value: number | null | undefined, [strong, moderate]: readonly [number, number]): DoraBand | null => {
    if (value === null || value === undefined) return null;
    return value < strong ? 'STRONG' : value < moderate ? 'MODERATE' : 'POOR';
  };
  const above = 1 + Number.EPSILON * 4; // the border itself is below
  const { deployments } = keys.deploymentFrequency;
  const daysBetween = deployments === 0 || days < 28 ? null : days / deployments;
  return {
    deploymentFrequency: of(daysBetween, [7 * above, (730 / 24) * above]),
    leadTime: of(keys.leadTime.statistics?.median, [7 * 24, 730]),
    changeFailureRate: of(keys.changeFailureRate.rate, [0.15 * above, 0.46]),
    timeToRestore: of(keys.timeToRestore.statistics?.median, [24, 7 * 24]),
  };
}

function duration(pieces: readonly Piece[], measure: DistributionMeasure): DoraDuration {
  return { statistics: statisticsOf(pieces, measure), coverage: coverageOf(pieces, measure) };
}

const midnights = new Map<string, number>();

/** The first moment at which a calendar on the wall of a zone shows a later day. */
function midnightAfter(day: string, timeZone: string): number {
  const key = `${timeZone} ${day}`;
  const cached = midnights.get(key);
  if (cached !== undefined) return cached;
  const parts = { year: 'numeric', month: '2-digit', day: '2-digit' } as const;
  const calendar = new Intl.DateTimeFormat('sv-SE', { timeZone, ...parts });
  let [before, after] = [Date.parse(day) - 86_400_000, Date.parse(day) + 3 * 86_400_000];
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (calendar.format(middle) > day) after = middle;
    else before = middle;
  }
  midnights.set(key, after);
  return after;
}

/** Day by day, as somebody would count who looks at the list of requests each evening. */
function workInProgress(
  selected: readonly Piece[],
  { dimension, dateRange, topN, interval }: WorkInProgressRequest,
  { weekStartsOn, timeZone = 'UTC' }: AnalyticsBatch,
): WorkInProgressResult {
  const evening = (day: string): number => midnightAfter(day, timeZone);
  const openedUntil = (day: string): Piece[] =>
    selected.filter(({ openness }) => openness !== undefined && openness.openedAt < evening(day));
  const workOf = (opened: readonly Piece[], day: string): WorkInProgress => {
    const ages = opened.flatMap(({ openness }) => {
      if (openness === undefined || (openness.closedAt ?? Infinity) < evening(day)) return [];
      return [Math.floor((evening(day) - openness.openedAt) / 86_400_000)];
    });
    return { count: opened.length === 0 ? null : ages.length, ageDays: statistics(ages, 1) };
  };
  const last = dateRange.endDate;
  const items = [...grouped(openedUntil(last), ({ values }) => values[dimension])]
    .map(([key, pieces]) => ({ key, work: workOf(pieces, last) }))
    .sort((one, other) => (other.work.count ?? 0) - (one.work.count ?? 0) || bytes(one.key, other.key));
  return {
    dimension,
    total: workOf(openedUntil(last), last),
    items: items.slice(0, topN),
    buckets: (interval === null ? [] : bucketStarts(interval, dateRange, weekStartsOn)).map((date) => {
      const days = daysOf(dateRange).filter(
        (day) => interval !== null && bucketStart(interval, day, weekStartsOn) === date,
      );
      const evenings = days.at(-1) ?? date;
      return { date, count: workOf(openedUntil(evenings), evenings).count };
    }),
  };
}

function reviews(selected: readonly Piece[], { dimension, dateRange, topN }: ReviewsRequest): ReviewsResult {
  const inside = within(selected, dateRange);
  const known = inside.filter(({ reviewers }) => reviewers !== undefined);
  const given = known.flatMap(({ values, reviewers = [] }, request) =>
    reviewers.map((each) => ({ ...each, request, from: values.TEAM })),
  );
  const pairs = [...new Set(given.map(({ from, team }) => JSON.stringify([from, team])))].map((pair) => {
    const own = given.filter(({ from, team }) => JSON.stringify([from, team]) === pair);
    const [team = '', reviewingTeam = ''] = JSON.parse(pair) as string[];
    return {
      ...{ team, reviewingTeam, reviews: own.reduce((sum, each) => sum + each.reviews, 0) },
      requests: new Set(own.map(({ request }) => request)).size,
    };
  });
  pairs.sort((a, b) => b.reviews - a.reviews || bytes(a.team, b.team) || bytes(a.reviewingTeam, b.reviewingTeam));
  const merged = inside.filter(
    ({ values, milliseconds }) => values.WORK_TYPE === 'pull_request' && milliseconds !== null,
  );
  const classes = [
    ...([[null, null], [0, 9], [10, 49], [50, 199], [200, 499], [500, 999]] as const),
    [1000, null] as const,
  ]; // prettier-ignore
  return {
    dimension,
    total: known.length === 0 ? null : loadOf(known),
    items: [...grouped(known, ({ values }) => values[dimension])]
      .map(([key, pieces]) => ({ key, load: loadOf(pieces) }))
      .sort((one, other) => other.load.requests - one.load.requests || bytes(one.key, other.key))
      .slice(0, topN),
    teams: pairs.slice(0, topN),
    sizes: classes.flatMap(([fromLines, toLines]) => {
      const own = merged.filter(({ churn }) =>
        fromLines === null ? churn === null : churn !== null && churn >= fromLines && churn <= (toLines ?? Infinity),
      );
      if (own.length === 0) return [];
      const times = own.map(({ phases: { pickup, review } }) =>
        pickup === undefined || review === undefined ? null : pickup + review,
      );
      const coverage = times.filter((time) => time !== null).length / own.length;
      return [{ fromLines, toLines, statistics: statistics(times, 3_600_000), coverage }];
    }),
  };
}

function loadOf(pieces: readonly Piece[]): ReviewLoad {
  const byPerson = new Map<string, number>();
  for (const { reviewer, reviews: count } of pieces.flatMap(({ reviewers = [] }) => reviewers))
    byPerson.set(reviewer, (byPerson.get(reviewer) ?? 0) + count);
  const counts = [...byPerson.values()].sort((a, b) => b - a);
  const sum = (some: readonly number[]): number => some.reduce((all, count) => all + count, 0);
  const half = counts.findIndex((_count, index) => sum(counts.slice(0, index + 1)) * 2 >= sum(counts));
  return {
    requests: pieces.length,
    reviewedShare: pieces.filter(({ reviewers = [] }) => reviewers.length > 0).length / pieces.length,
    reviews: sum(counts),
    reviewers: counts.length,
    halfOfReviewsBy: counts.length === 0 ? null : half + 1,
  };
}

function daysOf({ startDate, endDate }: DateRange): string[] {
  const days: string[] = [];
  for (let day = startDate; day <= endDate; day = dayAfter(day)) days.push(day);
  return days;
}

/** Every unit that a list shows, in its order, without paging. */
export function referenceUnits(
  units: readonly OwnedUnit[],
  orgId: string,
  request: UnitsRequest,
): readonly OwnedUnit[] {
  const { scope, filters, useInvestment, completedOnly, order, descending, dateRange } = request;
  const { THEME = [], SUBCATEGORY = [], ...whole } = filters;
  const has = (unit: OwnedUnit, dimension: Dimension, wanted: readonly string[]): boolean =>
    wanted.length === 0 || partsOf(unit).some(({ values }) => wanted.includes(values[dimension]));
  const key = (unit: OwnedUnit): string | number => {
    if (order === 'DAY') return unit.day;
    if (order === 'CHURN_LOC') return unit.churnLoc ?? -1;
    return unit.completedAt === null ? -1 : unit.completedAt - unit.startedAt;
  };
  const found = units
    .filter((unit) => unit.orgId === orgId && unit.day >= dateRange.startDate && unit.day <= dateRange.endDate)
    .filter((unit) => {
      const piece = wholeOf(unit);
      const { values } = piece;
      if (completedOnly && unit.completedAt === null) return false;
      if (!isInScope(piece, scope)) return false;
      if (!useInvestment) return matches(values, filters);
      return matches(values, whole) && has(unit, 'THEME', THEME) && has(unit, 'SUBCATEGORY', SUBCATEGORY);
    })
    .sort((a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : bytes(a.id, b.id)));
  return descending ? found.reverse() : found;
}

function matches(values: Piece['values'], filters: Filters): boolean {
  const isBot = values.AUTHOR.endsWith('[bot]');
  if (isBot ? filters.bots === 'EXCLUDE' : filters.bots === 'ONLY') return false;
  const isAssisted = values.ASSISTANT !== '' && values.ASSISTANT !== 'unassisted';
  if (isAssisted ? filters.assistants === 'EXCLUDE' : filters.assistants === 'ONLY') return false;
  return DIMENSIONS.every((dimension) => {
    const wanted = filters[dimension] ?? [];
    return wanted.length === 0 || wanted.includes(values[dimension]);
  });
}

/** The first day of a unit, in these repositories; none: in all. */
export function referenceFirstDay(units: readonly OwnedUnit[], orgId: string, repos: readonly string[]): string | null {
  const days = units
    .filter((unit) => unit.orgId === orgId && (repos.length === 0 || repos.includes(unit.repo)))
    .map(({ day }) => day);
  return days.sort()[0] ?? null;
}

export function referenceValues(
  units: readonly OwnedUnit[],
  orgId: string,
  dimension: Dimension,
  search = '',
): readonly CatalogValue[] {
  const counts = new Map<string, number>();
  const folded = (text: string): string => text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
  for (const unit of units.filter((each) => each.orgId === orgId)) {
    const value = wholeOf(unit).values[dimension];
    if (value !== '' && folded(value).includes(folded(search))) counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  return [...counts]
    .map(([value, count]) => ({ value, count }))
    .sort((a, b) => b.count - a.count || bytes(a.value, b.value))
    .slice(0, 100);
}

function wholeOf(unit: WorkUnit): Piece {
  const { epic = '' } = unit;
  return {
    values: {
      TEAM: unit.team,
      REPO: unit.repo,
      AUTHOR: unit.author,
      WORK_TYPE: unit.workType,
      THEME: unit.theme,
      SUBCATEGORY: unit.subcategory,
      ASSISTANT: unit.assistant ?? '',
      EPIC: epic,
      INITIATIVE: unit.initiative ?? '',
      PLAN: epic === '' || epic === 'unplanned' ? epic : 'planned',
    },
    coAuthors: unit.coAuthors ?? [],
    day: unit.day,
    millionths: 1_000_000,
    churn: unit.churnLoc,
    milliseconds: unit.completedAt === null ? null : Math.max(0, unit.completedAt - unit.startedAt),
    phases: unit.phases ?? {},
    changeFailed: unit.changeFailed,
    openness: unit.openness,
    reviewers: unit.reviewers,
    isPart: false,
  };
}

/** Generated shares are whole millionths; a part has its share of the lines, and of the time to the millisecond. */
function partsOf(unit: WorkUnit): Piece[] {
  const whole = wholeOf(unit);
  return unit.shares.map(({ subcategory, share }) => ({
    ...whole,
    values: { ...whole.values, SUBCATEGORY: subcategory, THEME: subcategory.split('.')[0] ?? '' },
    millionths: Math.round(share * 1_000_000),
    milliseconds: whole.milliseconds === null ? null : roundedPart(whole.milliseconds, share),
    isPart: true,
  }));
}

/** Half up, and exact: the product may have more digits than a number holds. */
function roundedPart(milliseconds: number, share: number): number {
  return Number((BigInt(milliseconds) * BigInt(Math.round(share * 1_000_000)) + 500_000n) / 1_000_000n);
}

function figure(pieces: readonly Piece[], measure: Measure): number | null {
  const done = pieces.filter(({ milliseconds }) => milliseconds !== null);
  switch (measure) {
    case 'COUNT':
      return total(pieces, ({ millionths }) => millionths) / 1_000_000;
    case 'CHURN_LOC':
      return total(pieces, ({ churn, millionths }) => (churn ?? 0) * millionths) / 1_000_000;
    case 'THROUGHPUT':
      return total(done, ({ millionths }) => millionths) / 1_000_000;
    case 'CYCLE_TIME_HOURS': {
      // Work takes time: of what took none, the beginning is unknown.
      const measured = done.filter((piece) => piece.milliseconds !== 0);
      if (measured.length === 0) return null;
      const milliseconds = total(measured, (piece) => piece.milliseconds ?? 0);
      // The same mean; these are the steps in which it is rounded, of whole units and of parts.
      return measured.every(({ isPart }) => !isPart)
        ? milliseconds / measured.length / 3_600_000
        : milliseconds / total(measured, ({ millionths }) => millionths) / 3.6;
    }
  }
}

/** Exact, however large. */
function total(pieces: readonly Piece[], of: (piece: Piece) => number): number {
  return Number(pieces.reduce((sum, piece) => sum + BigInt(of(piece)), 0n));
}

function grouped(pieces: readonly Piece[], by: (piece: Piece) => string): Map<string, Piece[]> {
  const groups = new Map<string, Piece[]>();
  for (const piece of pieces) groups.set(by(piece), [...(groups.get(by(piece)) ?? []), piece]);
  return groups;
}

function ranked(pieces: readonly Piece[], dimension: Dimension, measure: Measure): { name: string; value: number }[] {
  return [...grouped(pieces, ({ values }) => values[dimension])]
    .flatMap(([name, own]) => {
      const value = figure(own, measure);
      return value === null ? [] : [{ name, value }];
    })
    .sort((a, b) => b.value - a.value || bytes(a.name, b.name));
}

function within(pieces: readonly Piece[], { startDate, endDate }: DateRange): Piece[] {
  return pieces.filter(({ day }) => day >= startDate && day <= endDate);
}

function bucketStarts(
  interval: Interval,
  { startDate, endDate }: DateRange,
  weekStartsOn: AnalyticsBatch['weekStartsOn'],
): string[] {
  const starts = new Set<string>();
  for (let day = startDate; day <= endDate; day = dayAfter(day)) starts.add(bucketStart(interval, day, weekStartsOn));
  return [...starts];
}

/** The month in which the quarter of a month begins; there is no month 0. */
const QUARTERS = ['', '01', '01', '01', '04', '04', '04', '07', '07', '07', '10', '10', '10'];

/** As `Date.getUTCDay` counts. */
const WEEK_DAYS = { SUNDAY: 0, MONDAY: 1, SATURDAY: 6 };

function bucketStart(interval: Interval, day: string, weekStartsOn: AnalyticsBatch['weekStartsOn'] = 'MONDAY'): string {
  if (interval === 'DAY') return day;
  if (interval === 'MONTH') return `${day.slice(0, 7)}-01`;
  if (interval === 'YEAR') return `${day.slice(0, 4)}-01-01`;
  if (interval === 'QUARTER') return `${day.slice(0, 4)}-${QUARTERS[Number(day.slice(5, 7))] ?? ''}-01`;
  const date = new Date(day);
  while (date.getUTCDay() !== WEEK_DAYS[weekStartsOn]) date.setUTCDate(date.getUTCDate() - 1);
  return date.toISOString().slice(0, 10);
}

function dayAfter(day: string): string {
  const date = new Date(day);
  date.setUTCDate(date.getUTCDate() + 1);
  return date.toISOString().slice(0, 10);
}

function sankey(pieces: readonly Piece[], request: SankeyRequest): SankeyResult {
  const { path, measure, maxNodes, maxEdges } = request;
  const nodeLimit = Math.max(1, Math.floor(maxNodes / path.length));
  const edgeLimit = Math.max(1, Math.floor(maxEdges / (path.length - 1)));
  const isMeasured = ({ milliseconds }: Piece): boolean => milliseconds !== null && milliseconds !== 0;
  const seen = measure === 'CYCLE_TIME_HOURS' ? pieces.filter(isMeasured) : pieces;
  const names = path.map((dimension) => ranked(seen, dimension, measure).map(({ name }) => name));
  const kept = names.map((all) => (all.length > nodeLimit ? all.slice(0, nodeLimit - 1) : [...all]));
  const nodeOf = (level: number, piece: Piece): string => {
    const value = piece.values[path[level] ?? 'TEAM'];
    return kept[level]?.includes(value) === true ? value : 'other';
  };
  const step = (level: number): Map<string, Piece[]> =>
    grouped(seen, (piece) => JSON.stringify([nodeOf(level, piece), nodeOf(level + 1, piece)]));
  for (let level = 0; level < path.length - 1;) {
    if (step(level).size <= edgeLimit) {
      level += 1;
      continue;
    }
    const [from = [], to = []] = [kept[level], kept[level + 1]];
    const at = from.length > to.length ? level : level + 1;
    const larger = kept[at] ?? [];
    const foldsNothing = larger.length === names[at]?.length;
    larger.pop();
    if (foldsNothing) larger.pop();
    // The step before may now end in fewer nodes, never in more edges: there is no way back.
  }
  const value = (own: readonly Piece[]): number => figure(own, measure) ?? 0;
  return {
    nodes: path.flatMap((dimension, level) => {
      const own = grouped(seen, (piece) => nodeOf(level, piece));
      const order = [...(kept[level] ?? []), 'other'];
      return [...new Set(order)].flatMap((label) => {
        const inside = own.get(label);
        return inside === undefined ? [] : [{ id: `${dimension}:${label}`, label, dimension, value: value(inside) }];
      });
    }),
    edges: path.slice(1).flatMap((target, level) =>
      [...step(level)]
        .map(([key, own]) => {
          const [from, to] = JSON.parse(key) as [string, string];
          return { source: `${path[level] ?? ''}:${from}`, target: `${target}:${to}`, value: value(own) };
        })
        .sort((a, b) => b.value - a.value || bytes(a.source, b.source) || bytes(a.target, b.target)),
    ),
    coverage:
      pieces.length === 0
        ? null
        : {
            teamCoverage: covered(pieces, ({ values }) => values.TEAM !== 'unassigned'),
            repoCoverage: covered(pieces, ({ values }) => values.REPO !== ''),
            themeCoverage: covered(pieces, ({ values }) => values.THEME !== 'unclassified'),
            churnCoverage: covered(pieces, ({ churn }) => churn !== null),
          },
  };
}

function covered(pieces: readonly Piece[], by: (piece: Piece) => boolean): number {
  const weight = ({ millionths }: Piece): number => millionths;
  return total(pieces.filter(by), weight) / total(pieces, weight);
}

function bytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
