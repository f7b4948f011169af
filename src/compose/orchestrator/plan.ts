/**
 * Plans the steps that bring a project's containers to the desired state. A pure function: the same project and
 * containers give the same plan. Containers in the desired state are kept.
 */
import { SHARED_NAMESPACES } from '../model/normalize/normalize.js';
import { containerName, requireDistinctNames } from '../model/project/container-names.js';
import { replicaCount } from '../model/project/listings.js';
import type { Project } from '../model/project/project.js';
import { allServices } from '../model/project/profiles.js';
import { own } from '../model/project/records.js';
import type { Service } from '../model/project/service.js';
import type { ContainerSummary } from '../runtime/records.js';
import { OrchestratorError } from './errors.js';
import { isOutgoing } from './labels.js';
import type { Member } from './actual-state.js';

export type Step =
  | { readonly act: 'create'; readonly number: number; readonly name: string }
  | {
      readonly act: 'recreate';
      readonly number: number;
      readonly name: string;
      readonly container: ContainerSummary;
      readonly reason: RecreateReason;
    }
  | { readonly act: 'start'; readonly number: number; readonly container: ContainerSummary }
  /** Stop and start it, because a dependency's container was replaced. */
  | { readonly act: 'restart'; readonly number: number; readonly container: ContainerSummary }
  | { readonly act: 'keep'; readonly number: number; readonly container: ContainerSummary }
  /** Remove a surplus replica. */
  | { readonly act: 'remove'; readonly number: number; readonly container: ContainerSummary };

/** `interrupted`: an `up` died while it was replacing this container. */
export type RecreateReason = 'configuration' | 'image' | 'network' | 'dependency' | 'forced' | 'interrupted';

export interface ServicePlan {
  readonly service: string;
  readonly steps: readonly Step[];
}

export interface Plan {
  /** One per service of the project, in dependency order. */
  readonly services: readonly ServicePlan[];
  /** Containers of the project whose service is not in the compose file. */
  readonly orphans: readonly Member<ContainerSummary>[];
}

/** The desired inputs of the project's containers. */
export interface Desired {
  readonly project: Project;
  /** The configuration hash of each service. */
  readonly hashes: ReadonlyMap<string, string>;
  /** The id of each service's image; absent if the image is not present. */
  readonly images: ReadonlyMap<string, string>;
}

export interface PlanOptions {
  /** `--scale`: replica counts that override the file's. */
  readonly scale?: ReadonlyMap<string, number>;
  /** `changed` (default) replaces containers that differ; `never` keeps them; `always` replaces all. */
  readonly recreate?: 'changed' | 'never' | 'always';
  /** Replace all containers without their anonymous volumes. */
  readonly renewAnonymousVolumes?: boolean;
  /** Services that `recreate` and `renewAnonymousVolumes` apply to; others are replaced only if they have changed. Default: all. */
  readonly targets?: readonly string[];
  /** The names of networks that are replaced before the steps are taken. */
  readonly replacedNetworks?: readonly string[];
  /** Also replace the dependants of a replaced service. */
  readonly recreateDependants?: boolean;
  /** False (`create`): create containers without starting or stopping any. */
  readonly start?: boolean;
}

/**
 * @throws OrchestratorError.invalidReplicaCount, serviceNotFound for an invalid `scale`
 * @throws ComposeFailure ComposeValidationError.conflict for two containers of one name
 */
export function planUp(desired: Desired, actual: readonly Member<ContainerSummary>[], options: PlanOptions = {}): Plan {
  const { project } = desired;
  requireScale(project, options.scale ?? new Map());
  const known = allServices(project);
  // Services that the command does not name keep the containers that they have.
  requireDistinctNames({ ...project, services: known }, (name) => {
    const planned = own(project.services, name);
    return planned === undefined ? replicasOf(name, actual).length : replicaCount(planned, options.scale?.get(name));
  });
  const replaced = new Set<string>();
  const services = inOrder(project).map((name): ServicePlan => {
    const steps = planService(name, desired, replicasOf(name, actual), options, replaced);
    if (steps.some(({ act }) => act === 'recreate' || act === 'create')) replaced.add(name);
    return { service: name, steps };
  });
  return { services, orphans: actual.filter(({ service, oneOff }) => !oneOff && !Object.hasOwn(known, service)) };
}

/** Whether the plan changes nothing. */
export function isSettled(plan: Plan): boolean {
  return plan.services.every(({ steps }) => steps.every(({ act }) => act === 'keep'));
}

/** @throws OrchestratorError.invalidReplicaCount, serviceNotFound for an invalid `scale` */
export function requireScale(project: Project, scale: ReadonlyMap<string, number>): void {
  for (const [service, replicas] of scale) {
    if (!Object.hasOwn(project.services, service)) {
      throw new OrchestratorError({ case: 'serviceNotFound', project: project.name, service });
    }
    if (!Number.isInteger(replicas) || replicas < 0) {
      throw new OrchestratorError({ case: 'invalidReplicaCount', replicas });
    }
  }
}

/** Services in dependency order; independent ones by name. */
function inOrder(project: Project): string[] {
  const ordered = new Set<string>();
  const pending = Object.keys(project.services).sort();
  while (pending.length > 0) {
    const ready = pending.filter((name) =>
      Object.keys(project.services[name]?.depends_on ?? {}).every(
        (dependency) => ordered.has(dependency) || !Object.hasOwn(project.services, dependency),
      ),
    );
    // A loaded project should have no cycles. If it has one, order its services by name.
    for (const name of ready.length > 0 ? ready : [...pending]) {
      ordered.add(name);
      pending.splice(pending.indexOf(name), 1);
    }
  }
  return [...ordered];
}

/** Ordered by number. If an interrupted `up` left two with the same number, the successor comes first. */
function replicasOf(service: string, actual: readonly Member<ContainerSummary>[]): Member<ContainerSummary>[] {
  return actual
    .filter((member) => member.service === service && !member.oneOff)
    .toSorted(
      (one, other) =>
        one.number - other.number ||
        Number(isOutgoing(one.container)) - Number(isOutgoing(other.container)) ||
        one.container.id.localeCompare(other.container.id),
    );
}

function planService(
  name: string,
  desired: Desired,
  present: readonly Member<ContainerSummary>[],
  options: PlanOptions,
  replaced: ReadonlySet<string>,
): Step[] {
  const { project } = desired;
  const service = project.services[name] ?? {};
  const wanted = replicaCount(service, options.scale?.get(name));
  // Numbers run from 1 to n, so that documented names exist.
  const kept = present.filter(
    (member, index) => member.number <= wanted && present[index - 1]?.number !== member.number,
  );
  const surplus = present.filter((member) => !kept.includes(member));
  const dependency = dependencyEffect(service, replaced, options);
  const steps = kept.map((member): Step => {
    const { container, number } = member;
    const reason = recreateReason(name, member, desired, dependency, options);
    if (reason !== undefined) {
      return {
        act: 'recreate',
        number,
        name: containerName(project, name, number, service.container_name),
        container,
        reason,
      };
    }
    if (options.start === false) return { act: 'keep', number, container };
    if (container.status !== 'running') return { act: 'start', number, container };
    return { act: dependency === 'restart' ? 'restart' : 'keep', number, container };
  });
  const taken = new Set(kept.map(({ number }) => number));
  const free = Array.from({ length: wanted }, (_, index) => index + 1).filter((number) => !taken.has(number));
  return [
    ...surplus.map(({ container, number }): Step => ({ act: 'remove', number, container })),
    ...steps,
    ...free.map((number): Step => ({
      act: 'create',
      number,
      name: containerName(project, name, number, service.container_name),
    })),
  ];
}

/** How a replaced dependency affects this service's containers. */
function dependencyEffect(
  service: Service,
  replaced: ReadonlySet<string>,
  options: PlanOptions,
): 'recreate' | 'restart' | undefined {
  const dependencies = Object.entries(service.depends_on ?? {}).filter(([name]) => replaced.has(name));
  if (dependencies.length === 0) return undefined;
  // These settings contain the id of the replaced container.
  const bound = [
    ...SHARED_NAMESPACES.flatMap((key) => service[key] ?? []).filter((mode) => mode.startsWith('service:')),
    ...(service.volumes_from ?? []).map((entry) => `service:${entry.split(':', 1)[0] ?? ''}`),
  ];
  if (dependencies.some(([name]) => bound.includes(`service:${name}`))) return 'recreate';
  if (options.recreateDependants === true) return 'recreate';
  return dependencies.some(([, { restart }]) => restart === true) ? 'restart' : undefined;
}

function recreateReason(
  name: string,
  { container, configHash, imageId = container.imageId }: Member<ContainerSummary>,
  desired: Desired,
  dependency: 'recreate' | 'restart' | undefined,
  { recreate = 'changed', renewAnonymousVolumes = false, replacedNetworks = [], targets }: PlanOptions,
): RecreateReason | undefined {
  const targeted = targets === undefined || targets.includes(name);
  if (isOutgoing(container)) return 'interrupted';
  if (recreate === 'never' && targeted) return undefined;
  if ((recreate === 'always' || renewAnonymousVolumes) && targeted) return 'forced';
  if (configHash !== desired.hashes.get(name)) return 'configuration';
  const image = desired.images.get(name);
  if (image !== undefined && image !== imageId) return 'image';
  const attached = container.networks.map(({ network }) => network).filter((each) => !replacedNetworks.includes(each));
  if (ownNetworks(name, desired.project).some((network) => !attached.includes(network))) return 'network';
  return dependency === 'recreate' ? 'dependency' : undefined;
}

/** The names of the networks of a service that belong to the project. */
function ownNetworks(service: string, { services, networks }: Project): string[] {
  return Object.keys(services[service]?.networks ?? {}).flatMap((key) => {
    const network = networks[key];
    return network === undefined || network.external === true ? [] : [network.name];
  });
}
