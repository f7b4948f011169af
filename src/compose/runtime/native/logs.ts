/** Reads a container's log line by line. */
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import type { Clock } from '../clock.js';
import type { EngineContainer } from '../engine/engine.js';
import { LONGEST_LOG_LINE, logLine } from '../engine/log-line.js';
import { linesOf } from '../lines.js';
import type { LogLine, OutputStream } from '../records.js';
import type { LogOptions } from '../runtime.js';
import { option } from './options.js';
import { podmanFailure } from './failures.js';
import { logFileLines } from './log-file.js';
import type { RunningProgram } from '../program.js';
import type { Podman } from './podman.js';

/** The time for which lines of one stream wait for older lines of the other. */
const SETTLE_MS = 20;
/** The number of unread lines at which podman is paused. */
const MOST_WAITING = 5000;
/** The number of unread characters at which podman is paused, too. */
const MOST_CHARACTERS_WAITING = 4 * LONGEST_LOG_LINE;

export interface LogSource {
  readonly podman: Podman;
  readonly clock: Clock;
  readonly untilEnded: (signal: AbortSignal) => Promise<unknown>;
}

/**
 * Reads podman's log file if there is one, because it preserves the order of the two streams and marks partial lines.
 * `podman logs` loses both; it is used if there is no file (journald).
 */
export async function containerLogs(
  source: LogSource,
  container: EngineContainer,
  options: LogOptions,
): Promise<AsyncIterable<LogLine>> {
  const { podman, clock } = source;
  if (container.logFile !== undefined && (await isReadable(container.logFile))) {
    return logFileLines(container.logFile, source, options);
  }
  const process = podman.start(
    [
      'logs',
      '--timestamps',
      ...(options.follow ? ['--follow'] : []),
      ...option('--since', options.since?.toISOString()),
      ...option('--until', options.until?.toISOString()),
      ...option('--tail', options.tail),
      container.id,
    ],
    { signal: options.signal },
  );
  return lines(process, clock);
}

function isReadable(path: string): Promise<boolean> {
  return access(path, constants.R_OK).then(
    () => true,
    () => false,
  );
}

/**
 * Podman writes the two streams to two pipes, whose relative order is lost. Lines that arrive within the same short
 * interval are sorted by their times.
 */
async function* lines(process: RunningProgram, clock: Clock): AsyncGenerator<LogLine, void> {
  let waiting: LogLine[] = [];
  let characters = 0;
  let wake: (() => void) | undefined;
  const release: (() => void)[] = [];
  const notice = (): void => {
    wake?.();
    wake = undefined;
  };

  const read = async (stream: OutputStream, source: Readable): Promise<void> => {
    for await (const text of linesOf(source, LONGEST_LOG_LINE)) {
      waiting.push(logLine(stream, text));
      characters += text.length;
      notice();
      const isFull = waiting.length >= MOST_WAITING || characters >= MOST_CHARACTERS_WAITING;
      if (isFull) await new Promise<void>((resolve) => release.push(resolve));
    }
  };
  let over = false;
  const finished = Promise.all([read('stdout', process.stdout), read('stderr', process.stderr), process.exit])
    .then(([, , code]) => code)
    .finally(() => {
      over = true;
      notice();
    });
  finished.catch(() => undefined); // Awaited at the end.

  try {
    // eslint-disable-next-line @typescript-eslint/no-unnecessary-condition -- set when the process is finished, which the compiler does not see
    while (!over || waiting.length > 0) {
      if (waiting.length === 0) await new Promise<void>((resolve) => (wake = resolve));
      // eslint-disable-next-line @typescript-eslint/no-unnecessary-condition -- the process may have finished during the wait
      if (!over) await clock.sleep(SETTLE_MS);
      const batch = waiting;
      [waiting, characters] = [[], 0];
      for (const free of release.splice(0)) free();
      yield* batch.sort((one, other) => (one.time < other.time ? -1 : one.time > other.time ? 1 : 0));
    }
    const code = await finished;
    if (code !== 0) throw podmanFailure(`podman logs ended with exit code ${code}`, {}, []);
  } finally {
    process.end();
    // The reader has left; podman must be able to end without blocking on the pipes.
    process.stdout.destroy();
    process.stderr.destroy();
    for (const free of release.splice(0)) free();
  }
}
