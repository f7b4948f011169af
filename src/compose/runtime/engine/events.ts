/** Converts engine events to runtime events. */
import { isRuntimeError } from '../errors.js';
import type { RuntimeEvent } from '../records.js';
import type { EventOptions } from '../runtime.js';
import type { Clock } from '../clock.js';
import type { Engine, EngineEvent } from './engine.js';
import { hasLabels } from './labels.js';
import type { StopLedger } from './stop-ledger.js';
import { utcTime } from './time.js';

export async function runtimeEvents(
  engine: Engine,
  ledger: StopLedger,
  clock: Clock,
  options: EventOptions,
): Promise<AsyncIterable<RuntimeEvent>> {
  const { until, ...rest } = options;
  const events =
    until === undefined
      ? await engine.system.events({ ...rest, live: true })
      : eventsUntil(engine, clock, { since: clock.now(), ...rest }, until);
  return translated(engine, ledger, events, options);
}

/**
 * Yields events until the given time, then those missed up to then. Engines cannot be asked to end the stream: Podman
 * returns nothing for a past end time, and drops unsent events when the end time passes.
 */
async function* eventsUntil(
  engine: Engine,
  clock: Clock,
  options: EventOptions,
  until: Date,
): AsyncGenerator<EngineEvent, void> {
  const { signal } = options;
  const end = utcTime(until.toISOString()) ?? '';
  let told = 0;
  if (clock.now() < until) {
    const over = new AbortController();
    const listening = AbortSignal.any([over.signal, ...(signal === undefined ? [] : [signal])]);
    const timer = clock.sleep(until.getTime() - clock.now().getTime(), listening);
    timer.then(
      () => {
        over.abort();
      },
      () => undefined, // Ended, or aborted by the caller; the iteration reports it.
    );
    try {
      for await (const event of await engine.system.events({ ...options, live: true, signal: listening })) {
        if (event.time > end) break;
        told++;
        yield event;
      }
    } catch (error) {
      if (!over.signal.aborted) throw error;
    } finally {
      over.abort();
    }
  }
  for await (const event of await engine.system.events({ ...options, live: false })) {
    if (event.time <= end && told-- <= 0) yield event;
  }
}

async function* translated(
  engine: Engine,
  ledger: StopLedger,
  events: AsyncIterable<EngineEvent>,
  options: EventOptions,
): AsyncGenerator<RuntimeEvent, void> {
  for await (const event of events) {
    // Podman combines several labels with OR, so check them again here.
    if (!hasLabels(event.labels, options.labels ?? {})) continue;
    if (event.type !== 'ended') yield { ...event, type: event.type };
    else yield { ...event, type: (await wasStopped(engine, ledger, event, options.signal)) ? 'stopped' : 'exited' };
  }
}

async function wasStopped(
  engine: Engine,
  ledger: StopLedger,
  event: EngineEvent,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  // Check for a mark first: most runs have none and then need no further request.
  if (!(await ledger.stopped(event.id, undefined))) return false;
  try {
    const { startedAt } = await engine.containers.inspect(event.id, signal);
    if (await ledger.stopped(event.id, startedAt)) return true;
    // It has been started again since, perhaps within a millisecond, as a restart does: the mark is of the run that
    // has ended.
    const isLater = startedAt !== undefined && Date.parse(startedAt) >= Date.parse(event.time);
    return isLater && (await ledger.wasStopping(event.id, new Date(event.time)));
  } catch (error) {
    if (isRuntimeError(error, 'notFound')) return true;
    throw error;
  }
}
