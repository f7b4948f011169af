/** The events of tasks. A swarm has none, so its tasks are compared again and again. */
import type { Clock } from '../clock.js';
import { hasLabels } from '../engine/labels.js';
import type { ContainerRecord, RuntimeEvent } from '../records.js';
import type { ContainerOperations, EventOptions } from '../runtime.js';

const POLL_MS = 1000;

/** Changes between two polls are reported as one event. With `since`, the latest change of each task since then comes first. */
export async function taskEvents(
  containers: ContainerOperations,
  clock: Clock,
  options: EventOptions,
): Promise<AsyncIterable<RuntimeEvent>> {
  const { signal } = options;
  return changes(containers, clock, await containers.list(signal && { signal }), options);
}

async function* changes(
  containers: ContainerOperations,
  clock: Clock,
  first: readonly ContainerRecord[],
  { labels = {}, since, until, signal }: EventOptions,
): AsyncGenerator<RuntimeEvent, void> {
  const isAsked = ({ labels: own }: RuntimeEvent): boolean => hasLabels(own, labels);
  if (since !== undefined) {
    const start = since.toISOString();
    yield* first.map((record) => eventOf(record, clock)).filter((event) => event.time >= start && isAsked(event));
  }
  for (let before = first; until === undefined || clock.now() < until;) {
    await clock.sleep(POLL_MS, signal);
    const now = await containers.list(signal && { signal });
    yield* differences(before, now, clock).filter(isAsked);
    before = now;
  }
}

function differences(
  before: readonly ContainerRecord[],
  now: readonly ContainerRecord[],
  clock: Clock,
): RuntimeEvent[] {
  const earlier = new Map(before.map((record) => [record.id, record.status]));
  const later = new Set(now.map(({ id }) => id));
  const time = clock.now().toISOString();
  return [
    ...before.filter(({ id }) => !later.has(id)).map((record) => ({ ...eventOf(record, clock), type: REMOVED, time })),
    ...now.filter(({ id, status }) => earlier.get(id) !== status).map((record) => eventOf(record, clock)),
  ];
}

const REMOVED = 'removed' as const;

function eventOf(record: ContainerRecord, clock: Clock): RuntimeEvent {
  const { id, name, labels, status, createdAt, startedAt, finishedAt, exitCode } = record;
  const event = { id, name, labels };
  switch (status) {
    case 'created':
      return { ...event, type: 'created', time: createdAt };
    case 'running':
      return { ...event, type: 'started', time: startedAt ?? createdAt };
    case 'stopping':
      return { ...event, type: 'killed', time: clock.now().toISOString() };
    case 'stopped':
    case 'exited':
      return {
        ...event,
        type: status,
        time: finishedAt ?? clock.now().toISOString(),
        ...(exitCode !== undefined && { exitCode }),
      };
  }
}
