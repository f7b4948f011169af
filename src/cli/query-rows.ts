/** Converts the result of a query to tables of flat rows. */

export type Json = string | number | boolean | null | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [name: string]: Json;
}

export interface ResultTable {
  /** The path of its list in the result, for example `analytics.breakdowns`. */
  readonly name: string;
  readonly rows: readonly JsonObject[];
}

/** Lists whose elements become rows; any other list stays in one cell. */
const DIVIDING = new Set(['items', 'buckets']);

/** What an object says about how much is known: it is repeated in the rows of its lists. */
const KNOWLEDGE = ['coverage', 'knownSince', 'knownUntil'];

/** The list of what is known in part: it is one text of {@link KNOWLEDGE}, and no list of figures. */
const LIMITS = 'historyLimits';

/**
 * The lists of a result, each as a table. An object without lists is a table of one row.
 *
 * @param known what the objects around it say about how much is known, by path
 */
export function tablesOf(
  data: JsonObject,
  path: readonly string[] = [],
  known: JsonObject = {},
): readonly ResultTable[] {
  const fields = Object.entries(data);
  const about: JsonObject = {
    ...known,
    ...Object.fromEntries(
      fields.flatMap(([name, value]): readonly (readonly [string, Json])[] => {
        const place = [...path, name].join('.');
        if (name === LIMITS && isObjects(value))
          return value.length === 0 ? [] : [[place, value.map(limitText).join('; ')]];
        return KNOWLEDGE.includes(name) && !isObject(value) ? [[place, value]] : [];
      }),
    ),
  };
  const tables = fields.flatMap(([name, value]): readonly ResultTable[] => {
    if (name === LIMITS) return [];
    const inner = [...path, name];
    if (isObjects(value))
      return [{ name: inner.join('.'), rows: value.flatMap(rowsOf).map((row) => ({ ...row, ...about })) }];
    return isObject(value) ? tablesOf(value, inner, about) : [];
  });
  return tables.length > 0 || path.length === 0 ? tables : [{ name: path.join('.'), rows: [data] }];
}

/** Such as `acme/widgets: commit since 2026-01-07`. */
function limitText(limit: JsonObject): string {
  const text = (name: string): string => (typeof limit[name] === 'string' ? limit[name] : '');
  return `${text('repo')}: ${text('workType')} since ${text('knownSince')}`;
}

/** One row per innermost element; none for an element that only names its lists, which are empty. */
function rowsOf(element: JsonObject): readonly JsonObject[] {
  const own = new Map<string, Json>();
  const inner: JsonObject[] = [];
  for (const [name, value] of Object.entries(element)) {
    if (isObjects(value) && DIVIDING.has(name)) inner.push(...value.flatMap(rowsOf));
    else if (isObject(value)) for (const row of rowsOf(value)) addAll(own, row, `${name}.`);
    else own.set(name, value);
  }
  if (isUnknown(element)) for (const [name, value] of own) if (typeof value === 'number') own.set(name, null);
  const isDivided = Object.keys(element).some((name) => DIVIDING.has(name));
  if (isDivided && inner.length === 0 && [...own.values()].every((value) => typeof value === 'string')) return [];
  const row: JsonObject = Object.fromEntries(own);
  const rows = inner.map((each) => ({ ...row, ...each }));
  // Statistics of the whole range, in addition to those of the buckets.
  const isOverwritten = inner.some((each) => Object.keys(each).some((name) => own.has(name)));
  return rows.length === 0 || isOverwritten ? [row, ...rows] : rows;
}

/** Whether nothing is known of the days of a bucket: its sums of 0 are not measured. */
function isUnknown(bucket: JsonObject): boolean {
  return bucket['coverage'] === 'NONE';
}

function addAll(row: Map<string, Json>, other: JsonObject, prefix: string): void {
  for (const [name, value] of Object.entries(other)) row.set(prefix + name, value);
}

/** One series: its name, and its values by date; null if a date has no value. */
export interface Series {
  readonly label: string;
  readonly values: readonly (number | null)[];
  /** Whether a value is about a part of its bucket only. */
  readonly partial: readonly boolean[];
}

/**
 * All series of a result, on the same dates. A series is named by the texts of the elements that contain it, or "all"
 * if it is that of a total. Buckets without a single figure are not a series.
 */
export function seriesOf(data: JsonObject): readonly Series[] {
  const bucketed = bucketsIn(data, []);
  const dates = [...new Set(bucketed.flatMap(({ points }) => [...points.keys()]))].sort();
  return bucketed.map(({ label, points, partial }) => ({
    label,
    values: dates.map((date) => points.get(date) ?? null),
    partial: dates.map((date) => partial.has(date)),
  }));
}

interface Bucketed {
  readonly label: string;
  readonly points: ReadonlyMap<string, number>;
  readonly partial: ReadonlySet<string>;
}

function bucketsIn(data: Json, names: readonly string[]): readonly Bucketed[] {
  if (Array.isArray(data)) return data.flatMap((each: Json) => bucketsIn(each, names));
  if (!isObject(data)) return [];
  const inner = [
    ...names,
    ...Object.entries(data).flatMap(([name, value]) =>
      typeof value === 'string' && !KNOWLEDGE.includes(name) ? [value] : [],
    ),
  ];
  // Beside the values of a dimension, buckets are those of all of them.
  const label = (Object.hasOwn(data, 'total') ? [...names, 'all'] : inner).join(' ');
  return Object.entries(data).flatMap(([name, value]) => {
    if (name !== 'buckets' || !isObjects(value)) return bucketsIn(value, inner);
    const known = value.filter((bucket) => !isUnknown(bucket));
    const partial = new Set(
      known.flatMap(({ coverage, date }) => (coverage === 'PARTIAL' && typeof date === 'string' ? [date] : [])),
    );
    if (value.every(hasFigure)) return [{ label, points: new Map(known.flatMap(pointOf)), partial }];
    return nestedFigures(value).map((figure) => ({
      label: `${label} ${figure}`,
      points: nestedPoints(known, figure),
      partial,
    }));
  });
}

const FIGURES = ['value', 'count', 'statistics'];

function hasFigure(bucket: JsonObject): boolean {
  return FIGURES.some((name) => Object.hasOwn(bucket, name));
}

/** The figures within the objects of buckets, by path: numbers, and medians of distributions. */
function nestedFigures(buckets: readonly JsonObject[]): readonly string[] {
  const names = buckets.flatMap((bucket) => {
    const nested = Object.values(bucket).filter(isObject);
    return nested
      .flatMap((each) => rowsOf(each))
      .flatMap((row) => Object.keys(row).filter((name) => isNumber(row, name)));
  });
  const isFigure = (name: string): boolean => !name.includes('statistics.') || name.endsWith('.median');
  return [...new Set(names)].filter(isFigure);
}

function isNumber(row: JsonObject, name: string): boolean {
  return typeof row[name] === 'number';
}

function nestedPoints(buckets: readonly JsonObject[], figure: string): ReadonlyMap<string, number> {
  const points = buckets.flatMap(({ date = null, ...bucket }) => {
    const nested = Object.values(bucket).filter(isObject);
    const value = nested.flatMap((each) => rowsOf(each)).map((row) => row[figure] ?? null)[0] ?? null;
    return typeof date === 'string' && typeof value === 'number' ? [[date, value] as const] : [];
  });
  return new Map(points);
}

/** The value or number of a bucket, or the median if it is a distribution. */
function pointOf({
  date = null,
  value = null,
  count = null,
  statistics = null,
}: JsonObject): readonly (readonly [string, number])[] {
  const found = isObject(statistics) ? (statistics['median'] ?? null) : (value ?? count);
  return typeof date === 'string' && typeof found === 'number' ? [[date, found]] : [];
}

export function isObject(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isObjects(value: Json): value is readonly JsonObject[] {
  return Array.isArray(value) && value.every((each: Json) => isObject(each));
}
