import { appendFile } from 'node:fs/promises';
import { availableParallelism, loadavg } from 'node:os';

interface Ratio {
  readonly table: string;
  readonly what: string;
  readonly ratio: string;
}

/** Adds ratios to the table of all releases, with what the machine was. */
export async function recordRatios(
  release: string,
  ratios: readonly Ratio[],
  file: string | URL = new URL('./RATIOS.md', import.meta.url),
): Promise<void> {
  const machine = `${availableParallelism()} cores, load ${loadavg()[0]?.toFixed(1) ?? '?'}, Node ${process.versions.node}`;
  const rows = ratios.map(({ table, what, ratio }) => `| ${[release, table, what, ratio, machine].join(' | ')} |\n`);
  await appendFile(file, rows.join(''));
}
