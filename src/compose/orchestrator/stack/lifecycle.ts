/** Stops, starts, restarts and removes the services of a project on a swarm. */
import type { ClusterOperations, ClusterService } from '../../runtime/cluster.js';
import { notSupported } from '../../runtime/errors.js';
import { numberOf, objectOf, textMapOf, type Json } from '../../runtime/json.js';
import { derivedLabels, SERVICE_LABEL, STACK_LABEL, STOPPED_LABEL } from '../../runtime/swarm/labels.js';
import { OrchestratorError } from '../errors.js';
import { reported, type Orchestration } from '../orchestration.js';
import { POLL_MS } from '../wait.js';
import { changeService, withForcedUpdate, withReplicas } from './change.js';
import { awaitConvergence } from './convergence.js';
import { removeUnusedFiles } from './files.js';

export interface ServiceSelection {
  /** The project's name. */
  readonly name: string;
  /** Empty: all services. */
  readonly services: readonly string[];
}

/**
 * Sets the services to no replicas, and remembers how many they had.
 *
 * @throws RuntimeError.notSupported for a service that runs on every node
 */
export async function stopServices(
  orchestration: Orchestration,
  cluster: ClusterOperations,
  selection: ServiceSelection,
): Promise<void> {
  const running = (await selected(orchestration, cluster, selection)).filter(
    ({ labels }) => labels[STOPPED_LABEL] === undefined,
  );
  for (const service of running) requireReplicas(service, 'stop');
  await Promise.all(
    running.map((service) =>
      reported(orchestration, 'Service', service.name, ['Stopping', 'Stopped'], async () => {
        await changeService(orchestration, cluster, service, stopped);
        await untilGone(orchestration, cluster, new Set([service.id]));
      }),
    ),
  );
}

function stopped({ spec }: ClusterService): Json {
  const replicas = numberOf(objectOf(objectOf(spec.Mode).Replicated).Replicas);
  const without = withReplicas(spec, 0);
  return { ...without, Labels: { ...textMapOf(without.Labels), [STOPPED_LABEL]: String(replicas) } };
}

/** Gives stopped services the replicas that they had. */
export async function startServices(
  orchestration: Orchestration,
  cluster: ClusterOperations,
  selection: ServiceSelection,
): Promise<void> {
  const idle = (await selected(orchestration, cluster, selection)).filter(
    ({ labels }) => labels[STOPPED_LABEL] !== undefined,
  );
  await Promise.all(
    idle.map((service) =>
      changeService(orchestration, cluster, service, ({ spec, labels }) =>
        withReplicas(spec, numberOf(labels[STOPPED_LABEL])),
      ),
    ),
  );
  const names = idle.map(({ name }) => name);
  await awaitConvergence(orchestration, cluster, { names, changed: new Set(names) });
}

/** The swarm replaces all containers by the update settings. Stopped services are started. */
export async function restartServices(
  orchestration: Orchestration,
  cluster: ClusterOperations,
  selection: ServiceSelection,
): Promise<void> {
  const chosen = await selected(orchestration, cluster, selection);
  await Promise.all(
    chosen.map((service) =>
      changeService(orchestration, cluster, service, ({ spec, labels }) =>
        withForcedUpdate(
          labels[STOPPED_LABEL] === undefined ? spec : withReplicas(spec, numberOf(labels[STOPPED_LABEL])),
        ),
      ),
    ),
  );
  const names = chosen.map(({ name }) => name);
  await awaitConvergence(orchestration, cluster, { names, changed: new Set(names) });
}

/** Removes services and waits until their containers have ended. With no services left, their files go too. */
export async function removeServices(
  orchestration: Orchestration,
  cluster: ClusterOperations,
  project: string,
  isChosen: (service: string) => boolean,
): Promise<void> {
  const { signal } = orchestration;
  const all = await cluster.services.list({ labels: { [STACK_LABEL]: project }, signal });
  const chosen = all.filter((service) => isChosen(composeName(service)));
  await Promise.all(
    chosen.map(({ id, name }) =>
      reported(orchestration, 'Service', name, ['Removing', 'Removed'], () => cluster.services.remove(id, { signal })),
    ),
  );
  await untilGone(orchestration, cluster, new Set(chosen.map(({ id }) => id)));
  await removeUnusedFiles(orchestration, cluster, project);
}

/**
 * Waits for the ends of containers. A node that is down cannot report them, so its tasks are not awaited.
 */
async function untilGone(
  { clock, signal }: Orchestration,
  cluster: ClusterOperations,
  services: ReadonlySet<string>,
): Promise<void> {
  if (services.size === 0 || cluster.isDryRun === true) return;
  for (;;) {
    const tasks = await cluster.tasks({ signal });
    const alive = tasks.some(
      ({ serviceId, state, node }) =>
        services.has(serviceId) && node?.isUp === true && (state === 'running' || state === 'starting'),
    );
    if (!alive) return;
    await clock.sleep(POLL_MS, signal);
  }
}

/** The compose file's name for a service. */
function composeName({ name, labels }: ClusterService): string {
  return derivedLabels(name, labels)[SERVICE_LABEL] ?? name;
}

/** @throws OrchestratorError.projectNotFound, serviceNotFound */
async function selected(
  { signal }: Orchestration,
  cluster: ClusterOperations,
  { name, services }: ServiceSelection,
): Promise<readonly ClusterService[]> {
  const all = await cluster.services.list({ labels: { [STACK_LABEL]: name }, signal });
  if (all.length === 0) throw new OrchestratorError({ case: 'projectNotFound', name });
  const known = new Set(all.map(composeName));
  for (const service of services) {
    if (!known.has(service)) throw new OrchestratorError({ case: 'serviceNotFound', project: name, service });
  }
  return services.length === 0 ? all : all.filter((service) => services.includes(composeName(service)));
}

function requireReplicas({ name, spec }: ClusterService, operation: string): void {
  const isReplicated = objectOf(spec.Mode).Replicated !== undefined;
  if (!isReplicated) throw notSupported(`${operation} of service ${name}, which is not replicated`, 'swarm');
}
