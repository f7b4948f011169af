/** A task of a service as a container. */
import type { ClusterService, ClusterTask } from '../cluster.js';
import { numberOf, objectOf, objectsOf, textMapOf, textOf, textsOf, type Json } from '../json.js';
import { byTarget, environmentOf, healthcheckOf } from '../engine/inspect.js';
import type { ContainerRecord, ContainerStatus, MountRecord, NetworkEndpoint, PortBinding } from '../records.js';
import type { RestartPolicy } from '../spec.js';
import { derivedLabels, NODE_LABEL, NUMBER_LABEL, STOPPED_LABEL } from './labels.js';
import { hasTaskEnded } from './task-list.js';

export function taskRecord(task: ClusterTask, service: ClusterService | undefined): ContainerRecord {
  const { node } = task;
  const name = service?.name ?? task.serviceId;
  const container = objectOf(task.spec.ContainerSpec);
  const status = statusOf(task);
  return {
    id: task.id,
    name: `${name}.${task.slot === 0 ? (node?.hostname ?? '') : task.slot}`,
    status,
    createdAt: task.createdAt,
    ...(status === 'running' && { startedAt: task.since }),
    ...(hasTaskEnded(task) && { startedAt: task.createdAt, finishedAt: task.since, exitCode: exitCodeOf(task) }),
    ...specRecord(container, objectOf(task.spec.RestartPolicy)),
    ...healthOf(container, status),
    labels: {
      ...textMapOf(container.Labels),
      ...service?.labels,
      ...derivedLabels(name, service?.labels ?? {}),
      [NUMBER_LABEL]: String(task.slot || 1),
      ...(node !== undefined && { [NODE_LABEL]: node.hostname }),
    },
    hostname: textOf(container.Hostname),
    ports: portsOf(task, service),
    networks: networksOf(task),
  };
}

/** The replicas that a stopped service had. They have no tasks. */
export function stoppedRecords(service: ClusterService): ContainerRecord[] {
  const replicas = numberOf(service.labels[STOPPED_LABEL]);
  const task = objectOf(service.spec.TaskTemplate);
  return Array.from({ length: replicas }, (_, index) => ({
    id: `${service.id}.${index + 1}`,
    name: `${service.name}.${index + 1}`,
    status: 'stopped' as const,
    createdAt: service.createdAt,
    ...specRecord(objectOf(task.ContainerSpec), objectOf(task.RestartPolicy)),
    labels: { ...service.labels, ...derivedLabels(service.name, service.labels), [NUMBER_LABEL]: String(index + 1) },
    hostname: '',
    ports: [],
    networks: [],
  }));
}

function statusOf(task: ClusterTask): ContainerStatus {
  if (task.state === 'running') return task.desiredState === 'running' ? 'running' : 'stopping';
  if (task.state === 'shutdown') return 'stopped';
  return hasTaskEnded(task) ? 'exited' : 'created';
}

/** A task that a node rejected has no container, and so no exit code. */
function exitCodeOf({ exitCode, state }: ClusterTask): number {
  return exitCode === 0 && (state === 'failed' || state === 'rejected') ? 1 : exitCode;
}

type SpecParts = Omit<
  ContainerRecord,
  'id' | 'name' | 'status' | 'createdAt' | 'labels' | 'hostname' | 'ports' | 'networks'
>;

function specRecord(container: Json, policy: Json): SpecParts {
  const [image = '', digest = ''] = textOf(container.Image).split('@');
  const stopSignal = textOf(container.StopSignal);
  const restart = restartOf(policy);
  const healthcheck = healthcheckOf(objectOf(container.Healthcheck));
  return {
    image,
    imageId: digest.replace(/^sha256:/, '') || image,
    outOfMemory: false,
    restartCount: 0,
    ...(restart && { restart }),
    ...(healthcheck && { healthcheck }),
    command: textsOf(container.Args),
    entrypoint: textsOf(container.Command),
    environment: environmentOf(textsOf(container.Env)),
    workingDirectory: textOf(container.Dir),
    user: textOf(container.User),
    tty: container.TTY === true,
    ...(stopSignal !== '' && { stopSignal }),
    mounts: mountsOf(container),
  };
}

function restartOf(policy: Json): RestartPolicy | undefined {
  switch (policy.Condition) {
    case 'none':
      return undefined;
    case 'on-failure': {
      const maximumRetries = numberOf(policy.MaxAttempts);
      return { name: 'on-failure', ...(maximumRetries > 0 && { maximumRetries }) };
    }
    default:
      return { name: 'always' };
  }
}

/** A task runs only once it is healthy, and ends when it is not. The output of checks stays on its node. */
function healthOf(container: Json, status: ContainerStatus): Pick<ContainerRecord, 'health'> {
  const [kind = 'NONE'] = textsOf(objectOf(container.Healthcheck).Test);
  if (kind === 'NONE' || (status !== 'running' && status !== 'created')) return {};
  return { health: { status: status === 'running' ? 'healthy' : 'starting', failingStreak: 0 } };
}

/** Ports of the routing mesh are published on all nodes, others on the task's. */
function portsOf(task: ClusterTask, service: ClusterService | undefined): PortBinding[] {
  if (task.state !== 'running') return [];
  const own = objectsOf(objectOf(objectOf(task.json.Status).PortStatus).Ports);
  const shared = (service?.endpointPorts ?? []).filter(({ PublishMode }) => PublishMode !== 'host');
  const binding = (port: Json, hostAddress: string): PortBinding => ({
    containerPort: numberOf(port.TargetPort),
    protocol: port.Protocol === 'udp' || port.Protocol === 'sctp' ? port.Protocol : 'tcp',
    hostAddress,
    hostPort: numberOf(port.PublishedPort),
  });
  const all = [
    ...own.map((port) => binding(port, task.node?.address ?? '0.0.0.0')),
    ...shared.map((port) => binding(port, '0.0.0.0')),
  ];
  // A node reports a port once for each version of IP.
  return [...new Map(all.map((port) => [JSON.stringify(port), port])).values()];
}

function mountsOf(container: Json): MountRecord[] {
  const mounts = objectsOf(container.Mounts).flatMap((mount): MountRecord[] => {
    const type = textOf(mount.Type);
    if (type !== 'bind' && type !== 'volume' && type !== 'tmpfs') return [];
    const source = textOf(mount.Source);
    return [
      { type, target: textOf(mount.Target), readOnly: mount.ReadOnly === true, ...(source !== '' && { source }) },
    ];
  });
  return mounts.sort(byTarget);
}

function networksOf(task: ClusterTask): NetworkEndpoint[] {
  return objectsOf(task.json.NetworksAttachments).flatMap((attachment): NetworkEndpoint[] => {
    const spec = objectOf(objectOf(attachment.Network).Spec);
    if (spec.Ingress === true) return [];
    const network = textOf(spec.Name);
    const addresses = textsOf(attachment.Addresses).map((address) => address.replace(/\/\d+$/, ''));
    const ipv4Address = addresses.find((address) => !address.includes(':'));
    const ipv6Address = addresses.find((address) => address.includes(':'));
    const wanted = objectsOf(task.spec.Networks).find(({ Target }) => Target === objectOf(attachment.Network).ID);
    return [
      {
        network,
        aliases: textsOf(wanted?.Aliases),
        ...(ipv4Address !== undefined && { ipv4Address }),
        ...(ipv6Address !== undefined && { ipv6Address }),
      },
    ];
  });
}
