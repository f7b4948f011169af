/**
 * What has to be done so that what is there becomes what the project says. Pure: the same project and the same
 * containers give the same plan, and for containers that are as they should be the plan is to keep them.
 */
import { SHARED_NAMESPACES } from '../model/normalize.js';
import type { Project } from '../model/project.js';
import { allServices } from '../model/profiles.js';
import type { Service } from '../model/service.js';
import { hasEnded } from '../runtime/lifecycle.js';
import type { ContainerRecord } from '../runtime/records.js';
import { OrchestratorError } from './errors.js';
import { containerName, outgoingName } from './labels.js';
import type { Member } from './observed.js';

export type Step =
  | { readonly act: 'create'; readonly number: number; readonly name: string }
  | {
      readonly act: 'recreate';
      readonly number: number;
      readonly name: string;
      readonly container: ContainerRecord;
      readonly reason: RecreateReason;
    }
  | { readonly act: 'start'; readonly number: number; readonly container: ContainerRecord }
  /** Stopped and started again, because what it depends on is another container now. */
  | { readonly act: 'restart'; readonly number: number; readonly container: ContainerRecord }
  | { readonly act: 'keep'; readonly number: number; readonly container: ContainerRecord }
  /** One replica too many. */
  | { readonly act: 'remove'; readonly number: number; readonly container: ContainerRecord };

/** `interrupted`: an `up` died while it was replacing this container. */
export type RecreateReason = 'configuration' | 'image' | 'dependency' | 'forced' | 'interrupted';

export interface ServicePlan {
  readonly service: string;
  readonly steps: readonly Step[];
}

export interface Plan {
  /** One for each service of the project, each after those it depends on. */
  readonly services: readonly ServicePlan[];
  /** Containers of the project whose service the project does not have. */
  readonly orphans: readonly Member[];
}

/** What the project's containers should be made with. */
export interface Desired {
  readonly project: Project;
  /** The configuration hash of each service. */
  readonly hashes: ReadonlyMap<string, string>;
  /** The id of each service's image; absent where the image is not here. */
  readonly images: ReadonlyMap<string, string>;
}

export interface PlanOptions {
  /** `--scale`: numbers of replicas that go before the file's. */
  readonly scale?: ReadonlyMap<string, number>;
  /** `changed` (default) replaces what differs; `never` keeps it; `always` replaces everything. */
  readonly recreate?: 'changed' | 'never' | 'always';
  /** Services that `recreate` is about; the others are replaced only when they have changed. Default: all. */
  readonly targets?: readonly string[];
  /** Replace the dependants of a replaced service, too. */
  readonly recreateDependants?: boolean;
  /** False (`create`): make containers, and leave them as they are otherwise. */
  readonly start?: boolean;
}

/** @throws OrchestratorError.invalidReplicaCount, serviceNotFound for a `scale` that cannot be */
export function planUp(desired: Desired, actual: readonly Member[], options: PlanOptions = {}): Plan {
  const { project } = desired;
  requireScale(project, options.scale ?? new Map());
  const replaced = new Set<string>();
  const services = inOrder(project).map((name): ServicePlan => {
    const steps = planService(name, desired, replicasOf(name, actual), options, replaced);
    if (steps.some(({ act }) => act === 'recreate' || act === 'create')) replaced.add(name);
    return { service: name, steps };
  });
  const known = allServices(project);
  return { services, orphans: actual.filter(({ service, oneOff }) => !oneOff && !Object.hasOwn(known, service)) };
}

/** Does the plan change nothing? */
export function isSettled(plan: Plan): boolean {
  return plan.services.every(({ steps }) => steps.every(({ act }) => act === 'keep'));
}

/** How many containers a service should have. */
export function replicaCount(service: Service, asked?: number): number {
  return asked ?? service.scale ?? service.deploy?.replicas ?? 1;
}

function requireScale(project: Project, scale: ReadonlyMap<string, number>): void {
  for (const [service, replicas] of scale) {
    if (!Object.hasOwn(project.services, service)) {
      throw new OrchestratorError({ case: 'serviceNotFound', project: project.name, service });
    }
    if (!Number.isInteger(replicas) || replicas < 0) {
      throw new OrchestratorError({ case: 'invalidReplicaCount', replicas });
    }
  }
}

/** Services, each after those it depends on; by name where the graph leaves it open. */
function inOrder(project: Project): string[] {
  const ordered = new Set<string>();
  const pending = Object.keys(project.services).sort();
  while (pending.length > 0) {
    const ready = pending.filter((name) =>
      Object.keys(project.services[name]?.depends_on ?? {}).every(
        (dependency) => ordered.has(dependency) || !Object.hasOwn(project.services, dependency),
      ),
    );
    // A loaded project has no circles; should one come in, its services go in by name instead of never.
    for (const name of ready.length > 0 ? ready : [...pending]) {
      ordered.add(name);
      pending.splice(pending.indexOf(name), 1);
    }
  }
  return [...ordered];
}

/** By number; of two with one number, which an `up` leaves that dies between them, the successor first. */
function replicasOf(service: string, actual: readonly Member[]): Member[] {
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
  present: readonly Member[],
  options: PlanOptions,
  replaced: ReadonlySet<string>,
): Step[] {
  const { project } = desired;
  const service = project.services[name] ?? {};
  const wanted = replicaCount(service, options.scale?.get(name));
  // Numbers are 1 to n, so that a name that is documented is a container that exists.
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
        name: containerName(project.name, name, number, service.container_name),
        container,
        reason,
      };
    }
    if (options.start === false) return { act: 'keep', number, container };
    if (container.status !== 'running') {
      return hasDoneItsWork(name, container, project)
        ? { act: 'keep', number, container }
        : { act: 'start', number, container };
    }
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
      name: containerName(project.name, name, number, service.container_name),
    })),
  ];
}

/** What a replaced dependency does to this service's containers. */
function dependencyEffect(
  service: Service,
  replaced: ReadonlySet<string>,
  options: PlanOptions,
): 'recreate' | 'restart' | undefined {
  const dependencies = Object.entries(service.depends_on ?? {}).filter(([name]) => replaced.has(name));
  if (dependencies.length === 0) return undefined;
  // These hold the other container by its id, which is gone.
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
  { container, configHash, imageId = container.imageId }: Member,
  desired: Desired,
  dependency: 'recreate' | 'restart' | undefined,
  { recreate = 'changed', targets }: PlanOptions,
): RecreateReason | undefined {
  const targeted = targets === undefined || targets.includes(name);
  if (isOutgoing(container)) return 'interrupted';
  if (recreate === 'never' && targeted) return undefined;
  if (recreate === 'always' && targeted) return 'forced';
  if (configHash !== desired.hashes.get(name)) return 'configuration';
  const image = desired.images.get(name);
  if (image !== undefined && image !== imageId) return 'image';
  return dependency === 'recreate' ? 'dependency' : undefined;
}

function isOutgoing({ id, name }: ContainerRecord): boolean {
  return name.startsWith(outgoingName(id, ''));
}

/**
 * A one-shot service that others wait for and that has succeeded is not run again: what it was for is done. Any other
 * service that has ended is started.
 */
function hasDoneItsWork(name: string, container: ContainerRecord, project: Project): boolean {
  if (!hasEnded(container.status) || container.status === 'stopped' || container.exitCode !== 0) return false;
  return Object.values(allServices(project)).some(
    ({ depends_on: dependencies = {} }) =>
      Object.hasOwn(dependencies, name) && dependencies[name]?.condition === 'service_completed_successfully',
  );
}
