/** Prints the output of many containers, each line prefixed with its container's name in colour. */
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
  /** Prints a message about a container. */
  note(container: string, text: string): Promise<void>;
  /** The name without the project's, as in the prefixes. */
  shortName(container: string): string;
  /** Sizes the prefixes for these containers and assigns their colours in name order. */
  expect(containers: readonly string[]): void;
}

/**
 * @param project its name is omitted from container names
 * @returns a printer whose prefixes grow with the longest name seen
 */
export function linePrinter(session: Session, project: string, options: LinePrinterOptions): LinePrinter {
  const { io } = session;
  const coloured = isColoured(io.stdout, options.ansi ?? session.options.ansi, io.environment);
  const places = new Map<string, number>();
  let width = 0;
  const shortened = (container: string): string =>
    /^[-_]/.test(container.slice(project.length)) && container.startsWith(project)
      ? container.slice(project.length + 1)
      : container;
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
    shortName: shortened,
    expect(containers) {
      for (const container of containers.toSorted()) place(container);
    },
  };
}
