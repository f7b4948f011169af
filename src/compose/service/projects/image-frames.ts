/** Converts the progress of building or pulling a project's images to lines of a stream. */
import type { Schemas } from '../../../../generated/compose/operations.js';
import type { RequestContext } from '@plumbline/contract/contract-types';
import type { Orchestration, Progress } from '../../orchestrator/orchestration.js';
import { failedFrame } from '../failed-frame.js';
import { shownText } from '../shown-text.js';

export type ImageFrame =
  | Schemas['ImageStatusFrame']
  | Schemas['ImageLogFrame']
  | Schemas['ImageWarningFrame']
  | Schemas['ImagesDone']
  | Schemas['FailedFrame'];

/** A slow reader neither delays the work nor fills the memory: at most this many lines are queued. */
const mostWaiting = 1024;

/**
 * Starts the work when the first line is requested, and yields its reports.
 *
 * @param stream `signal` ends the work, and the stream without a last line; `release` is called when it has ended
 * @param act returns the services that it processed
 */
export function imageFrames(
  { signal, release }: { readonly signal: AbortSignal; readonly release: () => void },
  context: RequestContext,
  act: (work: Pick<Orchestration, 'report' | 'signal'>) => Promise<readonly string[]>,
): AsyncGenerator<ImageFrame, void> {
  // A stream whose reader leaves before the first line never runs.
  if (signal.aborted) release();
  else signal.addEventListener('abort', release, { once: true });
  return releasing(framesOf(signal, context, act), release);
}

async function* releasing(
  frames: AsyncGenerator<ImageFrame, void>,
  release: () => void,
): AsyncGenerator<ImageFrame, void> {
  try {
    yield* frames;
  } finally {
    release();
  }
}

async function* framesOf(
  signal: AbortSignal,
  context: RequestContext,
  act: (work: Pick<Orchestration, 'report' | 'signal'>) => Promise<readonly string[]>,
): AsyncGenerator<ImageFrame, void> {
  const left = new AbortController();
  const bound = AbortSignal.any([signal, left.signal]);
  const waiting = new WaitingFrames();
  const work = act({
    report: (progress) => {
      waiting.add(progress);
    },
    signal: bound,
  }).then(
    (services) => {
      waiting.end({ type: 'done', services: [...services] });
    },
    (error: unknown) => {
      waiting.end(bound.aborted ? null : failedFrame(error, context));
    },
  );
  try {
    yield* waiting.frames();
  } finally {
    left.abort();
    await work;
  }
}

class WaitingFrames {
  readonly #frames: ImageFrame[] = [];
  #dropped = 0;
  /** Undefined while the work is running. */
  #last: ImageFrame | null | undefined;
  #wake: () => void = () => undefined;

  add(progress: Progress): void {
    if (progress.kind === 'line' && this.#frames.length >= mostWaiting) this.#dropped++;
    else this.#frames.push(frameOf(progress));
    this.#wake();
  }

  end(last: ImageFrame | null): void {
    this.#last = last;
    this.#wake();
  }

  async *frames(): AsyncGenerator<ImageFrame, void> {
    for (;;) {
      const next = this.#frames.shift();
      if (next !== undefined) yield next;
      else if (this.#dropped > 0) {
        const message = `${this.#dropped} lines were dropped because they were read too slowly.`;
        this.#dropped = 0;
        yield { type: 'warning', message };
      } else if (this.#last !== undefined) break;
      else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
    if (this.#last !== null) yield this.#last;
  }
}

function frameOf(progress: Progress): ImageFrame {
  switch (progress.kind) {
    case 'line':
      // A build prints what the project makes it print. A pull is a program of the server.
      return {
        type: 'log',
        name: progress.name,
        line: progress.about === 'build' ? progress.text : shownText(progress.text),
      };
    case 'warning':
      return { type: 'warning', message: shownText(progress.message) };
    case 'status':
      return { type: 'status', name: progress.name, status: progress.status, done: progress.done };
  }
}
