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
  /** Makes prefixes as wide as the widest of these containers' and gives each its colour, in order of their names. */
  expect(containers: readonly string[]): void;
}

/**
 * @param project its name is left out of the names of containers
 * @returns a printer whose prefixes grow with the widest name that it has met
 */
export function linePrinter(session: Session, project: string, options: LinePrinterOptions): LinePrinter {
  const { io } = session;
  const coloured = isColoured(io.stdout, options.ansi ?? session.options.ansi, io.environment);
  const places = new Map<string, number>();
  let width = 0;
  const shortened = (container: string): string =>
    container.startsWith(`${project}-`) ? container.slice(project.length + 1) : container;
  const place = (container: string): number => {
    const taken = places.get(container) ?? places.size;
    places.set(container, taken);
    width = Math.max(width, shortened(container).length);
    return taken;
  };
  const prefix = (container: string): string => {
    if (options.logPrefix === false) return '';
    const colour = colourAt(place(container));
    return `${paint(`${shortened(container).padEnd(width)}  |`, colour, coloured)} `;
  };
  return {
    line: ({ container, stream, line, time }) =>
      io[stream].write(`${prefix(container)}${options.timestamps === true ? `${time} ` : ''}${line}\n`),
    note: (container, text) => io.stdout.write(`${prefix(container)}${text}\n`),
    expect(containers) {
      for (const container of containers.toSorted()) place(container);
    },
  };
}
