/** Prints the output of many containers, each line behind the name of its container, in its colour. */
import type { MemberLine } from '../orchestrator/logs.js';
import type { Session } from './session.js';
import { colourAt, isColoured, paint } from './text.js';

export interface LinePrinterOptions {
  readonly ansi?: string | undefined;
  /** commander turns `--no-log-prefix` into false. */
  readonly logPrefix?: boolean;
  readonly timestamps?: boolean;
}

export interface LinePrinter {
  line(line: MemberLine): Promise<void>;
  /** Something about a container that it did not print itself. */
  note(container: string, text: string): Promise<void>;
}

/** @param names of the containers, as far as they are known: the prefix is as wide as the widest */
export function linePrinter(session: Session, names: readonly string[], options: LinePrinterOptions): LinePrinter {
  const { io } = session;
  const coloured = isColoured(io.stdout, options.ansi ?? session.options.ansi, io.environment);
  const places = new Map<string, number>([...new Set(names)].sort().map((name, index) => [name, index]));
  let width = Math.max(0, ...names.map((name) => name.length));
  const prefix = (container: string): string => {
    if (options.logPrefix === false) return '';
    if (!places.has(container)) places.set(container, places.size);
    width = Math.max(width, container.length);
    return `${paint(`${container.padEnd(width)}  |`, colourAt(places.get(container) ?? 0), coloured)} `;
  };
  return {
    line: ({ container, stream, line, time }) =>
      io[stream].write(`${prefix(container)}${options.timestamps === true ? `${time} ` : ''}${line}\n`),
    note: (container, text) => io.stdout.write(`${prefix(container)}${text}\n`),
  };
}
