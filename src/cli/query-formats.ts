/** Formats the results of queries for terminals, spreadsheets and programs. */
import { oneLine } from './one-line.js';
import type { Json, JsonObject, ResultTable, Series } from './query-rows.js';

export const FORMATS = ['table', 'csv', 'json', 'ndjson', 'parquet', 'sparkline'] as const;
export type Format = (typeof FORMATS)[number];

/** Wider cells of a table are truncated. */
const WIDEST = 60;

/** Aligned columns. Numbers are right-aligned and have at most two decimals. */
export function tableText({ name, rows }: ResultTable): string {
  const columns = columnsOf(rows);
  if (columns.length === 0) return `${name}: nothing\n`;
  const lines = [columns, ...rows.map((row) => columns.map((column) => shown(row[column] ?? null)))];
  const isNumber = columns.map((column) => rows.some((row) => typeof row[column] === 'number'));
  const widths = columns.map((_column, at) => Math.max(...lines.map((line) => line[at]?.length ?? 0)));
  const texts = lines.map((line) =>
    line
      .map((cell, at) => (isNumber[at] === true ? cell.padStart(widths[at] ?? 0) : cell.padEnd(widths[at] ?? 0)))
      .join('  ')
      .trimEnd(),
  );
  return `${name}\n${texts.join('\n')}\n`;
}

function shown(value: Json): string {
  if (value === null) return '-';
  if (typeof value === 'number') return value.toLocaleString('en-US', { maximumFractionDigits: 2, useGrouping: false });
  const text = oneLine(typeof value === 'string' ? value : JSON.stringify(value));
  return text.length > WIDEST ? `${text.slice(0, WIDEST - 1)}…` : text;
}

/** All columns of the rows, in the order in which they appear. */
export function columnsOf(rows: readonly JsonObject[]): readonly string[] {
  return [...new Set(rows.flatMap((row) => Object.keys(row)))];
}

/**
 * A line of CSV (RFC 4180). Titles and names are untrusted: text that a spreadsheet would treat as a formula gets an
 * apostrophe prefix (OWASP, "CSV Injection").
 */
export function csvLine(cells: readonly Json[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

function csvCell(value: Json): string {
  if (value === null) return '';
  if (typeof value !== 'string' && typeof value !== 'object') return String(value);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

const LEVELS = '▁▂▃▄▅▆▇█';

/**
 * One line per series: a character per bucket, scaled from 0 to the largest value (a space if the bucket has no data),
 * then the last and the largest value. A bucket that the data cover only in part is in parentheses.
 */
export function sparklines(series: readonly Series[]): string {
  const width = Math.max(0, ...series.map(({ label }) => Math.min(oneLine(label).length, WIDEST)));
  return series
    .map(({ label, values, partial }) => {
      const known = values.filter((value) => value !== null);
      const most = Math.max(0, ...known);
      const level = (value: number): string =>
        LEVELS[most === 0 ? 0 : Math.floor((value / most) * (LEVELS.length - 1))] ?? '';
      const line = values.map((value, at) => {
        const character = value === null ? ' ' : level(value);
        return partial[at] === true ? `(${character})` : character;
      });
      const lastAt = values.findLastIndex((value) => value !== null);
      const last = `${shown(values[lastAt] ?? null)}${partial[lastAt] === true ? ' (partial)' : ''}`;
      return `${shown(label).padEnd(width)}  ${line.join('')}  last ${last}, largest ${shown(most)}\n`;
    })
    .join('');
}
