/** Streams the engine's container events. */
import type { Readable } from 'node:stream';
import type { Clock } from '../clock.js';
import { continuedEvents } from '../engine/continued-events.js';
import type { EngineEvent, EngineEventOptions } from '../engine/engine.js';
import { engineFilters } from '../engine/labels.js';
import { epochSeconds, utcTime, utcTimeOf } from '../engine/time.js';
import { numberOf, objectOf, parseJson, textMapOf, textOf, type Json } from '../json.js';
import { linesOf } from '../lines.js';
import { chunksOf, type EngineClient } from './client.js';
import { isAway } from './failures.js';

/**
 * The request is not awaited, because Podman sends no headers before the first event. Nothing is missed: the engine's
 * time is read first, and events since then are replayed.
 */
export async function engineEvents(
  client: EngineClient,
  clock: Clock,
  { live, labels = {}, signal, ...options }: EngineEventOptions,
): Promise<AsyncIterable<EngineEvent>> {
  const begin = options.since ?? (await engineTime(client, signal));
  const filters = JSON.stringify({ type: ['container'], ...engineFilters(labels) });
  const open = (query: Readonly<Record<string, string | boolean>>): AsyncIterable<EngineEvent> => {
    const response = client.stream({}, { method: 'GET', path: '/events', query: { ...query, filters }, signal });
    response.catch(() => undefined); // The iteration reports the error.
    return parsed(client, response, signal);
  };
  if (live) {
    const source = { open: (since: Date) => open({ since: epochSeconds(since) }), isLoss: isAway };
    return continuedEvents(source, begin, clock, signal);
  }
  const since = epochSeconds(begin);
  if (await client.isPodman(signal)) return open({ since, stream: false });
  // Docker ends the stream once the time has passed. The current millisecond has passed by the time it replies.
  const until = new Date((await engineTime(client, signal)).getTime() + 1);
  return open({ since, until: epochSeconds(until) });
}

async function* parsed(
  client: EngineClient,
  response: Promise<Readable>,
  signal: AbortSignal | undefined,
): AsyncGenerator<EngineEvent, void> {
  for await (const line of linesOf(chunksOf(client, await response, signal))) {
    const event = eventOf(objectOf(parseJson(line)));
    if (event !== undefined) yield event;
  }
}

async function engineTime(client: EngineClient, signal: AbortSignal | undefined): Promise<Date> {
  const info = objectOf(await client.call({}, { method: 'GET', path: '/info', signal }));
  const time = Date.parse(utcTime(textOf(info.SystemTime)) ?? '');
  return Number.isNaN(time) ? new Date() : new Date(time);
}

/** Undefined for events that do not change a container's state: exec, attach, resize and the like. */
function eventOf(event: Json): EngineEvent | undefined {
  const action = textOf(event.Action) || textOf(event.status);
  const actor = objectOf(event.Actor);
  const { name = '', exitCode, containerExitCode, signal, ...attributes } = textMapOf(actor.Attributes);
  const type = typeOf(action);
  if (type === undefined) return undefined;
  const { image: _image, execDuration: _duration, ...labels } = attributes;
  const health = action.split(': ')[1] ?? (textOf(event.HealthStatus) || attributes.health_status);
  const nanoseconds = numberOf(event.timeNano);
  return {
    type,
    id: textOf(actor.ID) || textOf(event.id),
    name,
    time: utcTimeOf(Math.floor(nanoseconds / 1e9), Math.round(nanoseconds % 1e9)),
    labels,
    ...(type === 'ended' && { exitCode: numberOf(exitCode ?? containerExitCode) }),
    ...(type === 'killed' && signal !== undefined && { signal }),
    ...(type === 'health' && isHealth(health) && { health }),
  };
}

function typeOf(action: string): EngineEvent['type'] | undefined {
  switch (action.split(':')[0] ?? '') {
    case 'create':
      return 'created';
    case 'start':
      return 'started';
    case 'kill':
      return 'killed';
    case 'die':
    case 'died':
      return 'ended';
    case 'oom':
      return 'oomKilled';
    case 'health_status':
      return 'health';
    case 'destroy':
    case 'remove':
      return 'removed';
    default:
      return undefined;
  }
}

function isHealth(text: string | undefined): text is 'starting' | 'healthy' | 'unhealthy' {
  return text === 'starting' || text === 'healthy' || text === 'unhealthy';
}
