/** Projects: their compose files and their containers. */
import type {
  DeleteProjectHandler,
  GetProjectHandler,
  IngestProjectHandler,
  ListProjectServicesHandler,
  ListProjectsHandler,
  Schemas,
} from '../../../../generated/compose/operations.js';
import { validationFailed } from '../../../../generated/problems.js';
import { down } from '../../orchestrator/down.js';
import { OrchestratorError } from '../../orchestrator/errors.js';
import { observeAll, observeProject, type Member } from '../../orchestrator/actual-state.js';
import type { ComposeDependencies } from '../dependencies.js';
import { containerBody } from '../containers/container-body.js';
import { answering } from '../failure-replies.js';
import { replyWithPage } from '../paging.js';
import { requireOwnProject } from '../trust/ownership.js';
import { orchestrationOf } from './orchestration-of.js';
import type { IngestedProject } from './registry.js';
import { UnusableEscape } from './unusable-escapes.js';

export const listProjects: ListProjectsHandler<ComposeDependencies> = async ({ query, context }, dependencies) => {
  const members = await observeAll({ backend: dependencies.backend, signal: context.signal });
  const ingested = new Map(dependencies.projects.list().map((project) => [project.name, project]));
  const names = [...new Set([...ingested.keys(), ...members.map(({ project }) => project)])];
  return replyWithPage(query, names, {
    positionOf: (name) => name,
    itemOf: (name) =>
      projectBody(
        name,
        ingested.get(name),
        members.filter(({ project }) => project === name),
      ),
  });
};

export const ingestProject: IngestProjectHandler<ComposeDependencies> = async (
  { params, query, body, context },
  dependencies,
) => {
  try {
    return await answering(refusals, () =>
      dependencies.projectLocks(params.name, async () => {
        if (dependencies.projects.get(params.name) === undefined) {
          await requireOwnProject(params.name, dependencies, context.signal);
        }
        const { project, outcome } = await dependencies.projects.put(params.name, body, query.replace);
        const services = [...project.services.keys()];
        const reply: Schemas['IngestedProject'] = {
          name: project.name,
          outcome,
          service_count: services.length,
          services,
          ingested_at: project.ingestedAt,
          warnings: [...project.warnings],
        };
        return outcome === 'created' ? { status: 201, body: reply } : { status: 200, body: reply };
      }),
    );
  } catch (error) {
    if (error instanceof UnusableEscape) return refusedText(error);
    throw error;
  }
};

function refusedText({ path, reason: { rule, message } }: UnusableEscape): ReturnType<typeof validationFailed> {
  const pointer = ['/body', ...path.map((part) => String(part).replaceAll('~', '~0').replaceAll('/', '~1'))].join('/');
  return validationFailed({
    message: `Correct the request: ${pointer} ${message}.`,
    violations: [{ path: pointer, rule, message }],
  });
}

/** Every way in which a compose file that was sent can be wrong. */
const refusals = [
  'ComposeError.imageNotFound',
  'ComposeError.invalidProjectName',
  'ComposeError.invalidShellTokenization',
  'YamlError.malformed',
  'YamlError.limitExceeded',
  'ExtendsError.cyclicExtends',
  'ExtendsError.fileNotFound',
  'ExtendsError.serviceNotFound',
  'ComposeMemoryParseError.empty',
  'ComposeMemoryParseError.invalid',
  'ComposeMemoryParseError.negative',
  'ComposeMemoryParseError.overflow',
  'InterpolationError.invalidTemplate',
  'InterpolationError.requiredVariable',
  'InterpolationError.nestedTooDeeply',
  'EnvFileError.notFound',
  'ComposeValidationError.unknownKey',
  'ComposeValidationError.missingKey',
  'ComposeValidationError.invalidValue',
  'ComposeValidationError.cannotMerge',
  'ComposeValidationError.undefinedReference',
  'ComposeValidationError.disabledReference',
  'ComposeValidationError.conflict',
  'ComposeValidationError.circularDependency',
  'ComposeValidationError.emptyProject',
  'ComposeValidationError.notAllowed',
  'OrchestratorError.limitExceeded',
  'RuntimeError.alreadyExists',
] as const;

export const getProject: GetProjectHandler<ComposeDependencies> = ({ params, context }, dependencies) =>
  answering(['OrchestratorError.projectNotFound'], async () => {
    const { ingested, members } = await lookUp(params.name, context.signal, dependencies);
    return { status: 200, body: projectBody(params.name, ingested, members) };
  });

export const deleteProject: DeleteProjectHandler<ComposeDependencies> = ({ params, query, context }, dependencies) =>
  answering(['OrchestratorError.projectNotFound'], () =>
    dependencies.projectLocks(params.name, async () => {
      await lookUp(params.name, context.signal, dependencies);
      const { orchestration } = orchestrationOf(context, dependencies);
      await down(orchestration, params.name, { volumes: query.volumes });
      await dependencies.projects.forget(params.name);
      return { status: 204 };
    }),
  );

export const listProjectServices: ListProjectServicesHandler<ComposeDependencies> = (
  { params, query, context },
  dependencies,
) =>
  answering(['OrchestratorError.projectNotFound'], async () => {
    const { ingested, members } = await lookUp(params.name, context.signal, dependencies);
    const itemOf = (name: string): Schemas['ProjectService'] => {
      const service = ingested?.services.get(name);
      return {
        project: params.name,
        name,
        image: service?.image ?? null,
        replicas: service?.replicas ?? null,
        containers: members
          .filter((member) => member.service === name)
          .map(({ container }) => containerBody(container)),
      };
    };
    return replyWithPage(query, serviceNames(ingested, members), { positionOf: (name) => name, itemOf });
  });

/**
 * A project by the compose file that was sent, by its containers, or both.
 *
 * @throws OrchestratorError.projectNotFound when there is neither
 */
export async function lookUp(
  name: string,
  signal: AbortSignal,
  { backend, projects }: ComposeDependencies,
): Promise<{ ingested: IngestedProject | undefined; members: readonly Member[] }> {
  const ingested = projects.get(name);
  const members = await observeProject({ backend, signal }, name);
  if (ingested === undefined && members.length === 0) throw new OrchestratorError({ case: 'projectNotFound', name });
  return { ingested, members };
}

function projectBody(
  name: string,
  ingested: IngestedProject | undefined,
  members: readonly Member[],
): Schemas['Project'] {
  const services = serviceNames(ingested, members);
  return {
    name,
    source: ingested === undefined ? 'synthesized' : 'ingested',
    service_count: services.length,
    running_count: members.filter(({ container }) => container.status === 'running').length,
    services,
    ingested_at: ingested?.ingestedAt ?? null,
    created_at: members[0]?.container.createdAt ?? null,
  };
}

function serviceNames(ingested: IngestedProject | undefined, members: readonly Member[]): string[] {
  return [...new Set([...(ingested?.services.keys() ?? []), ...members.map(({ service }) => service)])].sort();
}
