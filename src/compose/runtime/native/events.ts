/** Streams Podman's container events. */
import type { Clock } from '../clock.js';
import { continuedEvents } from '../engine/continued-events.js';
import type { EngineEvent, EngineEventOptions } from '../engine/engine.js';
import { utcTime } from '../engine/time.js';
import { numberOf, objectOf, parseJson, textMapOf, textOf, type Json } from '../json.js';
import { linesOf } from '../lines.js';
import { labelArguments } from './options.js';
import { podmanFailure } from './failures.js';
import type { RunningProgram } from '../program.js';
import { textOfStream, type Podman } from './podman.js';

/** Podman replays events since the given time, so nothing is missed while it starts. */
// eslint-disable-next-line @typescript-eslint/require-await -- what is thrown must reject
export async function podmanEvents(
  podman: Podman,
  clock: Clock,
  { live, labels = {}, signal, since = clock.now() }: EngineEventOptions,
): Promise<AsyncIterable<EngineEvent>> {
  const open = (begin: Date): AsyncIterable<EngineEvent> => {
    const when = [`--since=${begin.toISOString()}`, `--stream=${live}`];
    const args = ['events', '--format=json', ...when, '--filter=type=container', ...labelArguments(labels)];
    return parsed(podman.start(args, { signal }), podman.secrets);
  };
  // A failed command is final, because there is no engine service that could return.
  return live ? continuedEvents({ open, isLoss: () => false }, since, clock, signal) : open(since);
}

async function* parsed(process: RunningProgram, secrets: readonly string[]): AsyncGenerator<EngineEvent, void> {
  const stderr = textOfStream(process.stderr, 4096);
  stderr.catch(() => undefined); // Asked for only if podman fails.
  try {
    for await (const line of linesOf(process.stdout)) {
      const event = eventOf(objectOf(parseJson(line)));
      if (event !== undefined) yield event;
    }
    if ((await process.exit) !== 0) throw podmanFailure(await stderr, {}, secrets);
  } finally {
    process.end();
    process.stdout.destroy();
  }
}

function eventOf(event: Json): EngineEvent | undefined {
  const type = types[textOf(event.Status)];
  if (type === undefined) return undefined;
  const attributes = textMapOf(event.Attributes);
  const health = textOf(event.health_status);
  return {
    type,
    id: textOf(event.ID),
    name: textOf(event.Name),
    time: utcTime(textOf(event.Time)) ?? '',
    labels: attributes,
    // Podman omits it when it is 0.
    ...(type === 'ended' && { exitCode: numberOf(event.ContainerExitCode) }),
    ...(type === 'killed' && attributes.signal !== undefined && { signal: attributes.signal }),
    ...(type === 'health' && (health === 'starting' || health === 'healthy' || health === 'unhealthy') && { health }),
  };
}

const types: Readonly<Record<string, EngineEvent['type'] | undefined>> = {
  create: 'created',
  start: 'started',
  kill: 'killed',
  died: 'ended',
  oom: 'oomKilled',
  health_status: 'health',
  remove: 'removed',
};
