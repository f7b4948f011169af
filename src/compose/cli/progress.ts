/** Shows how far a command is: one line per resource on a terminal, redrawn in place; plain lines otherwise. */
import type { Progress } from '../orchestrator/orchestration.js';
import type { Output } from './io.js';
import { GREEN, paint, printable, RED, YELLOW } from './text.js';

export const PROGRESS_STYLES = ['auto', 'tty', 'plain', 'json', 'quiet'] as const;
export type ProgressStyle = (typeof PROGRESS_STYLES)[number];

export interface ProgressView {
  report(progress: Progress): void;
  /** Settles when all has been written. */
  close(): Promise<void>;
}

export function progressView(output: Output, style: ProgressStyle, coloured: boolean): ProgressView {
  const lines = queued(output);
  const warn = (message: string): string => `${paint('warning:', YELLOW, coloured)} ${message}\n`;
  switch (style === 'auto' ? (output.isTerminal ? 'tty' : 'plain') : style) {
    case 'json':
      return {
        report: (progress) => {
          lines.add(`${JSON.stringify(progress)}\n`);
        },
        close: lines.drained,
      };
    case 'quiet':
      return {
        report: (progress) => {
          if (progress.kind === 'warning') lines.add(warn(progress.message));
        },
        close: lines.drained,
      };
    case 'tty':
      return live(output, lines, coloured, warn);
    case 'plain':
      return {
        report: (progress) => {
          lines.add(plainLine(progress, warn));
        },
        close: lines.drained,
      };
  }
}

function plainLine(progress: Progress, warn: (message: string) => string): string {
  switch (progress.kind) {
    case 'warning':
      return warn(progress.message);
    case 'line':
      return `${progress.name}: ${printable(progress.text)}\n`;
    case 'status':
      return `${progress.resource} ${progress.name} ${progress.status}\n`;
  }
}

interface Queue {
  add(text: string): void;
  drained(): Promise<void>;
}

/** Writes one after the other, in order. */
function queued(output: Output): Queue {
  let last = Promise.resolve();
  return {
    add(text) {
      last = last.then(() => output.write(text));
    },
    drained: () => last,
  };
}

/** How much of a failed build is shown. */
const KEPT_LINES = 30;

function live(output: Output, lines: Queue, coloured: boolean, warn: (message: string) => string): ProgressView {
  const rows = new Map<string, { name: string; status: string; done: boolean; detail: string }>();
  const said = new Map<string, string[]>();
  let drawn = 0;
  const redraw = (above = ''): void => {
    const up = drawn === 0 ? '' : `\u001b[${drawn}A\u001b[0J`;
    // More rows than the terminal has cannot be redrawn: those that are done scroll away first.
    const room = Math.max(1, output.rows - 2);
    const done = [...rows].filter(([, row]) => row.done);
    let scrolled = '';
    for (const [key, row] of done.slice(0, Math.max(0, rows.size - room))) {
      scrolled += rowText(row);
      rows.delete(key);
    }
    const shown = [...rows.values()].slice(0, room);
    drawn = shown.length;
    lines.add(up + above + scrolled + shown.map(rowText).join(''));
  };
  const rowText = ({
    name,
    status,
    done,
    detail,
  }: {
    name: string;
    status: string;
    done: boolean;
    detail: string;
  }): string => {
    const mark = status === 'Failed' ? '✘' : done ? '✔' : '⠿';
    const text = ` ${mark} ${name} ${status}${detail === '' ? '' : ` ${detail}`}`;
    const cut = text.slice(0, Math.max(10, output.columns - 1));
    return `${paint(cut, status === 'Failed' ? RED : done ? GREEN : YELLOW, coloured)}\n`;
  };
  return {
    report(progress) {
      if (progress.kind === 'warning') redraw(warn(progress.message));
      else if (progress.kind === 'line') {
        const text = printable(progress.text);
        said.set(progress.name, [...(said.get(progress.name) ?? []), text].slice(-KEPT_LINES));
        for (const row of rows.values()) if (!row.done && row.name.endsWith(progress.name)) row.detail = text;
        redraw();
      } else {
        const name = `${progress.resource} ${progress.name}`;
        rows.set(name, { name, status: progress.status, done: progress.done, detail: '' });
        const failed = progress.status === 'Failed' ? [...said.values()].flat().map((line) => `${line}\n`) : [];
        redraw(failed.join(''));
      }
    },
    close() {
      // What is printed from here on stands below, and must not be redrawn over.
      rows.clear();
      drawn = 0;
      return lines.drained();
    },
  };
}
