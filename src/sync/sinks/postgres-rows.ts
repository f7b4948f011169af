/**
 * Sends rows to PostgreSQL as one array per column. Compared with one JSON parameter per table (measured), it needs a
 * third of the bytes and four fifths of the server's time, mostly because values that all rows share are sent once.
 */
import { storableText } from '../../database/storable-text.js';
import type { AnyRow, Column, JsonValue, Table } from '../records.js';
import { columnList, onConflict } from './sql.js';

/** The PostgreSQL type of each column type of the record catalogue. */
export const POSTGRES_TYPES = {
  uuid: 'uuid',
  text: 'text',
  integer: 'integer',
  timestamp: 'timestamptz',
  json: 'jsonb',
} as const;

export interface Upsert {
  readonly text: string;
  readonly values: string[];
}

/** The statement that stores the rows, and its parameters. Requires at least one row. */
export function upsertOf(table: Table, rows: readonly AnyRow[]): Upsert {
  const shared = SHARED.filter((name) => rows.every((row) => row[name] === rows[0]?.[name]));
  // Pages with rows of several repositories are rare, so they use one general statement.
  const isStamped = shared.length === SHARED.length && table.name !== 'repos';
  const single = isStamped ? table.columns.filter(isShared) : [];
  const listed = isStamped ? table.columns.filter((column) => !isShared(column)) : table.columns;
  return {
    text: statement(table, single, listed, isStamped),
    values: [
      ...single.map(({ name }) => plain(rows[0]?.[name] ?? null)),
      ...listed.map((column) => arrayOf(column, rows)),
    ],
  };
}

/** The columns that a run adds to every record. */
const SHARED: readonly string[] = ['repo_id', 'org_id', 'source', 'last_synced'];

function isShared({ name }: Column): boolean {
  return SHARED.includes(name);
}

const statements = new Map<string, string>();

function statement(table: Table, single: readonly Column[], listed: readonly Column[], isStamped: boolean): string {
  const name = `${table.name} ${isStamped}`;
  const existing = statements.get(name);
  if (existing !== undefined) return existing;
  const sources = new Map([
    ...single.map((column, index): [string, string] => [column.name, valueOf(column, `$${index + 1}::text`)]),
    ...listed.map((column): [string, string] => [column.name, valueOf(column, `arriving.${column.name}`)]),
  ]);
  const arrays = listed.map((column, index) => `$${single.length + index + 1}::text::${elementType(column)}[]`);
  const text =
    `insert into ${table.name} (${columnList(table)}) ` +
    `select ${table.columns.map((column) => sources.get(column.name)).join(', ')} ` +
    `from unnest(${arrays.join(', ')}) as arriving (${listed.map((column) => column.name).join(', ')}) ` +
    onConflict(table, 'is distinct from');
  statements.set(name, text);
  return text;
}

/** Timestamps are sent as epoch milliseconds, because PostgreSQL parses numbers faster than dates. */
function elementType({ type }: Column): string {
  return type === 'timestamp' ? 'float8' : POSTGRES_TYPES[type];
}

function valueOf(column: Column, expression: string): string {
  if (column.type === 'timestamp') return `to_timestamp(${expression}::float8 / 1000)`;
  return column.type === 'text' ? expression : `${expression}::${POSTGRES_TYPES[column.type]}`;
}

/** A column of the rows in PostgreSQL's array syntax (its manual, section 8.15.6). */
function arrayOf({ name, type }: Column, rows: readonly AnyRow[]): string {
  const items = rows.map((row) => {
    const value = row[name] ?? null;
    if (type === 'json') return quoted(JSON.stringify(value, wellFormed));
    if (value === null) return 'null';
    return typeof value === 'string' ? quoted(value) : plain(value);
  });
  return `{${items.join(',')}}`;
}

function quoted(text: string): string {
  return SPECIAL.test(text) ? `"${acceptable(text).replace(/["\\]/g, '\\$&')}"` : `"${text}"`;
}

const SPECIAL = /["\\\u0000]/;

/** PostgreSQL's text cannot hold U+0000; hosts allow it in titles and bodies. */
function acceptable(text: string): string {
  return text.replaceAll('\u0000', '\ufffd');
}

/** jsonb accepts neither an escaped U+0000 nor a lone surrogate; JSON.stringify would output both. */
function wellFormed(_key: string, value: JsonValue): JsonValue {
  return typeof value === 'string' ? storableText(value) : value;
}

function plain(value: JsonValue): string {
  return typeof value === 'string' ? acceptable(value) : JSON.stringify(value);
}
