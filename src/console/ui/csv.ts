type Cell = string | number | null;

/**
 * A table as CSV (RFC 4180), with a line of headings. Text that a spreadsheet would take for a formula gets an
 * apostrophe in front (OWASP, "CSV Injection"): names and notes come from strangers.
 */
export function csvOf(headings: readonly string[], rows: readonly (readonly Cell[])[]): string {
  return [headings, ...rows].map((row) => `${row.map(cellOf).join(',')}\r\n`).join('');
}

function cellOf(cell: Cell): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return String(cell);
  const text = /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
