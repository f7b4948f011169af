/** The processes of a container. */
import { textsOf, type Json } from '../json.js';
import type { ProcessTable } from '../records.js';

/**
 * Docker answers a cell for each title. Podman, where it runs the container's own `ps`, answers one cell per
 * line: those are cut at spaces, with the last column taking what is left.
 */
export function processTable(answer: Json): ProcessTable {
  const titles = textsOf(answer.Titles);
  const rows = Array.isArray(answer.Processes) ? answer.Processes.map(textsOf) : [];
  const [only] = titles;
  if (titles.length !== 1 || only === undefined) return { titles, processes: rows };
  const columns = only.trim().split(/\s+/);
  return { titles: columns, processes: rows.map((row) => cells(row.join(' '), columns.length)) };
}

/** The words of a line, the last of `count` cells with its spaces. */
export function cells(line: string, count: number): string[] {
  const words = line.trim().split(/\s+/);
  const short = words.slice(0, count - 1);
  const rest = words.slice(count - 1).join(' ');
  return [...short, rest, ...Array.from({ length: Math.max(0, count - short.length - 1) }, () => '')];
}
