/** Projects: up, down and in between. What concerns one project happens one after the other. */
import type {
  DownProjectHandler,
  RestartProjectHandler,
  ScaleServiceHandler,
  Schemas,
  StopProjectHandler,
  UpProjectHandler,
} from '../../../../generated/compose/operations.js';
import { down } from '../../orchestrator/down.js';
import { OrchestratorError } from '../../orchestrator/errors.js';
import {
  restartProject as restartMembers,
  selectMembers,
  startProject,
  stopMembers,
} from '../../orchestrator/lifecycle.js';
import { membersOf, observeProject, type Member } from '../../orchestrator/actual-state.js';
import { up, type UpOptions } from '../../orchestrator/up.js';
import type { ComposeDependencies } from '../dependencies.js';
import { answering } from '../failure-replies.js';
import { requireOwnProject } from '../trust/ownership.js';
import { NOT_ALLOWED } from '../trust/trust.js';
import { WHOLE } from './ingested-project.js';
import { orchestrationOf } from './orchestration-of.js';
import { lookUp } from './projects.js';
import type { IngestedProject } from './registry.js';

const ofStarting = [
  'OrchestratorError.projectNotFound',
  'OrchestratorError.serviceNotFound',
  'OrchestratorError.invalidReplicaCount',
  'OrchestratorError.projectNotIngested',
  'OrchestratorError.limitExceeded',
  'RuntimeError.notFound',
  'RuntimeError.imageNotFound',
  'RuntimeError.alreadyExists',
  'RuntimeError.invalidState',
  'RuntimeError.notSupported',
  'ComposeError.externalVolumeNotFound',
  'ComposeWaitError.nonZeroExitCode',
  'ComposeWaitError.timeout',
  ...NOT_ALLOWED,
  'ComposeValidationError.disabledReference',
  'ComposeValidationError.unsupported',
  'ComposeValidationError.conflict',
] as const;

export const upProject: UpProjectHandler<ComposeDependencies> = ({ params, body = {}, context }, dependencies) =>
  answering(ofStarting, () =>
    dependencies.projectLocks(params.name, async () => {
      const { name } = params;
      const { services = [], profiles = [] } = body;
      const known = await lookUp(name, context.signal, dependencies);
      const scale = new Map(Object.entries(body.scale ?? {}));
      requireScale(name, known, scale);
      const { ingested } = known;
      const { orchestration, warnings } = orchestrationOf(context, dependencies);
      if (ingested === undefined) {
        if (scale.size > 0) throw new OrchestratorError({ case: 'projectNotIngested', name });
        await startProject(orchestration, { name, services });
      } else {
        requireServices(ingested, services);
        await requireOwnProject(name, dependencies, context.signal);
        const loaded = await dependencies.projects.load(ingested, { services, profiles });
        dependencies.projects.scale(ingested, scale, services.length === 0);
        warnings.push(...loaded.warnings.map(({ message }) => message));
        await up(orchestration, loaded, { ...upOptions(body), scale });
      }
      const members = membersOf(await observeProject(orchestration, name), services, name, services);
      return { status: 200, body: { project: name, services: members.map(containerOf), warnings } };
    }),
  );

function upOptions(body: Schemas['UpRequest']): UpOptions {
  const { build, pull, recreate, remove_orphans: removeOrphans, timeout_seconds: stopTimeoutSeconds } = body;
  return {
    ...(build && { build }),
    ...(pull && { pull }),
    ...(recreate && { recreate }),
    ...(removeOrphans !== undefined && { removeOrphans }),
    ...(stopTimeoutSeconds !== undefined && { stopTimeoutSeconds }),
  };
}

export const downProject: DownProjectHandler<ComposeDependencies> = ({ params, body = {}, context }, dependencies) =>
  answering(['OrchestratorError.projectNotFound'], () =>
    dependencies.projectLocks(params.name, async () => {
      const { ingested } = await lookUp(params.name, context.signal, dependencies);
      const { orchestration } = orchestrationOf(context, dependencies);
      const { remove_volumes: volumes = false, remove_orphans: removeOrphans = true, timeout_seconds } = body;
      const { stopped, removed } = await down(orchestration, params.name, {
        volumes,
        removeOrphans,
        timeoutSeconds: timeout_seconds,
        ...(ingested && { project: (await dependencies.projects.load(ingested, WHOLE)).project }),
      });
      // Containers have copies, so only their successors would need the content.
      if (body.remove_files === true && ingested !== undefined) {
        await dependencies.projects.putContents(params.name, new Map());
      }
      return { status: 200, body: { project: params.name, stopped: [...stopped], removed: [...removed] } };
    }),
  );

export const stopProject: StopProjectHandler<ComposeDependencies> = ({ params, body = {}, context }, dependencies) =>
  answering(['OrchestratorError.projectNotFound', 'OrchestratorError.serviceNotFound'], () =>
    dependencies.projectLocks(params.name, async () => {
      const { name } = params;
      const { ingested, members } = await lookUp(name, context.signal, dependencies);
      const chosen = membersOf(members, body.services ?? [], name, [...(ingested?.services.keys() ?? [])]);
      const { orchestration } = orchestrationOf(context, dependencies);
      const project = ingested && (await dependencies.projects.load(ingested, WHOLE)).project;
      await stopMembers(orchestration, chosen, { project, timeoutSeconds: body.timeout_seconds });
      const alive = chosen.filter(({ container: { status } }) => status === 'running' || status === 'stopping');
      return { status: 200, body: { project: name, stopped: alive.map(({ container }) => container.name) } };
    }),
  );

export const restartProject: RestartProjectHandler<ComposeDependencies> = (
  { params, body = {}, context },
  dependencies,
) =>
  answering(
    [
      'OrchestratorError.projectNotFound',
      'OrchestratorError.serviceNotFound',
      'RuntimeError.invalidState',
      'ComposeWaitError.nonZeroExitCode',
      'ComposeWaitError.timeout',
    ],
    () =>
      dependencies.projectLocks(params.name, async () => {
        const { ingested } = await lookUp(params.name, context.signal, dependencies);
        const { orchestration } = orchestrationOf(context, dependencies);
        const project = ingested && (await dependencies.projects.load(ingested, WHOLE)).project;
        const selection = { name: params.name, services: body.services ?? [], project };
        const members = await selectMembers(orchestration, selection);
        await restartMembers(orchestration, { ...selection, timeoutSeconds: body.timeout_seconds });
        const restarted = members.map(({ container }) => container.name);
        return { status: 200, body: { project: params.name, restarted } };
      }),
  );

export const scaleService: ScaleServiceHandler<ComposeDependencies> = ({ params, body, context }, dependencies) =>
  answering(ofStarting, () =>
    dependencies.projectLocks(params.name, async () => {
      const { name, service } = params;
      const { replicas } = body;
      const known = await lookUp(name, context.signal, dependencies);
      const scale = new Map([[service, replicas]]);
      requireScale(name, known, scale);
      const { ingested } = known;
      if (ingested === undefined) throw new OrchestratorError({ case: 'projectNotIngested', name });
      await requireOwnProject(name, dependencies, context.signal);
      const { orchestration } = orchestrationOf(context, dependencies);
      const loaded = await dependencies.projects.load(ingested, { services: [service] });
      dependencies.projects.scale(ingested, scale, false);
      await up(orchestration, loaded, { scale, removeOrphans: false });
      const members = membersOf(await observeProject(orchestration, name), [service], name, [service]);
      const containers = members.map(containerOf);
      return { status: 200, body: { project: name, service, replicas: containers.length, containers } };
    }),
  );

/** @throws OrchestratorError.serviceNotFound, before invalidReplicaCount for a negative number */
function requireScale(name: string, known: KnownProject, scale: ReadonlyMap<string, number>): void {
  requireKnownServices(name, known, [...scale.keys()]);
  for (const replicas of scale.values()) {
    if (replicas < 0) throw new OrchestratorError({ case: 'invalidReplicaCount', replicas });
  }
}

/**
 * @throws OrchestratorError.projectNotFound, serviceNotFound, or projectNotIngested when the project is known by its
 * containers alone
 */
export async function requireIngested(
  name: string,
  services: readonly string[],
  signal: AbortSignal,
  dependencies: ComposeDependencies,
): Promise<IngestedProject> {
  const known = await lookUp(name, signal, dependencies);
  requireKnownServices(name, known, services);
  if (known.ingested === undefined) throw new OrchestratorError({ case: 'projectNotIngested', name });
  return known.ingested;
}

type KnownProject = Awaited<ReturnType<typeof lookUp>>;

/** @throws OrchestratorError.serviceNotFound for a service that neither the compose file nor a container has */
function requireKnownServices(name: string, { ingested, members }: KnownProject, services: readonly string[]): void {
  if (ingested === undefined) membersOf(members, services, name);
  else requireServices(ingested, services);
}

/** @throws OrchestratorError.serviceNotFound for a service that the compose file does not have */
function requireServices(ingested: IngestedProject, services: readonly string[]): void {
  for (const service of services) {
    if (!ingested.services.has(service)) {
      throw new OrchestratorError({ case: 'serviceNotFound', project: ingested.name, service });
    }
  }
}

function containerOf({ service, container }: Member): Schemas['ServiceContainer'] {
  return { service, container_id: container.id, name: container.name, status: container.status };
}
