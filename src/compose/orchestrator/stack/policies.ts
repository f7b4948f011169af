/** How a swarm places, limits, restarts and updates the containers of a service. Durations are in nanoseconds. */
import type Docker from 'dockerode';
import { replicaCount } from '../../model/project/listings.js';
import type { Service } from '../../model/project/service.js';
import type { GenericResource, UpdateConfig } from '../../model/project/workload.js';
import { optionalField } from '../container/optional-field.js';
import { limits } from '../container/limits.js';

const NANO = 1e9;

export function isJob({ deploy }: Service): boolean {
  return deploy?.mode === 'replicated-job' || deploy?.mode === 'global-job';
}

/** Whether it has a number of replicas. */
export function isReplicated({ deploy }: Service): boolean {
  return deploy?.mode !== 'global' && deploy?.mode !== 'global-job';
}

/** @param asked the value of `--scale` */
export function mode(service: Service, asked: number | undefined): Docker.ServiceMode {
  const replicas = replicaCount(service, asked);
  switch (service.deploy?.mode) {
    case 'global':
      return { Global: {} };
    case 'global-job':
      return { GlobalJob: {} };
    case 'replicated-job':
      return { ReplicatedJob: { MaxConcurrent: replicas, TotalCompletions: replicas } };
    case undefined:
    default:
      return { Replicated: { Replicas: replicas } };
  }
}

export function placement({ deploy }: Service): Docker.Placement | undefined {
  const { constraints, preferences, max_replicas_per_node: most } = deploy?.placement ?? {};
  if (constraints === undefined && preferences === undefined && most === undefined) return undefined;
  return {
    ...optionalField('Constraints', constraints),
    ...optionalField(
      'Preferences',
      preferences?.map(({ spread = '' }) => ({ Spread: { SpreadDescriptor: spread } })),
    ),
    ...optionalField('MaxReplicas', most),
  };
}

export function resources(service: Service): Docker.ResourceRequirements {
  const { cpus, memoryBytes: memory, memoryReservationBytes: reserved, pids } = limits(service);
  const reservations = service.deploy?.resources?.reservations;
  const nano = (amount: number | undefined): number | undefined =>
    amount === undefined ? undefined : Math.round(amount * NANO);
  return {
    Limits: {
      ...optionalField('NanoCPUs', nano(cpus)),
      ...optionalField('MemoryBytes', memory),
      ...optionalField('Pids', pids === -1 ? undefined : pids),
    },
    Reservations: {
      ...optionalField('NanoCPUs', nano(reservations?.cpus)),
      ...optionalField('MemoryBytes', reserved),
      ...optionalField('GenericResources', reservations?.generic_resources?.map(genericResource)),
    },
  };
}

/** The types of the library lack the member that the engine reads. */
type ReadResource = Docker.DiscreteGenericResource & { readonly DiscreteResourceSpec: Docker.DiscreteGenericResource };

function genericResource({ discrete_resource_spec: resource }: GenericResource): ReadResource {
  return { DiscreteResourceSpec: { Kind: resource?.kind ?? '', Value: resource?.value ?? 0 } };
}

/** `deploy.restart_policy`, else `restart`. Without either, a swarm starts a container that ends again. */
export function restartPolicy(service: Service): Docker.TaskRestartPolicy | undefined {
  const policy = service.deploy?.restart_policy;
  if (policy !== undefined) {
    return {
      ...optionalField('Condition', policy.condition ?? (isJob(service) ? 'on-failure' : undefined)),
      ...optionalField('Delay', policy.delay),
      ...optionalField('MaxAttempts', policy.max_attempts),
      ...optionalField('Window', policy.window),
    };
  }
  const [name, retries] = (service.restart ?? '').split(':');
  if (name === 'no') return { Condition: 'none' };
  if (name === 'on-failure') {
    return {
      Condition: 'on-failure',
      ...optionalField('MaxAttempts', retries === undefined ? undefined : Number(retries)),
    };
  }
  // A job ends, so it cannot be restarted always.
  return isJob(service) ? { Condition: 'on-failure' } : undefined;
}

export function updateConfig(config: UpdateConfig | undefined): Docker.UpdateConfig | undefined {
  if (config === undefined) return undefined;
  return {
    Parallelism: config.parallelism ?? 1,
    Order: config.order ?? 'stop-first',
    ...optionalField('Delay', config.delay),
    ...optionalField('FailureAction', config.failure_action),
    ...optionalField('Monitor', config.monitor),
    ...optionalField('MaxFailureRatio', config.max_failure_ratio),
  };
}
