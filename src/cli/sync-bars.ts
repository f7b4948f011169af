/** How far a sync is, as bars that a terminal redraws in place: one for each repository in work. */
import type { WriteStream } from 'node:tty';
import type { GenericFormatter, SingleBar } from 'cli-progress';
import cliProgress from 'cli-progress';
import type { Target } from '../sync/targets.js';
import { TABLES_OF } from '../sync/targets.js';
import { endOf, remarks } from './sync-lines.js';
import type { ProgressView } from './sync-progress.js';
import { oneLine } from './one-line.js';
import { describeCounts } from './sync-summary.js';

/** What a bar shows beside its length. */
interface Shown {
  readonly name: string;
  readonly text: string;
  /** Whether it is known how much there is to do: else there is nothing to draw but the text. */
  readonly bounded: boolean;
}

interface InWork {
  readonly bar: SingleBar;
  readonly target: Target;
  stored: string | undefined;
}

const CLEAR_TO_END_OF_LINE = '\u001b[K';

/** Opens the bars. Repositories that are done, and everything else that is said, stay above them as lines. */
export function openBars(stream: WriteStream): ProgressView {
  const bars = new cliProgress.MultiBar({
    stream,
    format,
    barsize: 24,
    barCompleteChar: '\u2588',
    barIncompleteChar: '\u2591',
    emptyOnZero: true,
    clearOnComplete: true,
    // Lines that are written above them move the bars down: each must be drawn anew.
    forceRedraw: true,
    // Neither the cursor nor line wrapping is switched off: a process that is killed could not restore them.
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
        const text = resumed ? 'going on where the last sync stopped' : target;
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
      // What was said last is still to be written.
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
