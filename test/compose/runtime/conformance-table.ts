/**
 * The table of operation by backend. Each subject is tested in a separate file, at the same time as the others,
 * and leaves its column in coverage/conformance/; the last one finds all columns there and writes the table.
 */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ConformanceColumn } from './conformance.js';

const DIRECTORY = join('coverage', 'conformance');

interface Column {
  readonly subject: string;
  readonly seenAt: string;
  /** Why nothing was seen. */
  readonly skipped?: string;
  readonly operations: ConformanceColumn;
}

/** Writes the column, prints it, and renews coverage/conformance.json. */
export async function report(column: Omit<Column, 'seenAt'>): Promise<void> {
  await mkdir(DIRECTORY, { recursive: true });
  const own = { ...column, seenAt: new Date().toISOString() };
  await writeFile(join(DIRECTORY, `${column.subject.replace('/', '-')}.json`), JSON.stringify(own, null, 2));
  const names = (await readdir(DIRECTORY)).filter((name) => name.endsWith('.json')).sort();
  const texts = await Promise.all(names.map((name) => readFile(join(DIRECTORY, name), 'utf8')));
  // Written by this function only; one that is being written by another process will be read by it.
  const columns = texts.flatMap((text) => (text.endsWith('}') ? [JSON.parse(text) as Column] : []));
  const operations = [...new Set(columns.flatMap(({ operations: seen }) => Object.keys(seen)))].sort();
  const table = Object.fromEntries(
    operations.map((operation) => [
      operation,
      Object.fromEntries(columns.map(({ subject, operations: seen }) => [subject, seen[operation] ?? '-'])),
    ]),
  );
  const subjects = columns.map(({ subject, seenAt, skipped }) => ({ subject, seenAt, ...(skipped && { skipped }) }));
  await writeFile(join('coverage', 'conformance.json'), `${JSON.stringify({ subjects, table }, null, 2)}\n`);
  process.stdout.write(printed(own));
}

function printed({ subject, skipped, operations }: Column): string {
  if (skipped !== undefined) return `\nconformance of ${subject} skipped: ${skipped}\n`;
  const rows = Object.entries(operations).sort();
  return `\nconformance of ${subject}\n${rows.map(([name, outcome]) => `  ${name.padEnd(28)}${outcome}\n`).join('')}`;
}
