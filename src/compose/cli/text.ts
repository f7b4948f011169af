/** Text for terminals: tables, colours, times. */
import type { Output } from './io.js';

const RESET = '\u001b[0m';
/** Readable on dark and light backgrounds; assigned to services in sequence. */
const COLOURS = [36, 33, 32, 35, 34, 96, 93, 92, 95, 94] as const;

export function paint(text: string, colour: number, on: boolean): string {
  return on ? `\u001b[${colour}m${text}${RESET}` : text;
}

export const RED = 31;
export const GREEN = 32;
export const YELLOW = 33;

/** The same colour for the same index. */
export function colourAt(index: number): number {
  return COLOURS[index % COLOURS.length] ?? COLOURS[0];
}

/** Whether to use colours: determined by `--ansi`, otherwise by NO_COLOR and whether the output is a terminal. */
export function isColoured(
  output: Output,
  ansi: string | undefined,
  environment: Readonly<Record<string, string | undefined>>,
): boolean {
  if (ansi === 'always' || ansi === 'never') return ansi === 'always';
  return output.isTerminal && !environment['NO_COLOR'];
}

/** Columns are as wide as their widest cell, separated by three spaces. */
export function table(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  // Names and titles can come from a server, and those of processes from a container, so they are not trusted.
  const all = [titles, ...rows].map((row) => row.map(printable));
  const widths = titles.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  return all
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('   ')
        .trimEnd(),
    )
    .map((line) => `${line}\n`)
    .join('');
}

/** Removes control characters from foreign text, so that the terminal does not interpret them. */
export function printable(text: string): string {
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '');
}
