/** Starts, stops and signals a project's containers. Needs only their labels. */
import type { Project } from '../model/project/project.js';
import { isRuntimeError } from '../runtime/errors.js';
import { hasEnded } from '../runtime/lifecycle.js';
import { startContainer, stopContainer } from './container-actions.js';
import { optionalField } from './container/optional-field.js';
import { awaitDependencies } from './dependencies.js';
import { dependenciesIn, eachServiceDown } from './down.js';
import { membersOf, requireProject, type Member } from './actual-state.js';
import { inDependencyOrder } from './ordered.js';
import { reported, type Orchestration } from './orchestration.js';
import { endProvided } from './providers/providers.js';
import { restartServices, startServices, stopServices } from './stack/lifecycle.js';

export interface Selection {
  /** The project's name. */
  readonly name: string;
  /** Empty: all services. */
  readonly services: readonly string[];
  /** The loaded project, if there is a compose file. Supplies hooks, and services without containers. */
  readonly project?: Project | undefined;
}

/**
 * The replicas that a command applies to.
 *
 * @throws OrchestratorError.projectNotFound, serviceNotFound
 */
export async function selectMembers(orchestration: Orchestration, selection: Selection): Promise<Member[]> {
  const members = await requireProject(orchestration, selection.name);
  const { services = {}, disabledServices = {} } = selection.project ?? {};
  const defined = [...Object.keys(services), ...Object.keys(disabledServices)];
  return membersOf(members, selection.services, selection.name, defined);
}

/** Starts containers that are not running, after their dependencies. */
export async function startProject(orchestration: Orchestration, selection: Selection): Promise<void> {
  const { cluster } = orchestration.backend;
  if (cluster !== undefined) return startServices(orchestration, cluster, selection);
  const members = await selectMembers(orchestration, selection);
  const replicas = new Map<string, Member[]>();
  for (const member of members) replicas.set(member.service, [...(replicas.get(member.service) ?? []), member]);
  const containers = new Map([...replicas].map(([service, own]) => [service, own.map(({ container }) => container)]));
  await inDependencyOrder(
    [...replicas.keys()],
    (service) => dependenciesIn(members, service),
    async (service, signal) => {
      const bound = { ...orchestration, signal };
      const idle = (replicas.get(service) ?? []).filter(({ container }) => container.status !== 'running');
      if (idle.length === 0) return;
      const dependencies = (idle[0]?.dependencies ?? []).map((each) => ({
        ...each,
        required: selection.project?.services[service]?.depends_on?.[each.service]?.required ?? true,
        willRestart: (containers.get(each.service) ?? []).some(({ restart }) => restart !== undefined),
      }));
      await awaitDependencies(bound, dependencies, containers);
      const definition = selection.project?.services[service];
      await Promise.all(idle.map(({ container }) => startContainer(bound, container, { service: definition })));
    },
    { signal: orchestration.signal },
  );
}

export interface StopSelection extends Selection {
  /** `--timeout`; absent: 10 seconds. */
  readonly timeoutSeconds?: number | undefined;
}

/** Stops running containers, before their dependencies. */
export async function stopProject(orchestration: Orchestration, selection: StopSelection): Promise<void> {
  await stopMembers(orchestration, await selectMembers(orchestration, selection), selection);
  if (selection.project !== undefined) {
    await endProvided(orchestration, selection.project, selection.services, 'stop');
  }
}

export async function stopMembers(
  orchestration: Orchestration,
  members: readonly Member[],
  { project, timeoutSeconds }: Pick<StopSelection, 'project' | 'timeoutSeconds'>,
): Promise<void> {
  const { cluster } = orchestration.backend;
  const [first] = members;
  if (cluster !== undefined) {
    const services = [...new Set(members.map(({ service }) => service))];
    if (first !== undefined) await stopServices(orchestration, cluster, { name: first.project, services });
    return;
  }
  await eachServiceDown(orchestration, members, [
    (name, container, bound) => stopContainer(bound, container, { timeoutSeconds, service: project?.services[name] }),
  ]);
}

export interface RestartSelection extends StopSelection {
  /** `--no-deps`: exclude services that request a restart together with one of these (`depends_on.restart`). */
  readonly dependants?: boolean;
}

/** Stops running containers and starts all, in order. */
export async function restartProject(orchestration: Orchestration, selection: RestartSelection): Promise<void> {
  const { cluster } = orchestration.backend;
  if (cluster !== undefined) return restartServices(orchestration, cluster, selection);
  const members = await selectMembers(orchestration, { ...selection, services: [] });
  const chosen = await selectMembers(orchestration, selection);
  const services = new Set(chosen.map(({ service }) => service));
  if (selection.dependants !== false) addDependants(members, services);
  const affected = members.filter(({ service }) => services.has(service));
  await stopMembers(orchestration, affected, selection);
  await startProject(orchestration, { ...selection, services: [...services] });
}

function addDependants(members: readonly Member[], services: Set<string>): void {
  for (let before = -1; before !== services.size;) {
    before = services.size;
    for (const { service, dependencies, container } of members) {
      const isTied = dependencies.some(({ service: other, restart }) => restart && services.has(other));
      if (isTied && container.status === 'running') services.add(service);
    }
  }
}

/** Signals running containers. Skips those that have ended in the meantime. */
export async function killProject(
  orchestration: Orchestration,
  selection: Selection & { readonly killSignal?: string | undefined },
): Promise<void> {
  const { backend, signal } = orchestration;
  const members = await selectMembers(orchestration, selection);
  const alive = members.filter(({ container: { status } }) => status === 'running' || status === 'stopping');
  await Promise.all(
    alive.map(({ container }) =>
      reported(orchestration, 'Container', container.name, ['Killing', 'Killed'], async () => {
        try {
          await backend.containers.kill(container.id, { signal, ...optionalField('killSignal', selection.killSignal) });
        } catch (error) {
          if (!isRuntimeError(error, 'invalidState') && !isRuntimeError(error, 'notFound')) throw error;
        }
      }),
    ),
  );
}

/** Suspends running containers. Skips those that are already paused. */
export async function pauseProject(orchestration: Orchestration, selection: Selection): Promise<void> {
  const { backend, signal } = orchestration;
  const members = await selectMembers(orchestration, selection);
  const awake = members.filter(
    ({ container: { status, condition } }) => status === 'running' && condition !== 'paused',
  );
  await Promise.all(
    awake.map(({ container: { id, name } }) =>
      reported(orchestration, 'Container', name, ['Pausing', 'Paused'], () => backend.containers.pause(id, { signal })),
    ),
  );
}

/** Resumes paused containers. */
export async function unpauseProject(orchestration: Orchestration, selection: Selection): Promise<void> {
  const { backend, signal } = orchestration;
  const members = await selectMembers(orchestration, selection);
  const paused = members.filter(({ container: { condition } }) => condition === 'paused');
  await Promise.all(
    paused.map(({ container: { id, name } }) =>
      reported(orchestration, 'Container', name, ['Unpausing', 'Unpaused'], () =>
        backend.containers.unpause(id, { signal }),
      ),
    ),
  );
}

/** The containers that `rm` would remove: ended or never started, and with `stop` also running ones. */
export async function removableMembers(
  orchestration: Orchestration,
  selection: Selection & { readonly stop?: boolean },
): Promise<Member[]> {
  const members = await selectMembers(orchestration, selection);
  return members.filter(
    ({ container: { status } }) => selection.stop === true || hasEnded(status) || status === 'created',
  );
}
