/** The engine's events about containers. */
import type { Readable } from 'node:stream';
import type { EngineEvent, EngineEventOptions } from '../engine/engine.js';
import { engineFilters } from '../engine/labels.js';
import { epochSeconds, utcTime, utcTimeOf } from '../engine/time.js';
import { numberOf, objectOf, parseJson, textMapOf, textOf, type Json } from '../json.js';
import { linesOf } from '../lines.js';
import { chunksOf, type EngineClient } from './client.js';

/**
 * Podman sends not even headers before the first event, so the request is not awaited. Nothing is missed for
 * it: the engine is asked for its own time first, and events since then are played back.
 */
export async function engineEvents(
  client: EngineClient,
  options: EngineEventOptions,
): Promise<AsyncIterable<EngineEvent>> {
  const { signal } = options;
  const since = options.since === undefined ? await engineTime(client, signal) : epochSeconds(options.since);
  const response = client.stream(
    {},
    {
      method: 'GET',
      path: '/events?',
      query: {
        since,
        // Podman ends on its own word, Docker at a time that has passed.
        ...(!options.live && {
          stream: false,
          ...(!(await client.isPodman(signal)) && { until: await engineTime(client, signal) }),
        }),
        filters: JSON.stringify({ type: ['container'], ...engineFilters(options.labels ?? {}) }),
      },
      signal,
    },
  );
  response.catch(() => undefined); // Whoever iterates gets it.
  return parsed(client, response, signal);
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

async function engineTime(client: EngineClient, signal: AbortSignal | undefined): Promise<string> {
  const info = objectOf(await client.call({}, signal, (docker) => docker.info()));
  const time = utcTime(textOf(info.SystemTime)) ?? utcTime(new Date().toISOString()) ?? '';
  return `${Math.floor(Date.parse(time) / 1000)}.${time.slice(20, 29)}`;
}

/** Undefined for what is no change of a container's life: exec, attach, resize, and the like. */
export function eventOf(event: Json): EngineEvent | undefined {
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
