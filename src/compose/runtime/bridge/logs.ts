/** Reads a container's log line by line. */
import type { EngineContainer } from '../engine/engine.js';
import { LONGEST_LOG_LINE, logLine } from '../engine/log-line.js';
import { epochSeconds } from '../engine/time.js';
import { linesOf } from '../lines.js';
import type { LogLine, OutputChunk, OutputStream } from '../records.js';
import type { LogOptions } from '../runtime.js';
import { chunksOf, type EngineClient } from './client.js';
import { framesOf } from './frames.js';
import { segment } from './requests.js';

export async function containerLogs(
  client: EngineClient,
  container: EngineContainer,
  options: LogOptions,
): Promise<AsyncIterable<LogLine>> {
  const { signal } = options;
  const stream = await client.stream(
    { id: container.id },
    {
      method: 'GET',
      path: `/containers/${segment(container.id)}/logs`,
      query: {
        stdout: true,
        stderr: true,
        timestamps: true,
        follow: options.follow ?? false,
        ...(options.since && { since: epochSeconds(options.since) }),
        ...(options.until && { until: epochSeconds(options.until) }),
        ...(options.tail !== undefined && { tail: options.tail }),
      },
      signal,
    },
  );
  const chunks = chunksOf(client, stream, signal);
  return container.tty ? plainLines(chunks) : framedLines(framesOf(chunks));
}

/** The lines of a container with a tty. */
export async function* plainLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<LogLine, void> {
  for await (const line of linesOf(chunks, LONGEST_LOG_LINE)) yield logLine('stdout', line);
}

/**
 * One frame is one log entry with its own time. A line longer than the engine's buffer arrives as several entries, of
 * which only the last has the line end; the pieces are joined.
 */
export async function* framedLines(frames: AsyncIterable<OutputChunk>): AsyncGenerator<LogLine, void> {
  const begun = new Map<OutputStream, LogLine>();
  for await (const { stream, data } of frames) {
    // A Podman frame may hold several whole lines.
    const text = Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('utf8');
    const isOne = text.indexOf('\n') === text.length - 1;
    for (const piece of isOne ? [text] : text.split(/(?<=\n)/)) {
      const entry = logLine(stream, piece.replace(/\r?\n$/, ''));
      const before = begun.get(stream);
      const whole = before === undefined ? entry : { ...before, line: before.line + entry.line };
      if (piece.endsWith('\n') || whole.line.length >= LONGEST_LOG_LINE) {
        begun.delete(stream);
        yield whole;
      } else begun.set(stream, whole);
    }
  }
  for (const rest of begun.values()) yield rest;
}
