/** Progress of a sync as bars that a terminal redraws in place: one per active repository. */
import type { WriteStream } from 'node:tty';
import type { GenericFormatter, SingleBar } from 'cli-progress';
import cliProgress from 'cli-progress';
import { TABLES_OF, type Target } from '../sync/targets.js';
import { endOf, remarks } from './sync-lines.js';
import type { ProgressView } from './sync-progress-view.js';
import { oneLine } from './one-line.js';
import { describeCounts } from './sync-summary.js';

/** The texts of a bar. */
interface Shown {
  readonly name: string;
  readonly text: string;
  /** Whether the total is known; otherwise only the text is drawn. */
  readonly bounded: boolean;
}

interface InWork {
  readonly bar: SingleBar;
  readonly target: Target;
  stored: string | undefined;
}

const CLEAR_TO_END_OF_LINE = '\u001b[K';

/** Opens the bars. Lines about completed repositories, and other messages, are printed above them. */
export function openBars(stream: WriteStream): ProgressView {
  const bars = new cliProgress.MultiBar({
    stream,
    format,
    barsize: 24,
    barCompleteChar: '\u2588',
    barIncompleteChar: '\u2591',
    emptyOnZero: true,
    clearOnComplete: true,
    // Lines printed above move the bars down, so all bars are redrawn.
    forceRedraw: true,
    // The cursor and line wrapping stay on: a killed process could not restore them.
    hideCursor: false,
    linewrap: true,
  });
  const inWork = new Map<string, InWork>();
  const say = (line: string): void => {
    bars.log(`${line}${CLEAR_TO_END_OF_LINE}\n`);
    bars.update();
  };
  const showing = (shown: Shown): Shown => shown;

  return {
    progress: {
      ...remarks(say),
      showsTotals: true,
      repositoryStarted: ({ name, target, resumed }) => {
        const text = resumed ? 'resuming the last sync' : target;
        const bar = bars.create(1, 0, showing({ name: oneLine(name), text, bounded: false }));
        inWork.set(name, { bar, target, stored: undefined });
      },
      pageStored: ({ name, records, expected }) => {
        const work = inWork.get(name);
        if (work === undefined) return;
        const [leading] = TABLES_OF[work.target];
        work.stored = describeCounts(records);
        if (expected !== null) work.bar.setTotal(expected);
        const value = leading === undefined ? 0 : (records[leading] ?? 0);
        work.bar.update(value, showing({ name: oneLine(name), text: work.stored, bounded: expected !== null }));
      },
      derivationStarted: ({ name }) => {
        const work = inWork.get(name);
        work?.bar.update(showing({ name: oneLine(name), text: 'work units', bounded: false }));
      },
      repositoryFinished: ({ name, error }) => {
        const work = inWork.get(name);
        inWork.delete(name);
        say(endOf(name, error, work?.stored));
        if (work !== undefined) bars.remove(work.bar);
      },
    },
    close: () => {
      // The last message is not written yet.
      bars.update();
      bars.stop();
    },
  };
}

const format: GenericFormatter = (options, { progress }, payload: Shown) => {
  if (!payload.bounded) return `${payload.name}  ${payload.text}`;
  const percentage = `${Math.floor(progress * 100)}%`.padStart(4);
  return `${payload.name} ${cliProgress.Format.BarFormat(progress, options)}${percentage}  ${payload.text}`;
};
