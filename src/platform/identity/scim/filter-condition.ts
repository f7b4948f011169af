/** Translates filters (RFC 7644, section 3.4.2.2) to conditions of SQL. */
import type { PendingQuery, Row } from 'postgres';
import type { Compare, Filter } from 'scim2-parse-filter';
import { beginsWithDay, instantOf } from '@plumbline/contract/instant';
import type { Sql } from '../../../database/connection.js';
import { readFilter, readPath } from './attribute-paths.js';
import { invalidRequest, isId, type Checked } from './refusals.js';

export type Condition = PendingQuery<Row[]>;

/** How an attribute is compared. `lists`: the condition that any value of a list fulfils a condition on `column`. */
export interface FilterColumn {
  readonly column: string;
  readonly kind: 'text' | 'exact text' | 'id' | 'boolean' | 'time';
  readonly lists?: (sql: Sql, orgId: string, condition: Condition) => Condition;
}

/** The attributes of a resource that filters can name, in lower case. */
export type FilterColumns = Readonly<Record<string, FilterColumn>>;

/** @param text absent: everything is selected */
export function filterCondition(
  sql: Sql,
  orgId: string,
  columns: FilterColumns,
  text: string | undefined,
): Checked<Condition> {
  if (text === undefined) return { value: sql`true` };
  const parsed = readFilter(text);
  if (parsed === null) return invalidRequest('invalidFilter', 'The filter is not one of RFC 7644, section 3.4.2.2.');
  try {
    return { value: translate({ sql, orgId, columns }, parsed, '') };
  } catch (error) {
    if (!(error instanceof UnsupportedFilter)) throw error;
    return invalidRequest('invalidFilter', error.message);
  }
}

/** A filter that cannot be translated, with the reason for the caller. */
class UnsupportedFilter extends Error {
  override name = 'UnsupportedFilter';
}

interface Translation {
  readonly sql: Sql;
  readonly orgId: string;
  readonly columns: FilterColumns;
}

/** @param prefix the attribute whose values a filter in brackets selects, with a dot; otherwise '' */
function translate(translation: Translation, parsed: Filter, prefix: string): Condition {
  const { sql, orgId } = translation;
  if ('filters' in parsed) {
    const [first, ...others] = parsed.filters.map((each) => translate(translation, each, prefix));
    if (first === undefined) throw new UnsupportedFilter('The filter has nothing to combine.');
    const joined = others.reduce(
      (left, right) => (parsed.op === 'and' ? sql`${left} and ${right}` : sql`${left} or ${right}`),
      first,
    );
    return sql`(${joined})`;
  }
  if (parsed.op === 'not') return sql`not coalesce(${translate(translation, parsed.filter, prefix)}, false)`;
  if (parsed.op === '[]') {
    if (prefix !== '') throw new UnsupportedFilter('Brackets in brackets are not supported.');
    return translate(translation, parsed.valFilter, `${parsed.attrPath}.`);
  }
  const found = columnOf(translation, `${prefix}${parsed.attrPath}`);
  if (found === 'constant') return constantCondition(sql, parsed);
  const condition = parsed.op === 'pr' ? sql`${sql(found.column)} is not null` : comparison(sql, found, parsed);
  return found.lists?.(sql, orgId, condition) ?? condition;
}

/** The column of an attribute. The type of an address is the same everywhere: `constant`. */
function columnOf({ columns }: Translation, name: string): FilterColumn | 'constant' {
  const path = readPath(name);
  const key = path === null ? '' : [path.attribute, path.part].filter((each) => each !== '').join('.');
  if (key === 'emails.type' && 'emails' in columns) return 'constant';
  const column = Object.hasOwn(columns, key) ? columns[key] : undefined;
  if (column === undefined) throw new UnsupportedFilter(`Filters cannot use the attribute ${name}.`);
  return column;
}

function constantCondition(sql: Sql, parsed: { readonly op: string; readonly compValue?: unknown }): Condition {
  if (parsed.op === 'pr') return sql`true`;
  if (parsed.op !== 'eq') throw new UnsupportedFilter('Types of addresses can be compared with eq only.');
  return String(parsed.compValue).toLowerCase() === 'work' ? sql`true` : sql`false`;
}

function comparison(sql: Sql, { column, kind }: FilterColumn, { op, compValue, attrPath }: Compare): Condition {
  const left = sql`${sql(column)}`;
  if (compValue === null) return nullCondition(sql, left, op);
  if (kind === 'boolean') {
    const value = typeof compValue === 'string' ? compValue.toLowerCase() === 'true' : compValue === true;
    if (op === 'eq') return sql`${left} = ${value}`;
    if (op === 'ne') return sql`${left} <> ${value}`;
    throw new UnsupportedFilter(`${attrPath} can be compared with eq and ne only.`);
  }
  if (typeof compValue !== 'string') throw new UnsupportedFilter(`${attrPath} is compared with text in quotes.`);
  if (kind === 'id') {
    if (op !== 'eq' && op !== 'ne') throw new UnsupportedFilter(`${attrPath} can be compared with eq and ne only.`);
    if (!isId(compValue)) return op === 'ne' ? sql`true` : sql`false`;
    return op === 'eq' ? sql`${left} = ${compValue}` : sql`${left} <> ${compValue}`;
  }
  if (kind === 'time') {
    const time = timeOf(compValue);
    if (time === null) throw new UnsupportedFilter(`${attrPath} is compared with a time of RFC 3339.`);
    return ordered(sql, op, left, sql`${time}::timestamptz`) ?? unsupported(attrPath, op);
  }
  const [text, value] = kind === 'text' ? [sql`lower(${left})`, compValue.toLowerCase()] : [sql`${left}`, compValue];
  if (op === 'co') return sql`position(${value} in ${text}) > 0`;
  if (op === 'sw') return sql`starts_with(${text}, ${value})`;
  if (op === 'ew') return sql`right(${text}, length(${value})) = ${value}`;
  return ordered(sql, op, text, sql`${value}::text`) ?? unsupported(attrPath, op);
}

const rfc3339 = /^(?!0000)\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/i;

/** Reads a time of RFC 3339 in the years from 1 to 9999, as PostgreSQL does. @returns null for other text */
function timeOf(text: string): Date | null {
  return rfc3339.test(text) && beginsWithDay(text) && !Number.isNaN(Date.parse(text)) ? instantOf(text) : null;
}

function nullCondition(sql: Sql, left: Condition, op: Compare['op']): Condition {
  if (op === 'eq') return sql`${left} is null`;
  if (op === 'ne') return sql`${left} is not null`;
  throw new UnsupportedFilter('null can be compared with eq and ne only.');
}

function ordered(sql: Sql, op: Compare['op'], left: Condition, right: Condition): Condition | null {
  if (op === 'eq') return sql`${left} = ${right}`;
  if (op === 'ne') return sql`${left} is distinct from ${right}`;
  if (op === 'gt') return sql`${left} > ${right}`;
  if (op === 'ge') return sql`${left} >= ${right}`;
  if (op === 'lt') return sql`${left} < ${right}`;
  return op === 'le' ? sql`${left} <= ${right}` : null;
}

function unsupported(attribute: string, op: string): never {
  throw new UnsupportedFilter(`${attribute} cannot be compared with ${op}.`);
}
