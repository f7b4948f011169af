/** Streams container events. */
import type { Schemas, StreamEventsHandler } from '../../../../generated/compose/operations.js';
import type { RuntimeEvent } from '../../runtime/records.js';
import type { ComposeDependencies } from '../dependencies.js';
import { labelFilter, matchesLabels } from '../label-filter.js';
import { filtered } from '../../../system/async-iterable.js';
import { streamOf, streamSignal } from '../streams.js';

export const streamEvents: StreamEventsHandler<ComposeDependencies> = async ({ query, context }, dependencies) => {
  const signal = streamSignal(context, dependencies);
  const events = await dependencies.backend.system.events({
    signal,
    ...labelFilter(query.label),
    ...(query.since !== undefined && { since: new Date(query.since) }),
    ...(query.until !== undefined && { until: new Date(query.until) }),
  });
  const matching = filtered(events, matchesLabels(query.label));
  return { status: 200, body: streamOf(matching, eventBody, signal, dependencies) };
};

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
