/** The rows that a statement reads, as conditions; and the parameters of a statement. */
import type { DateRange, Filters, Scope } from '../analytics.js';
import { FIRST_DAY, LAST_DAY } from '../store/rows.js';
import { DIMENSIONS, UNASSISTED, type Dimension, type Interval, type WeekStart } from '../vocabulary.js';
import { bucketsOf } from './buckets.js';
import type { Dialect, ParameterType, Source } from './dialects.js';

/** The rows that a statement reads; always includes the organization. */
export interface Slice {
  readonly orgId: string;
  readonly source: Source;
  readonly dateRange: DateRange;
  readonly scope: Scope;
  readonly filters: Filters;
  /** The first day of each week; absent: Monday. */
  readonly weekStartsOn?: WeekStart | undefined;
}

export interface Parameter {
  readonly type: ParameterType;
  readonly value: string | number | readonly string[];
}

/** Adds a parameter to a statement and returns its placeholder. */
export type Bind = (type: ParameterType, value: Parameter['value']) => string;

/** The conditions of a slice. @param owner the placeholder of the organization */
export function conditions(dialect: Dialect, slice: Slice, owner: string, bind: Bind): string {
  const { first, last } = comparable(slice.dateRange);
  return narrowed(dialect, slice, bind, [
    ...[`org_id = ${owner}`, `day >= ${bind('date', first)}`, `day <= ${bind('date', last)}`],
  ]);
}

/** The conditions of a slice without those on its days. @param owner as above */
export function selection(dialect: Dialect, slice: Slice, owner: string, bind: Bind): string {
  return narrowed(dialect, slice, bind, [`org_id = ${owner}`]);
}

function narrowed(dialect: Dialect, { scope, filters, source }: Slice, bind: Bind, first: readonly string[]): string {
  const all = [...first];
  if (scope.level !== 'ORG' && scope.ids.length > 0) {
    const ids = bind('texts', scope.ids);
    const own = dialect.oneOf(dialect.column(source, scope.level), ids);
    all.push(scope.level === 'AUTHOR' ? `(${own} or ${dialect.coAuthored(ids)})` : own);
  }
  for (const [dimension, texts] of filtersOf(filters)) {
    all.push(dialect.oneOf(dialect.column(source, dimension), bind('texts', texts)));
  }
  if (filters.bots === 'ONLY') all.push(dialect.isBot);
  if (filters.bots === 'EXCLUDE') all.push(`not (${dialect.isBot})`);
  const assisted = `${dialect.column(source, 'ASSISTANT')} not in ('', '${UNASSISTED}')`;
  if (filters.assistants === 'ONLY') all.push(assisted);
  if (filters.assistants === 'EXCLUDE') all.push(`not (${assisted})`);
  return all.join(' and ');
}

/** The filtered dimensions in a fixed order, so that equal filters result in equal texts. */
export function filtersOf(filters: Filters): readonly (readonly [Dimension, readonly string[]])[] {
  return DIMENSIONS.flatMap((dimension) => {
    const texts = filters[dimension] ?? [];
    return texts.length === 0 ? [] : [[dimension, texts] as const];
  });
}

export function filteredDimensions({ filters }: Slice): readonly Dimension[] {
  return filtersOf(filters).map(([dimension]) => dimension);
}

/** Clamps days to those that engines can store; there are no units on other days. */
function comparable({ startDate, endDate }: DateRange): { readonly first: string; readonly last: string } {
  const first = startDate < FIRST_DAY ? FIRST_DAY : startDate;
  const last = endDate > LAST_DAY ? LAST_DAY : endDate;
  return first > last ? { first: LAST_DAY, last: FIRST_DAY } : { first, last };
}

/** The number of the bucket of a row. */
export function bucketColumn(dialect: Dialect, interval: Interval, slice: Slice, bind: Bind): string {
  const buckets = bucketsOf(interval, slice.dateRange, slice.weekStartsOn);
  const { takes, of } = dialect.bucket[interval];
  return of(takes === 'integer' ? bind('integer', buckets.origin) : bind('dates', buckets.starts));
}
