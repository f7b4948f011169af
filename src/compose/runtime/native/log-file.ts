/**
 * Reads a container's log file in the format of the Container Runtime Interface, written by podman's `k8s-file` driver:
 * `<time> <stdout|stderr> <P|F> <text>`, where P marks a partial line that continues in the next entry of its stream.
 */
import { open, stat, type FileHandle } from 'node:fs/promises';
import type { Clock } from '../clock.js';
import { LONGEST_LOG_LINE } from '../engine/log-line.js';
import { utcTime } from '../engine/time.js';
import { lineCutter } from '../lines.js';
import type { LogLine, OutputStream } from '../records.js';
import type { LogOptions } from '../runtime.js';

const POLL_MS = 100;
const CHUNK = 64 * 1024;

export interface LogFileWatch {
  readonly clock: Clock;
  /** Settles when the container has ended and nothing more will be written. */
  readonly untilEnded: (signal: AbortSignal) => Promise<unknown>;
}

export async function* logFileLines(
  path: string,
  watch: LogFileWatch,
  options: LogOptions,
): AsyncGenerator<LogLine, void> {
  const { follow = false, tail, signal } = options;
  const file = await openLog(path);
  const join = pieceJoiner();
  const wanted = timeFilter(options);
  const left = new AbortController();
  const watching = AbortSignal.any([left.signal, ...(signal === undefined ? [] : [signal])]);
  const end = follow ? endOf(watch, watching) : { reached: true };
  try {
    const kept: LogLine[] = [];
    for await (const entry of file.entries(signal)) {
      for (const line of join.push(entry)) {
        if (!wanted(line)) continue;
        if (tail === undefined) yield line;
        else {
          kept.push(line);
          if (kept.length > tail) kept.shift();
        }
      }
    }
    yield* kept;
    for (;;) {
      // Checked before the read, so that everything written before the end is read.
      const last = end.reached;
      for await (const entry of file.entries(signal)) yield* join.push(entry).filter(wanted);
      if (last) break;
      await watch.clock.sleep(POLL_MS, signal);
    }
    yield* join.rest().filter(wanted);
  } finally {
    left.abort();
    await file.close();
  }
}

interface Entry extends LogLine {
  readonly whole: boolean;
}

/** A failed wait means that the container is gone, which is also an end. */
function endOf(watch: LogFileWatch, signal: AbortSignal): { reached: boolean } {
  const end = { reached: false };
  const reached = (): void => void (end.reached = true);
  watch.untilEnded(signal).then(reached, reached);
  return end;
}

interface LogFile {
  /** Entries written since the last call. */
  entries(signal: AbortSignal | undefined): AsyncGenerator<Entry, void>;
  close(): Promise<void>;
}

/** Podman starts a new file of the same name when the old one grows too large. */
async function openLog(path: string): Promise<LogFile> {
  let handle: FileHandle = await open(path, 'r');
  let cutter = lineCutter(LONGEST_LOG_LINE);
  const buffer = Buffer.alloc(CHUNK);

  async function* written(signal: AbortSignal | undefined): AsyncGenerator<Entry, void> {
    for (;;) {
      signal?.throwIfAborted();
      const { bytesRead } = await handle.read(buffer, 0, CHUNK, null);
      if (bytesRead === 0) return;
      for (const text of cutter.push(buffer.subarray(0, bytesRead))) {
        const entry = parseEntry(text);
        if (entry !== undefined) yield entry;
      }
    }
  }

  return {
    async *entries(signal) {
      yield* written(signal);
      const [now, own] = await Promise.all([stat(path).catch(() => undefined), handle.stat()]);
      if (now === undefined || now.ino === own.ino) return;
      await handle.close();
      handle = await open(path, 'r');
      cutter = lineCutter(LONGEST_LOG_LINE);
      yield* written(signal);
    },
    close: () => handle.close(),
  };
}

function parseEntry(text: string): Entry | undefined {
  const match = /^(\S+) (stdout|stderr) ([PF]) ?(.*)$/s.exec(text);
  const time = utcTime(match?.[1] ?? '');
  if (match === null || time === undefined) return undefined;
  const stream: OutputStream = match[2] === 'stderr' ? 'stderr' : 'stdout';
  return { stream, time, line: match[4] ?? '', whole: match[3] === 'F' };
}

/**
 * A line has the time of its first piece. An empty last piece only marks the end of the line. A line of great length is
 * given in parts.
 */
function pieceJoiner(): { push(entry: Entry): LogLine[]; rest(): LogLine[] } {
  const begun = new Map<OutputStream, { readonly time: string; readonly pieces: string[]; length: number }>();
  const finished = (stream: OutputStream): LogLine[] => {
    const line = begun.get(stream);
    begun.delete(stream);
    return line === undefined ? [] : [{ stream, time: line.time, line: line.pieces.join('').replace(/\r$/, '') }];
  };
  return {
    push({ stream, time, line, whole }) {
      const current = begun.get(stream) ?? { time, pieces: [], length: 0 };
      current.pieces.push(line);
      current.length += line.length;
      begun.set(stream, current);
      return whole || current.length >= LONGEST_LOG_LINE ? finished(stream) : [];
    },
    rest: () => [...finished('stdout'), ...finished('stderr')],
  };
}

/** Compares at the full precision of engine times. */
function timeFilter({ since, until }: LogOptions): (line: LogLine) => boolean {
  const from = since === undefined ? undefined : utcTime(since.toISOString());
  const to = until === undefined ? undefined : utcTime(until.toISOString());
  return ({ time }) => (from === undefined || time >= from) && (to === undefined || time <= to);
}
