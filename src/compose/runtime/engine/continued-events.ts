/** Resumes an event stream when the engine ends it. */
import type { Clock } from '../clock.js';
import type { EngineEvent } from './engine.js';

/** How long a restarting engine may be unavailable. */
const AWAY_MS = 30_000;
const PAUSE_MS = 250;
/** Podman's processes write events in parallel, so events can arrive slightly out of order. */
const OVERLAP_MS = 1000;

export interface EventSource {
  /** Requests events since then and, immediately, new ones. */
  open(since: Date): AsyncIterable<EngineEvent>;
  /** Whether the error means that the engine is unavailable and may return. */
  isLoss(error: unknown): boolean;
}

/**
 * Podman rotates its event log at one megabyte and drops readers. Every engine ends its streams when it restarts. The
 * next stream starts where the previous one ended, and no event is reported twice.
 *
 * @throws what the source throws; a loss only if the engine does not return within 30 seconds
 */
export function continuedEvents(
  source: EventSource,
  begin: Date,
  clock: Clock,
  signal: AbortSignal | undefined,
): AsyncIterable<EngineEvent> {
  return continued(source, begin, source.open(begin), clock, signal);
}

async function* continued(
  source: EventSource,
  begin: Date,
  first: AsyncIterable<EngineEvent>,
  clock: Clock,
  signal: AbortSignal | undefined,
): AsyncGenerator<EngineEvent, void> {
  let since = begin;
  let stream = first;
  let lostAt: Date | undefined;
  const told = new Map<string, number>();
  for (;;) {
    try {
      for await (const event of stream) {
        lostAt = undefined;
        const key = JSON.stringify(event);
        if (told.has(key)) continue;
        const time = Date.parse(event.time);
        since = new Date(Math.max(since.getTime(), time - OVERLAP_MS));
        for (const [earlier, at] of told) if (at < since.getTime()) told.delete(earlier);
        told.set(key, time);
        yield event;
      }
      lostAt = undefined;
    } catch (error) {
      if (!source.isLoss(error)) throw error;
      lostAt ??= clock.now();
      if (clock.now().getTime() - lostAt.getTime() > AWAY_MS) throw error;
    }
    await clock.sleep(PAUSE_MS, signal);
    stream = source.open(since);
  }
}
