/** Prints a list in the format of `--format`: a table, JSON, or a Go template. Field names are docker compose's. */
import { table } from '../text.js';
import { textOf } from './template-functions.js';
import { parseTemplate } from './template.js';

/** Values by field. Functions are methods with an argument, which JSON omits. */
export type Row = Readonly<Record<string, unknown>>;

export interface Listing {
  /** The titles of columns by field; fields without a title are printed in capitals. */
  readonly titles: Readonly<Record<string, string>>;
  /** The fields of the plain table. */
  readonly columns: readonly string[];
  /** docker compose prints some lists as one JSON array, and others as one object per line. */
  readonly json: 'array' | 'lines';
  readonly rows: readonly Row[];
}

export const FORMAT_HELP = 'output format: table, json, or a Go template such as "table {{.Name}}\\t{{.Service}}"';

/** @throws UsageError for an invalid template */
export function listingText({ titles, columns, json, rows }: Listing, format = 'table'): string {
  if (format === 'json') {
    if (json === 'array') return `${JSON.stringify(rows)}\n`;
    return rows.map((row) => `${JSON.stringify(sorted(row))}\n`).join('');
  }
  const escaped = format.replaceAll('\\t', '\t').replaceAll('\\n', '\n');
  const isTable = /^table(?:\s|$)/.test(escaped);
  const source = isTable ? escaped.slice('table'.length).trim() : escaped;
  if (isTable && source === '') {
    return table(
      columns.map(titleOf),
      rows.map((row) => columns.map((field) => textOf(row[field]))),
    );
  }
  const template = parseTemplate(source);
  const lines = rows.map((row) => template.render(row));
  if (!isTable) return lines.map((line) => `${line}\n`).join('');
  const cells = lines.map((line) => line.split('\t'));
  return table(headingsOf(source).map(titleOf), cells);

  function titleOf(field: string): string {
    return titles[field] ?? field.toUpperCase();
  }
}

/** The field of each column of a table template. */
function headingsOf(source: string): string[] {
  return source.split('\t').map((column) => /\.(\w+)/.exec(column)?.[1] ?? '');
}

function sorted(row: Row): Record<string, unknown> {
  return Object.fromEntries(Object.entries(row).sort(([one], [other]) => (one < other ? -1 : 1)));
}
