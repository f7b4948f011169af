/** Takes a project down: containers in reverse dependency order, then networks, then volumes and images on request. */
import { imageOf } from '../model/project/listings.js';
import type { Project } from '../model/project/project.js';
import { own } from '../model/project/records.js';
import type { Service } from '../model/project/service.js';
import { isEngineFailure, isRuntimeError } from '../runtime/errors.js';
import { STACK_LABEL } from '../runtime/swarm/labels.js';
import type { ContainerRecord } from '../runtime/records.js';
import { removeContainer, stopContainer } from './container-actions.js';
import { LABELS } from './labels.js';
import { membersOf, observeProject, type Member } from './actual-state.js';
import { inStages, reversed } from './ordered.js';
import { endProvided } from './providers/providers.js';
import { reported, type Orchestration, type ResourceKind } from './orchestration.js';
import { removeServices } from './stack/lifecycle.js';

export interface DownOptions {
  /** The loaded project, if there is a compose file. Without it every container counts as the project's. */
  readonly project?: Project;
  /** Limits the command to these services; networks, volumes and images are kept. */
  readonly services?: readonly string[];
  /** Remove named volumes of the project, and the anonymous volumes of its containers. */
  readonly volumes?: boolean;
  /** Remove containers of services that are not in the compose file. */
  readonly removeOrphans?: boolean;
  /** `local`: images that were built without a custom name; `all`: every image that a service uses. */
  readonly images?: 'local' | 'all';
  readonly timeoutSeconds?: number | undefined;
}

/** The names of stopped and removed resources. */
export interface DownResult {
  readonly stopped: readonly string[];
  readonly removed: readonly string[];
  /** Networks that the engine did not remove because they are in use. */
  readonly keptNetworks: readonly string[];
}

/**
 * Succeeds if there is nothing to take down.
 *
 * @throws OrchestratorError.serviceNotFound
 * @throws TerminalError.commandFailed for a failing provider
 */
export async function down(orchestration: Orchestration, name: string, options: DownOptions = {}): Promise<DownResult> {
  const present = await observeProject(orchestration, name);
  const defined = Object.keys({ ...options.project?.services, ...options.project?.disabledServices });
  membersOf(present, options.services ?? [], name, defined);
  const members = chosen(present, options);
  const keptNetworks: string[] = [];
  const { cluster } = orchestration.backend;
  if (cluster === undefined) await removeMembers(orchestration, members, { ...options, stop: true });
  else await removeServices(orchestration, cluster, name, (service) => isChosen(service, options));
  if (options.project !== undefined) await endProvided(orchestration, options.project, options.services ?? [], 'down');
  if (options.services === undefined || options.services.length === 0) {
    keptNetworks.push(...(await removeNetworks(orchestration, name)));
    if (options.volumes === true) await removeVolumes(orchestration, name);
    if (options.images !== undefined) await removeImages(orchestration, name, members, options);
  }
  return {
    stopped: members.filter(({ container }) => container.status === 'running').map(({ container }) => container.name),
    removed: members.map(({ container }) => container.name),
    keptNetworks,
  };
}

function chosen(members: readonly Member[], options: DownOptions): Member[] {
  return members.filter(({ service }) => isChosen(service, options));
}

function isChosen(service: string, { project, services = [], removeOrphans = false }: DownOptions): boolean {
  if (services.length > 0) return services.includes(service);
  if (project === undefined || removeOrphans) return true;
  return Object.hasOwn(project.services, service) || Object.hasOwn(project.disabledServices, service);
}

/** Stops and removes the containers of services that are not in the compose file. */
export async function removeOrphansOf(orchestration: Orchestration, project: Project): Promise<void> {
  const known = { ...project.services, ...project.disabledServices };
  const members = await observeProject(orchestration, project.name);
  const orphans = members.filter(({ service }) => !Object.hasOwn(known, service));
  await removeMembers(orchestration, orphans, { stop: true, project });
}

export interface RemoveMembersOptions {
  /** Stop running containers first; otherwise all of them must already have ended. */
  readonly stop: boolean;
  /** Also remove their anonymous volumes. */
  readonly volumes?: boolean;
  readonly project?: Project | undefined;
  readonly timeoutSeconds?: number | undefined;
}

/**
 * Removals overlap with the stops of dependencies. Each container is inspected once; later changes do not matter,
 * because it is removed in any case, or the engine keeps it.
 */
export async function removeMembers(
  orchestration: Orchestration,
  members: readonly Member[],
  { stop, project, timeoutSeconds, volumes = false }: RemoveMembersOptions,
): Promise<void> {
  await eachServiceDown(orchestration, members, [
    async (service, container, bound) => {
      if (!stop) return;
      await stopContainer(bound, container, { timeoutSeconds, service: project?.services[service], seen: container });
    },
    (_service, container, bound) =>
      removeContainer(bound, container, {
        volumes,
        ...(container.status !== 'created' && { seen: { ...container, status: 'stopped' } }),
      }),
  ]);
}

/** An operation on a container of a service. */
export type ContainerAct = (service: string, container: ContainerRecord, bound: Orchestration) => Promise<void>;

/**
 * Runs operations on containers. Each container comes before those of the services that it depends on, according to the
 * containers' labels.
 *
 * @param actions run in sequence on each container; those of different containers overlap
 */
export async function eachServiceDown(
  orchestration: Orchestration,
  members: readonly Member[],
  actions: readonly ContainerAct[],
): Promise<void> {
  const services = [...new Set(members.map(({ service }) => service))];
  const onEach = (act: ContainerAct) => async (service: string, signal: AbortSignal) => {
    const own = members.filter((member) => member.service === service);
    await Promise.all(own.map(({ container }) => act(service, container, { ...orchestration, signal })));
  };
  const order = reversed(services, (service) => dependenciesIn(members, service));
  await inStages(services, order, actions.map(onEach), orchestration);
}

/** The services that a service depends on, according to its containers' labels. */
export function dependenciesIn(members: readonly Member[], service: string): string[] {
  const own = members.filter((member) => member.service === service);
  return [...new Set(own.flatMap(({ dependencies }) => dependencies.map((each) => each.service)))];
}

/** @returns the names of the networks that remain */
async function removeNetworks(orchestration: Orchestration, project: string): Promise<string[]> {
  const { networks } = orchestration.backend.internal;
  const { signal } = orchestration;
  const own = await networks.list({ labels: { [LABELS.project]: project }, signal });
  const isGone = await Promise.all(
    own.map(({ id, name }) => removeUnlessUsed(orchestration, 'Network', name, () => networks.remove(id, { signal }))),
  );
  return own.filter((_, index) => isGone[index] === false).map(({ name }) => name);
}

async function removeVolumes(orchestration: Orchestration, project: string): Promise<void> {
  const { signal } = orchestration;
  const { volumes, cluster } = orchestration.backend;
  // A node may also have volumes of a project of the same name that ran on its engine alone.
  const stack = cluster === undefined ? {} : { [STACK_LABEL]: project };
  const own = await volumes.list({ labels: { [LABELS.project]: project, ...stack }, signal });
  await Promise.all(
    own.map(({ name }) => removeUnlessUsed(orchestration, 'Volume', name, () => volumes.remove(name, { signal }))),
  );
}

async function removeImages(
  orchestration: Orchestration,
  name: string,
  members: readonly Member[],
  { project, images }: DownOptions,
): Promise<void> {
  const { signal, backend } = orchestration;
  const known: Readonly<Record<string, Service>> = { ...project?.services, ...project?.disabledServices };
  const defined = Object.keys(project?.services ?? {}).filter(
    (service) => project?.services[service]?.provider === undefined,
  );
  const references = new Set([
    ...defined
      .filter((service) => images === 'all' || project?.services[service]?.image === undefined)
      .map((service) => (project === undefined ? '' : imageOf(project, service))),
    ...members
      .filter(
        ({ service, container }) =>
          images === 'all' ||
          // An image that the file names is not a local one, even if it has the name of a built one.
          (own(known, service)?.image === undefined &&
            [`${name}-${service}`, `${name}_${service}`].includes(container.image)),
      )
      .map(({ container }) => container.image),
  ]);
  await Promise.all(
    [...references].map((reference) =>
      removeUnlessUsed(orchestration, 'Image', reference, () => backend.images.remove(reference, { signal })),
    ),
  );
}

/**
 * Keeps a resource in use, with a warning. Succeeds if the resource is already gone.
 *
 * @returns whether it is gone
 */
async function removeUnlessUsed(
  orchestration: Orchestration,
  kind: ResourceKind,
  name: string,
  remove: () => Promise<void>,
): Promise<boolean> {
  try {
    await reported(orchestration, kind, name, ['Removing', 'Removed'], async () => {
      try {
        await remove();
      } catch (error) {
        if (!isRuntimeError(error, 'notFound') && !isRuntimeError(error, 'imageNotFound')) throw error;
      }
    });
    return true;
  } catch (error) {
    if (!isEngineFailure(error)) throw error;
    orchestration.report({ kind: 'warning', message: `${kind} '${name}' was not removed: ${error.message}` });
    return false;
  }
}
