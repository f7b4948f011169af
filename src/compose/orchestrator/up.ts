/** Converges containers to the compose project: `up`, `create` and `scale`. */
import type { LoadedProject } from '../model/loader/load.js';
import { SHARED_NAMESPACES } from '../model/normalize/normalize.js';
import { containerName } from '../model/project/container-names.js';
import type { Project } from '../model/project/project.js';
import type { Service } from '../model/project/service.js';
import type { ClusterOperations } from '../runtime/cluster.js';
import { alreadyExists, isEngineFailure, isRuntimeError } from '../runtime/errors.js';
import type { ContainerSummary } from '../runtime/records.js';
import {
  removeContainer,
  renameContainer,
  startContainer,
  stopAndRemove,
  stopContainer,
  type ContainerName,
} from './container-actions.js';
import { restartPolicy } from './container/container-spec.js';
import { blueprint, createContainer, type Blueprint } from './creation.js';
import { awaitDependencies } from './dependencies.js';
import { ensureImages, type ImageOptions } from './images.js';
import { outgoingName } from './labels.js';
import { unsupportedKeys } from './unsupported-keys.js';
import { observeProject, surveyProject, type Member } from './actual-state.js';
import { inStages } from './ordered.js';
import type { Orchestration } from './orchestration.js';
import { planUp, type Plan, type PlanOptions, type Step } from './plan.js';
import { runPreStart } from './pre-start.js';
import { withProvided } from './providers/providers.js';
import { ensureResources, removeNetwork, requireExternals, surveyResources, type Resources } from './resources.js';
import { deployProject } from './stack/deploy.js';

/** The parts of the result of `loadProject` that running needs. */
export type Loaded = Pick<LoadedProject, 'project' | 'contents'>;

export interface UpOptions extends PlanOptions, Omit<ImageOptions, 'contents'> {
  /** `--no-replace`: reject with RuntimeError.alreadyExists instead of replacing a changed container. */
  readonly replace?: boolean;
  /** Remove orphans (containers of services not in the project) instead of warning. */
  readonly removeOrphans?: boolean;
  /** Do not warn of orphans. */
  readonly ignoreOrphans?: boolean;
  readonly stopTimeoutSeconds?: number | undefined;
  /** The limit of each `depends_on` condition; default: as `waitForCondition`. */
  readonly waitSeconds?: number | undefined;
  /** On a swarm: do not wait until the containers run. */
  readonly detach?: boolean;
  readonly observer?: UpObserver | undefined;
}

/** Receives the progress of `up`. */
export interface UpObserver {
  /** Called before any change. */
  planned(plan: Plan): void;
  /** Called when a container runs, because this step started or kept it. */
  running(service: string, container: ContainerName, step: Step): void;
}

export interface UpResult {
  readonly plan: Plan;
  /** The containers of each service, by number. */
  readonly containers: ReadonlyMap<string, readonly ContainerName[]>;
}

/**
 * Brings a project up. Containers in the desired state are not touched. The next `up` completes an interrupted one.
 *
 * @throws ComposeFailure ComposeError.externalVolumeNotFound, before any change
 * @throws ComposeWaitError when a dependency's condition is not met
 * @throws OrchestratorError.invalidReplicaCount, serviceNotFound
 * @throws RuntimeError of the failing operation; alreadyExists if replacing is not allowed
 * @throws TerminalError.commandFailed for a failing provider
 */
export async function up(orchestration: Orchestration, loaded: Loaded, options: UpOptions = {}): Promise<UpResult> {
  const { cluster } = orchestration.backend;
  if (cluster !== undefined) return upOnCluster(orchestration, cluster, loaded, options);
  const { contents } = loaded;
  for (const message of unsupportedKeys(loaded.project)) orchestration.report({ kind: 'warning', message });
  const project = await withProvided(orchestration, loaded.project);
  await requireExternals(orchestration, project);
  const images = await ensureImages(orchestration, project, { ...options, contents });
  const prints = await blueprint(project, images, contents);
  const [actual, resources] = await Promise.all([
    surveyProject(orchestration, project.name),
    surveyResources(orchestration, project),
  ]);
  const { plan, replacedNetworks } = planWithNetworks(prints, actual, resources, options);
  if (options.replace === false) refuseReplacement(plan);
  options.observer?.planned(plan);
  await settleOrphans(orchestration, plan.orphans, options);
  for (const name of replacedNetworks) await removeNetwork(orchestration, project, name, options.stopTimeoutSeconds);
  await ensureResources(orchestration, project, resources, replacedNetworks);
  return { plan, containers: await execute(orchestration, prints, plan, options) };
}

async function upOnCluster(
  orchestration: Orchestration,
  cluster: ClusterOperations,
  loaded: Loaded,
  options: UpOptions,
): Promise<UpResult> {
  await deployProject(orchestration, cluster, loaded, options);
  const members = await observeProject(orchestration, loaded.project.name);
  const containers = Object.keys(loaded.project.services).map((name): [string, ContainerName[]] => [
    name,
    members.filter(({ service }) => service === name).map(({ container }) => container),
  ]);
  return { plan: { services: [], orphans: [] }, containers: new Map(containers) };
}

/** A changed network is replaced if all its containers are replaced or removed. */
function planWithNetworks(
  prints: Blueprint,
  actual: readonly Member<ContainerSummary>[],
  { networks }: Resources,
  options: UpOptions,
): { readonly plan: Plan; readonly replacedNetworks: readonly string[] } {
  const changed = networks.flatMap(({ spec, isChanged }) => (isChanged ? [spec.name] : []));
  const plan = planUp(prints, actual, { ...options, replacedNetworks: changed });
  const leaving = new Set([
    ...plan.services.flatMap(({ steps }) =>
      steps.flatMap((step) => (step.act === 'recreate' || step.act === 'remove' ? [step.container.id] : [])),
    ),
    ...(options.removeOrphans === true ? plan.orphans.map(({ container }) => container.id) : []),
  ]);
  const staying = actual.filter(({ container }) => !leaving.has(container.id));
  const replacedNetworks = changed.filter(
    (name) => !staying.some(({ container }) => container.networks.some(({ network }) => network === name)),
  );
  if (replacedNetworks.length === changed.length) return { plan, replacedNetworks };
  return { plan: planUp(prints, actual, { ...options, replacedNetworks }), replacedNetworks };
}

function refuseReplacement(plan: Plan): void {
  for (const { steps } of plan.services) {
    for (const step of steps) if (step.act === 'recreate') throw alreadyExists(step.container.name);
  }
}

async function settleOrphans(
  orchestration: Orchestration,
  orphans: readonly Member<ContainerSummary>[],
  { removeOrphans = false, ignoreOrphans = false, stopTimeoutSeconds }: UpOptions,
): Promise<void> {
  if (orphans.length === 0 || ignoreOrphans) return;
  if (!removeOrphans) {
    const names = orphans.map(({ container }) => container.name).join(', ');
    const message = `Orphan containers (their services are not in the compose file): ${names}. Use --remove-orphans to remove them.`;
    orchestration.report({ kind: 'warning', message });
    return;
  }
  await Promise.all(
    orphans.map(({ container }) => stopAndRemove(orchestration, container, { timeoutSeconds: stopTimeoutSeconds })),
  );
}

/**
 * Creates missing containers while their dependencies are still starting, and starts them once the conditions are met.
 * This overlaps the time that the engine takes to create containers.
 */
async function execute(
  orchestration: Orchestration,
  prints: Blueprint,
  plan: Plan,
  options: UpOptions,
): Promise<Map<string, readonly ContainerName[]>> {
  const { project } = prints;
  const steps = new Map(plan.services.map((each) => [each.service, each.steps]));
  const containers = new Map<string, readonly ContainerName[]>();
  const made = new Map<Step, ContainerName>();
  const beginning = new Set(plan.services.filter((each) => begins(each.steps)).map((each) => each.service));
  const workOn = (name: string, signal: AbortSignal): ServiceWork => ({
    orchestration: { ...orchestration, signal },
    prints,
    name,
    service: project.services[name] ?? {},
    containers,
    made,
    beginning,
    options,
  });
  await inStages(
    [...steps.keys()],
    (name) => Object.keys(project.services[name]?.depends_on ?? {}),
    [
      (name, signal) => makeAhead(workOn(name, signal), steps.get(name) ?? []),
      async (name, signal) => {
        containers.set(name, await executeService(workOn(name, signal), steps.get(name) ?? []));
      },
    ],
    orchestration,
  );
  return containers;
}

interface ServiceWork {
  readonly orchestration: Orchestration;
  readonly prints: Blueprint;
  readonly name: string;
  readonly service: Service;
  /** The containers of services earlier in the order. */
  readonly containers: ReadonlyMap<string, readonly ContainerName[]>;
  /** Containers created early, by the step that needs them. */
  readonly made: Map<Step, ContainerName>;
  /** The services of which this `up` starts a container. */
  readonly beginning: ReadonlySet<string>;
  readonly options: UpOptions;
}

/** Whether some step starts a container. */
function begins(steps: readonly Step[]): boolean {
  return steps.some(({ act }) => act !== 'keep' && act !== 'remove');
}

async function makeAhead(work: ServiceWork, steps: readonly Step[]): Promise<void> {
  if (!canBeMadeAhead(work.service)) return;
  await Promise.all(
    steps.map(async (step) => {
      if (step.act === 'create') work.made.set(step, await create(work, step));
    }),
  );
}

/** Hooks must run before the container is made, and a container whose namespaces or volumes it shares must exist. */
function canBeMadeAhead(service: Service): boolean {
  const shares = SHARED_NAMESPACES.some((key) => service[key]?.startsWith('service:') === true);
  return (service.pre_start ?? []).length === 0 && !shares && service.volumes_from === undefined;
}

async function executeService(work: ServiceWork, steps: readonly Step[]): Promise<ContainerName[]> {
  const { orchestration, prints, options, service, name } = work;
  const isStarting = begins(steps);
  if (options.start !== false) {
    // A service that keeps running waits only for dependencies that start now: a job that fails this time fails `up`.
    const dependencies = dependenciesOf(service, prints.project).filter(
      ({ service: dependency }) => isStarting || work.beginning.has(dependency),
    );
    await awaitDependencies(orchestration, dependencies, work.containers, options.waitSeconds);
    if (isStarting) await runPreStart(orchestration, prints, name, containerOf(work));
  }
  const made = await Promise.all(
    steps.map(async (step) => {
      const container = await executeStep(work, step);
      if (container !== undefined && options.start !== false) options.observer?.running(name, container, step);
      return container;
    }),
  );
  return made.filter((container) => container !== undefined);
}

function dependenciesOf(
  service: Service,
  project: Project,
): {
  service: string;
  condition: 'service_started' | 'service_healthy' | 'service_completed_successfully';
  required: boolean;
  willRestart: boolean;
}[] {
  return Object.entries(service.depends_on ?? {}).flatMap(([name, { condition, required }]) => {
    // Services are visited in order, so this dependency has been started.
    if (condition === 'service_started') return [];
    const policy = restartPolicy(project.services[name] ?? {});
    return [{ service: name, condition, required, willRestart: policy !== undefined && policy.name !== 'no' }];
  });
}

/** The first container of a service is used when others share its namespaces or volumes. */
function containerOf({ containers, prints }: ServiceWork): (service: string) => string {
  return (service) =>
    containers.get(service)?.[0]?.id ??
    containerName(prints.project, service, 1, prints.project.services[service]?.container_name);
}

async function executeStep(work: ServiceWork, step: Step): Promise<ContainerName | undefined> {
  const { orchestration, service, options } = work;
  const stopping = { timeoutSeconds: options.stopTimeoutSeconds, service };
  switch (step.act) {
    case 'keep':
      return step.container;
    case 'remove':
      await stopAndRemove(orchestration, step.container, stopping);
      return undefined;
    case 'start':
      return startOrMake(work, step);
    case 'restart':
      await stopContainer(orchestration, step.container, stopping);
      return startOrMake(work, step);
    case 'create':
      return make(work, step);
    case 'recreate':
      return replace(work, step);
  }
}

/**
 * The old container is kept until its successor exists. Only a container refers to its anonymous volumes, so if this
 * process dies, the next `up` finds them. A process that follows the container sees by its name, before it is stopped,
 * that it is being replaced.
 */
async function replace(work: ServiceWork, step: Extract<Step, { act: 'recreate' }>): Promise<ContainerName> {
  const { orchestration, options, service } = work;
  const { container } = step;
  await renameContainer(orchestration, container, outgoingName(container.id, step.name));
  await stopContainer(orchestration, container, { timeoutSeconds: options.stopTimeoutSeconds, service });
  return make(work, step, () =>
    removeContainer(orchestration, container, { volumes: options.renewAnonymousVolumes === true }),
  );
}

/** Recreates a container that another client removed, or that never ran and cannot be started. */
async function startOrMake(
  work: ServiceWork,
  step: Extract<Step, { act: 'start' | 'restart' }>,
): Promise<ContainerName> {
  try {
    // An earlier stop has changed the known state.
    const seen = step.act === 'start' ? { seen: step.container } : {};
    await startContainer(work.orchestration, step.container, { service: work.service, ...seen });
    return step.container;
  } catch (error) {
    const { number, container } = step;
    const { name } = container;
    if (isRuntimeError(error, 'notFound')) return make(work, { act: 'create', number, name });
    // A container whose start was interrupted by an engine shutdown may be impossible to start.
    if (!isEngineFailure(error) || step.act === 'restart' || container.startedAt !== undefined) throw error;
    return replace(work, { act: 'recreate', number, name, container, reason: 'interrupted' });
  }
}

/** @param beforeStart runs after the create and before the start */
async function make(
  work: ServiceWork,
  step: Extract<Step, { act: 'create' | 'recreate' }>,
  beforeStart: () => Promise<void> = () => Promise.resolve(),
): Promise<ContainerName> {
  const { orchestration, service, options } = work;
  const container = work.made.get(step) ?? (await create(work, step));
  await beforeStart();
  if (options.start !== false) {
    await startContainer(orchestration, container, { service, seen: { id: container.id, status: 'created' } });
  }
  return container;
}

function create(work: ServiceWork, step: Extract<Step, { act: 'create' | 'recreate' }>): Promise<ContainerName> {
  const { orchestration, prints, name, options } = work;
  return createContainer(orchestration, prints, name, {
    name: step.name,
    number: step.number,
    containerOf: containerOf(work),
    predecessor: step.act === 'recreate' && options.renewAnonymousVolumes !== true ? step.container : undefined,
  });
}
