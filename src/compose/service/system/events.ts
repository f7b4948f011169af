/** Streams container events. */
import type { Schemas, StreamEventsHandler, WatchEventsHandler } from '../../../../generated/compose/operations.js';
import { instantOf } from '@plumbline/contract/instant';
import type { RuntimeEvent } from '../../runtime/records.js';
import type { ComposeDependencies } from '../dependencies.js';
import { labelFilter, matchesLabels } from '../label-filter.js';
import { filtered } from '@plumbline/contract/system/async-iterable';
import { itemsAfter, parsePosition, sinceOf, type Position } from '../positions.js';
import { eventsOf, hasItems, streamOf, streamSignal } from '../streams.js';

export const streamEvents: StreamEventsHandler<ComposeDependencies> = async ({ query, context }, dependencies) => {
  const signal = streamSignal(context, dependencies);
  const events = await matchingEvents(query, undefined, signal, dependencies);
  return { status: 200, body: streamOf(events, eventBody, signal, dependencies) };
};

export const watchEvents: WatchEventsHandler<ComposeDependencies> = async (
  { query, headers, context },
  dependencies,
) => {
  const signal = streamSignal(context, dependencies);
  const after = parsePosition(headers['last-event-id']);
  const read = (): Promise<AsyncIterable<RuntimeEvent>> => matchingEvents(query, after, signal, dependencies);
  const isOver = query.until !== undefined && instantOf(query.until) <= dependencies.clock.now();
  if (isOver && !(await hasItems(await read()))) return { status: 204 };
  return { status: 200, body: eventsOf(await read(), after, eventBody, signal, dependencies) };
};

interface EventQuery {
  readonly label?: readonly string[];
  readonly since?: string;
  readonly until?: string;
}

async function matchingEvents(
  { label, since: begin, until }: EventQuery,
  after: Position | undefined,
  signal: AbortSignal,
  { backend }: ComposeDependencies,
): Promise<AsyncIterable<RuntimeEvent>> {
  const since = after === undefined ? begin && instantOf(begin) : sinceOf(after);
  const events = await backend.system.events({
    signal,
    ...labelFilter(label),
    ...(since && { since }),
    ...(until !== undefined && { until: instantOf(until) }),
  });
  const matching = filtered(events, matchesLabels(label));
  return after === undefined ? matching : itemsAfter(matching, after);
}

function eventBody(event: RuntimeEvent): Schemas['ContainerEvent'] {
  const { type, id, name, time, labels, exitCode = null, signal = null, health = null } = event;
  return {
    type: type === 'oomKilled' ? 'oom_killed' : type,
    id,
    name,
    time,
    labels: { ...labels },
    exit_code: exitCode,
    signal,
    health,
  };
}
