/**
 * Progress on a terminal: a header with counts, and one row per resource with its status and time, redrawn in place.
 */
import type { Progress } from '../orchestrator/orchestration.js';
import type { Output } from './io.js';
import { DRY_RUN, type ProgressOptions, type ProgressView } from './progress-view.js';
import { GREEN, paint, printable, RED, YELLOW } from './text.js';

interface Row {
  readonly name: string;
  readonly status: string;
  readonly done: boolean;
  /** The latest line of its build or pull. */
  readonly detail: string;
  /** In ms since 1970. */
  readonly begun: number;
  readonly ended: number | undefined;
}

/** The number of lines shown of a failed build. */
const KEPT_LINES = 30;
/** The redraw interval of running times. */
const TICK_MS = 200;
/** The header, and the line with the cursor below the last row. */
const OTHER_LINES = 2;

export function liveView(
  output: Output,
  warn: (message: string) => string,
  { coloured, clock, isShared, isDryRun }: Omit<ProgressOptions, 'style'>,
): ProgressView {
  const rows = new Map<string, Row>();
  const said = new Map<string, string[]>();
  const now = (): number => clock.now().getTime();
  let begun = now();
  /** The lengths of the lines above the cursor. */
  let drawn: readonly number[] = [];
  let above = '';
  let isPending = false;
  let last = Promise.resolve();
  let ticking: NodeJS.Timeout | undefined;

  const tick = (): void => {
    const isUnderWay = [...rows.values()].some(({ done }) => !done);
    if (isUnderWay && ticking === undefined) ticking = setInterval(redraw, TICK_MS).unref();
    if (!isUnderWay) {
      clearInterval(ticking);
      ticking = undefined;
    }
  };
  /** A terminal that was narrowed has wrapped the lines. */
  const erase = (): string => {
    const lines = drawn.reduce((sum, length) => sum + Math.max(1, Math.ceil(length / output.columns)), 0);
    drawn = [];
    return lines === 0 ? '' : `\u001b[${lines}A\u001b[0J`;
  };
  const draw = (): string => {
    if (rows.size === 0) return '';
    // More rows than the terminal has cannot be redrawn, so finished rows scroll away first.
    const room = Math.max(1, output.rows - OTHER_LINES - 1);
    const widths = widthsOf([...rows.values()]);
    const text = (row: Row): string => rowText(row, widths, now(), output.columns);
    const done = [...rows].filter(([, row]) => row.done);
    const all = [...rows.values()];
    const header = `[+] ${all.filter((row) => row.done).length}/${all.length} done  ${seconds(now() - begun)}`;
    const scrolling = done.slice(0, Math.max(0, rows.size - room));
    const hidden = new Set(scrolling.map(([key]) => key));
    const shown = [...rows].filter(([key]) => !hidden.has(key)).slice(0, room);
    drawn = [header.length, ...shown.map(([, row]) => text(row).length)];
    return `${header}\n${shown.map(([, row]) => `${paint(text(row), colourOf(row), coloured)}\n`).join('')}`;
  };
  /** Combines many reports in one turn into one redraw. */
  function redraw(): void {
    if (isPending) return;
    isPending = true;
    last = last.then(() => {
      isPending = false;
      const lines = above;
      above = '';
      return output.write(erase() + lines + draw());
    });
  }

  return {
    report(progress) {
      if (rows.size === 0 && drawn.length === 0) begun = now();
      if (progress.kind === 'warning') above += warn(progress.message);
      else if (progress.kind === 'line') hear(progress, rows, said);
      else {
        const name = `${isDryRun ? DRY_RUN : ''}${progress.resource} ${progress.name}`;
        const { status, done } = progress;
        const before = rows.get(name);
        const since = before === undefined || before.done ? now() : before.begun;
        rows.set(name, { name, status, done, detail: '', begun: since, ended: done ? now() : undefined });
        if (status === 'Failed') above += [...said.values()].flat().join('\n').concat('\n').trimStart();
      }
      tick();
      redraw();
    },
    note(text) {
      above += `${text}\n`;
      redraw();
    },
    beside(write) {
      const written = last.then(async () => {
        if (isShared && drawn.length > 0) await output.write(erase());
        await write();
        if (isShared) redraw();
      });
      last = written.catch(() => undefined);
      return written;
    },
    async close() {
      await last;
      // Later output appears below, so the rows above must not be redrawn.
      rows.clear();
      drawn = [];
      tick();
    },
  };
}

/** Stores a line of a build or a pull for its row, and for an error report. */
function hear(
  { name, text }: Extract<Progress, { kind: 'line' }>,
  rows: Map<string, Row>,
  said: Map<string, string[]>,
): void {
  const line = printable(text);
  said.set(name, [...(said.get(name) ?? []), line].slice(-KEPT_LINES));
  for (const [key, row] of rows) if (!row.done && row.name.endsWith(name)) rows.set(key, { ...row, detail: line });
}

function widthsOf(rows: readonly Row[]): { readonly name: number; readonly status: number } {
  return {
    name: Math.max(...rows.map(({ name }) => name.length)),
    status: Math.max(...rows.map(({ status }) => status.length)),
  };
}

function rowText(
  { name, status, done, detail, begun, ended }: Row,
  widths: { readonly name: number; readonly status: number },
  now: number,
  columns: number,
): string {
  const mark = status === 'Failed' ? '✘' : done ? '✔' : '⠿';
  const time = seconds((ended ?? now) - begun).padStart(6);
  const rest = `${status.padEnd(widths.status)} ${time}`;
  // A long name must not move the status off the screen.
  const room = Math.max(8, columns - rest.length - 5);
  const named = name.length > room ? shortened(name, room) : name.padEnd(Math.min(widths.name, room));
  const text = ` ${mark} ${named} ${rest}${detail === '' ? '' : `  ${detail}`}`;
  return text.slice(0, Math.max(10, columns - 1)).trimEnd();
}

/** Without its middle: names of one project begin alike, and end with the service. */
function shortened(name: string, room: number): string {
  const end = Math.floor((room - 1) / 2);
  return `${name.slice(0, room - 1 - end)}…${name.slice(-end)}`;
}

function colourOf({ status, done }: Row): number {
  return status === 'Failed' ? RED : done ? GREEN : YELLOW;
}

function seconds(milliseconds: number): string {
  return `${(Math.max(0, milliseconds) / 1000).toFixed(1)}s`;
}
