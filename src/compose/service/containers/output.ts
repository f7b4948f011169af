/** Container logs, statistics and processes. */
import type {
  GetContainerLogsHandler,
  GetContainerStatsHandler,
  ListContainerProcessesHandler,
  ListContainerStatsHandler,
  Schemas,
  WatchContainerLogsHandler,
} from '../../../../generated/compose/operations.js';
import { instantOf } from '@plumbline/contract/instant';
import { isRuntimeError } from '../../runtime/errors.js';
import type { ContainerRecord, LogLine, StatsSample } from '../../runtime/records.js';
import type { LogOptions } from '../../runtime/runtime.js';
import type { ComposeDependencies } from '../dependencies.js';
import { answering } from '../failure-replies.js';
import { toAsyncIterable } from '@plumbline/contract/system/async-iterable';
import { listMatching } from '../label-filter.js';
import { itemsAfter, parsePosition, sinceOf } from '../positions.js';
import { eventsOf, hasItems, streamOf, streamSignal } from '../streams.js';

export const getContainerLogs: GetContainerLogsHandler<ComposeDependencies> = (
  { params, query, context },
  dependencies,
) =>
  answering(['RuntimeError.notFound'], async () => {
    const { follow, until } = query;
    const signal = streamSignal(context, dependencies);
    const lines = await dependencies.backend.containers.logs(params.id, {
      signal,
      follow,
      ...firstLines(query),
      ...(until !== undefined && { until: instantOf(until) }),
    });
    return { status: 200, body: streamOf(lines, logBody, signal, dependencies) };
  });

export const watchContainerLogs: WatchContainerLogsHandler<ComposeDependencies> = (
  { params, query, headers, context },
  dependencies,
) =>
  answering(['RuntimeError.notFound'], async () => {
    const { containers } = dependencies.backend;
    const signal = streamSignal(context, dependencies);
    const after = parsePosition(headers['last-event-id']);
    const container = await containers.inspect(params.id, { signal });
    const follow = isActive(container);
    const read = async (): Promise<AsyncIterable<LogLine>> => {
      const options = { signal, follow };
      if (after === undefined) return containers.logs(container.id, { ...options, ...firstLines(query) });
      return itemsAfter(await containers.logs(container.id, { ...options, since: sinceOf(after) }), after);
    };
    if (!follow && !(await hasItems(await read()))) return { status: 204 };
    return { status: 200, body: eventsOf(await read(), after, logBody, signal, dependencies) };
  });

/** Whether a container may print. */
export function isActive({ status }: ContainerRecord): boolean {
  return status === 'running' || status === 'stopping';
}

/** Where the output begins, as the query says. */
export function firstLines({
  tail,
  since,
}: {
  readonly tail: string;
  readonly since?: string;
}): Pick<LogOptions, 'tail' | 'since'> {
  return {
    ...(tail !== 'all' && { tail: Number(tail) }),
    ...(since !== undefined && { since: instantOf(since) }),
  };
}

export const getContainerStats: GetContainerStatsHandler<ComposeDependencies> = (
  { params, query, context },
  dependencies,
) =>
  answering(['RuntimeError.notFound', 'RuntimeError.invalidState'], async () => {
    const { containers } = dependencies.backend;
    const signal = streamSignal(context, dependencies);
    const samples = query.stream
      ? await containers.followStats(params.id, { signal, intervalMs: query.interval_seconds * 1000 })
      : toAsyncIterable([await containers.stats(params.id, { signal })]);
    return { status: 200, body: streamOf(samples, statsBody, signal, dependencies) };
  });

/** One request for many containers. It does not fail when some have ended since the caller saw them running. */
export const listContainerStats: ListContainerStatsHandler<ComposeDependencies> = async (
  { query, context },
  dependencies,
) => {
  const { containers } = dependencies.backend;
  const signal = streamSignal(context, dependencies);
  const matching = await listMatching(query.label, (filter) => containers.list({ signal, ...filter }));
  const running = matching.filter(({ status }) => status === 'running');
  const samples = await Promise.all(
    running.map(({ id }) =>
      containers.stats(id, { signal }).catch((error: unknown) => {
        if (isRuntimeError(error, 'notFound') || isRuntimeError(error, 'invalidState')) return null;
        throw error;
      }),
    ),
  );
  const taken = samples.filter((sample) => sample !== null);
  return { status: 200, body: streamOf(toAsyncIterable(taken), statsBody, signal, dependencies) };
};

export const listContainerProcesses: ListContainerProcessesHandler<ComposeDependencies> = (
  { params, context },
  { backend },
) =>
  answering(['RuntimeError.notFound', 'RuntimeError.invalidState'], async () => {
    const { titles, processes } = await backend.containers.top(params.id, { signal: context.signal });
    return { status: 200, body: { titles: [...titles], processes: processes.map((row) => [...row]) } };
  });

function logBody({ stream, time, line }: LogLine): Schemas['LogLine'] {
  return { stream, time, line };
}

function statsBody(sample: StatsSample): Schemas['StatsSample'] {
  return {
    id: sample.id,
    sampled_at: sample.sampledAt,
    cpu_usage_microseconds: sample.cpuUsageMicroseconds,
    memory_usage_bytes: sample.memoryUsageBytes,
    memory_limit_bytes: sample.memoryLimitBytes,
    processes: sample.processes,
    block_read_bytes: sample.blockReadBytes,
    block_write_bytes: sample.blockWriteBytes,
    networks: sample.networks.map((traffic) => ({
      interface: traffic.interface,
      received_bytes: traffic.receivedBytes,
      transmitted_bytes: traffic.transmittedBytes,
    })),
  };
}
