/** Events that go on although their engine ends the stream of them. */
import type { Clock } from '../clock.js';
import type { EngineEvent } from './engine.js';

/** How long an engine that is started again may be away. */
const AWAY_MS = 30_000;
const PAUSE_MS = 250;
/** Podman's processes write their events side by side, so one that happened earlier can come a little later. */
const OVERLAP_MS = 1000;

export interface EventSource {
  /** Asks, at once, for what has happened since then and for what is to come. */
  open(since: Date): AsyncIterable<EngineEvent>;
  /** Is this how it looks when the engine goes away, perhaps to come back? */
  isLoss(error: unknown): boolean;
}

/**
 * Podman turns its log over at a megabyte and drops whoever reads it; any engine ends its streams when it is started
 * again. The next stream begins where the one before has ended, and nothing that was told is told twice.
 *
 * @throws what the source throws; a loss only when the engine has not come back within 30 seconds
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
