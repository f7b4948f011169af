/**
 * The containers of a swarm: the tasks of its services. The swarm starts and replaces them, so they can be read, and
 * those of the connected node can also run commands. Everything else is refused.
 */
import type { Clock } from '../clock.js';
import type { EngineClient } from '../bridge/client.js';
import type { ClusterOperations, ClusterService, ClusterTask } from '../cluster.js';
import { hasLabels } from '../engine/labels.js';
import { notFound, notSupported, RuntimeError } from '../errors.js';
import { hasEnded, requireStatus } from '../lifecycle.js';
import type { ContainerRecord, ExitRecord, HealthStatus } from '../records.js';
import type { Abortable, ContainerOperations, LabelFilter } from '../runtime.js';
import { PROJECT_LABEL, STACK_LABEL } from './labels.js';
import { currentTasks } from './task-list.js';
import { taskLogs } from './task-logs.js';
import { stoppedRecords, taskRecord } from './task-record.js';

export interface SwarmParts {
  readonly client: EngineClient;
  readonly clock: Clock;
  readonly cluster: ClusterOperations;
  /** The containers of the connected node. */
  readonly local: ContainerOperations;
  /** The id of the connected node. */
  readonly nodeId: string;
}

const POLL_MS = 500;
const DEFAULT_WAIT_SECONDS = 60;

export function swarmContainers(parts: SwarmParts): ContainerOperations {
  const { client, clock, local, nodeId } = parts;
  const inspect = async (id: string, { signal }: Abortable = {}): Promise<ContainerRecord> =>
    (await observed(parts, id, signal)).record;

  const list: ContainerOperations['list'] = ({ labels = {}, signal } = {}) => listed(parts, labels, signal);

  /** The task's container on the connected node. */
  const onThisNode = async (operation: 'exec' | 'top' | 'stats', id: string, signal?: AbortSignal): Promise<string> => {
    const { record, task } = await observed(parts, id, signal);
    requireStatus(operation, id, record.status);
    if (task?.node?.id !== nodeId) throw notSupported(`${operation} on node ${task?.node?.hostname ?? ''}`, 'swarm');
    return task.containerId;
  };

  return {
    ...refused(),
    inspect,
    list,
    summaries: list,
    async logs(id, options = {}) {
      const { record, task } = await observed(parts, id, options.signal);
      return taskLogs({ client, clock, inspect, record, task }, options);
    },
    async port(id, { containerPort, protocol, signal } = {}) {
      const { ports } = await inspect(id, signal && { signal });
      return ports.filter(
        (port) =>
          (containerPort === undefined || port.containerPort === containerPort) &&
          (protocol === undefined || port.protocol === protocol),
      );
    },
    exec: async (id, spec, options = {}) => local.exec(await onThisNode('exec', id, options.signal), spec, options),
    top: async (id, options = {}) => local.top(await onThisNode('top', id, options.signal), options),
    stats: async (id, options = {}) => ({
      ...(await local.stats(await onThisNode('stats', id, options.signal), options)),
      id,
    }),
    async followStats(id, options = {}) {
      return named(await local.followStats(await onThisNode('stats', id, options.signal), options), id);
    },
    wait: (id, options = {}) => awaitTask(parts, id, { timeoutSeconds: DEFAULT_WAIT_SECONDS, ...options }),
    async watchHealth(id, { signal } = {}) {
      return healthChanges(clock, inspect, await inspect(id, signal && { signal }), signal);
    },
  };
}

/** `InternalOperations.awaitExit` */
export async function awaitTask(
  parts: SwarmParts,
  id: string,
  { timeoutSeconds = Infinity, signal }: Abortable & { readonly timeoutSeconds?: number },
): Promise<ExitRecord> {
  const { clock } = parts;
  const begun = clock.now().getTime();
  for (;;) {
    const { record } = await observed(parts, id, signal);
    if (hasEnded(record.status)) {
      return { exitCode: record.exitCode ?? 0, exitedAt: record.finishedAt ?? clock.now().toISOString() };
    }
    if (clock.now().getTime() - begun >= timeoutSeconds * 1000) {
      throw new RuntimeError({ case: 'timeout', id, seconds: timeoutSeconds });
    }
    await clock.sleep(POLL_MS, signal);
  }
}

type Refused =
  | 'create'
  | 'start'
  | 'startAttached'
  | 'attach'
  | 'pause'
  | 'unpause'
  | 'stop'
  | 'kill'
  | 'restart'
  | 'remove'
  | 'putFiles'
  | 'getArchive'
  | 'putArchive'
  | 'export'
  | 'commit';

/** What a swarm does itself, or cannot do. */
function refused(): Pick<ContainerOperations, Refused> {
  const refuse = (operation: string) => () => Promise.reject(notSupported(operation, 'swarm'));
  return {
    create: refuse('createContainer'),
    start: refuse('start'),
    startAttached: refuse('startAttached'),
    attach: refuse('attach'),
    pause: refuse('pause'),
    unpause: refuse('unpause'),
    stop: refuse('stop'),
    kill: refuse('kill'),
    restart: refuse('restart'),
    remove: refuse('removeContainer'),
    putFiles: refuse('putFiles'),
    getArchive: refuse('getArchive'),
    putArchive: refuse('putArchive'),
    export: refuse('export'),
    commit: refuse('commit'),
  };
}

interface Observed {
  readonly record: ContainerRecord;
  /** Absent for a replica of a stopped service. */
  readonly task?: ClusterTask;
}

/** Everything that the labels of services select. */
async function observe(
  { cluster }: SwarmParts,
  labels: NonNullable<LabelFilter['labels']>,
  choose: (tasks: readonly ClusterTask[]) => readonly ClusterTask[],
  signal: AbortSignal | undefined,
): Promise<Observed[]> {
  const filter = { labels, ...(signal && { signal }) };
  const [services, tasks] = await Promise.all([cluster.services.list(filter), cluster.tasks(filter)]);
  const byId = new Map<string, ClusterService>(services.map((service) => [service.id, service]));
  return [
    ...services.flatMap(stoppedRecords).map((record) => ({ record })),
    ...choose(tasks).map((task) => ({ record: taskRecord(task, byId.get(task.serviceId)), task })),
  ];
}

async function listed(
  parts: SwarmParts,
  labels: NonNullable<LabelFilter['labels']>,
  signal: AbortSignal | undefined,
): Promise<ContainerRecord[]> {
  const project = labels[PROJECT_LABEL];
  const known = project === undefined ? {} : { [STACK_LABEL]: project };
  const all = await observe(parts, known, currentTasks, signal);
  return all.map(({ record }) => record).filter((record) => hasLabels(record.labels, labels));
}

/**
 * By id, unambiguous prefix of it, or name. Names are those of current tasks.
 *
 * @throws RuntimeError.notFound
 */
async function observed(parts: SwarmParts, id: string, signal: AbortSignal | undefined): Promise<Observed> {
  const all = await observe(parts, {}, (tasks) => tasks, signal);
  const current = new Set(currentTasks(all.flatMap(({ task }) => task ?? [])).map((task) => task.id));
  const exact =
    all.find(({ record }) => record.id === id) ??
    all.find(({ record, task }) => record.name === id && (task === undefined || current.has(task.id)));
  const [found, ...others] =
    exact === undefined && id !== '' ? all.filter(({ record }) => record.id.startsWith(id)) : [exact];
  if (found === undefined || others.length > 0) throw notFound(id);
  return found;
}

async function* named<Sample extends { readonly id: string }>(
  samples: AsyncIterable<Sample>,
  id: string,
): AsyncGenerator<Sample, void> {
  for await (const sample of samples) yield { ...sample, id };
}

async function* healthChanges(
  clock: Clock,
  inspect: ContainerOperations['inspect'],
  first: ContainerRecord,
  signal: AbortSignal | undefined,
): AsyncGenerator<HealthStatus, void> {
  let last: HealthStatus | undefined;
  for (let record = first; record.health !== undefined && !hasEnded(record.status);) {
    if (record.health.status !== last) {
      last = record.health.status;
      yield last;
    }
    await clock.sleep(POLL_MS, signal);
    record = await inspect(first.id, signal && { signal });
  }
}
