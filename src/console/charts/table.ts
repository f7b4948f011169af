/** The figures of a chart as a table: what is shown below it, and what is downloaded. */
export interface ChartTable {
  readonly columns: readonly string[];
  /** A row has a cell per column; numbers are aligned to the right. null: there is no value. */
  readonly rows: readonly (readonly (string | number | null)[])[];
}

/** Comma-separated values (RFC 4180), with a byte order mark, by which spreadsheets recognize UTF-8. */
export function csvOf({ columns, rows }: ChartTable): string {
  const lines = [columns, ...rows].map((row) => row.map(cellOf).join(','));
  return `\uFEFF${lines.join('\r\n')}\r\n`;
}

function cellOf(value: string | number | null): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  // A spreadsheet would take a text that begins with one of these for a formula.
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
