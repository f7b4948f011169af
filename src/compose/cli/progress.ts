/** Shows the progress of a command: redrawn in place on a terminal, as plain lines, as JSON, or not at all. */
import type { Progress } from '../orchestrator/orchestration.js';
import type { Output } from './io.js';
import { liveView } from './live-progress.js';
import { DRY_RUN, type ProgressOptions, type ProgressView } from './progress-view.js';
import { paint, printable, YELLOW } from './text.js';

export function progressView(output: Output, options: ProgressOptions): ProgressView {
  const warn = (message: string): string => `${paint('warning:', YELLOW, options.coloured)} ${message}\n`;
  const { style, isDryRun } = options;
  switch (style === 'auto' ? (output.isTerminal ? 'tty' : 'plain') : style) {
    case 'json':
      return lineView(
        output,
        (progress) => `${JSON.stringify(isDryRun ? { ...progress, dryRun: true } : progress)}\n`,
        (message) => `${JSON.stringify({ kind: 'note', message })}\n`,
      );
    case 'quiet':
      return lineView(
        output,
        (progress) => (progress.kind === 'warning' ? warn(progress.message) : ''),
        () => '',
      );
    case 'tty':
      return liveView(output, warn, options);
    case 'plain':
      return lineView(
        output,
        (progress) => plainLine(progress, warn, isDryRun ? DRY_RUN : ''),
        (text) => `${text}\n`,
      );
  }
}

/** Writes lines in order. */
function lineView(
  output: Output,
  lineOf: (progress: Progress) => string,
  noteOf: (text: string) => string,
): ProgressView {
  let last = Promise.resolve();
  const add = (text: string): void => {
    if (text !== '') last = last.then(() => output.write(text));
  };
  return {
    report: (progress) => {
      add(lineOf(progress));
    },
    note: (text) => {
      add(noteOf(text));
    },
    beside: (write) => write(),
    close: () => last,
  };
}

function plainLine(progress: Progress, warn: (message: string) => string, prefix: string): string {
  switch (progress.kind) {
    case 'warning':
      return warn(progress.message);
    case 'line':
      return `${prefix}${progress.name}: ${printable(progress.text)}\n`;
    case 'status':
      return `${prefix}${progress.resource} ${progress.name} ${progress.status}\n`;
  }
}
