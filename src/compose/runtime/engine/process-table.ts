/** Lists the processes of a container. */
import { textsOf, type Json } from '../json.js';
import type { ProcessTable } from '../records.js';

/**
 * Docker returns one cell per title. Podman may run the container's `ps` and return one cell per line; such lines are
 * split at spaces, and the last column takes the rest.
 */
export function processTable(answer: Json): ProcessTable {
  const titles = textsOf(answer.Titles);
  const rows = Array.isArray(answer.Processes) ? answer.Processes.map(textsOf) : [];
  const [only] = titles;
  if (titles.length !== 1 || only === undefined) return { titles, processes: rows };
  const columns = only.trim().split(/\s+/);
  return { titles: columns, processes: rows.map((row) => cells(row.join(' '), columns.length)) };
}

/** Splits a line into `count` cells at spaces. The last cell keeps its spaces. */
export function cells(line: string, count: number): string[] {
  const words = line.trim().split(/\s+/);
  const short = words.slice(0, count - 1);
  const rest = words.slice(count - 1).join(' ');
  return [...short, rest, ...Array.from({ length: Math.max(0, count - short.length - 1) }, () => '')];
}
