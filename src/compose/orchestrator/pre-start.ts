/** `pre_start`: commands that run to completion in separate containers before a service starts. */
import { imageOf } from '../model/project/listings.js';
import { backendFailure, isRuntimeError } from '../runtime/errors.js';
import type { ContainerSpec } from '../runtime/spec.js';
import type { PreStartHook } from '../model/project/workload.js';
import { optionalField } from './container/optional-field.js';
import { createContainer, type Blueprint } from './creation.js';
import { hookEnvironment } from './hooks.js';
import { pullImage } from './images.js';
import { LABELS } from './labels.js';
import type { Orchestration } from './orchestration.js';

/**
 * Runs a service's hooks in sequence before the service's first container.
 *
 * @throws RuntimeError.backendFailure for the first hook with a nonzero exit code
 */
export async function runPreStart(
  orchestration: Orchestration,
  prints: Blueprint,
  service: string,
  containerOf: (service: string) => string,
): Promise<void> {
  const { backend, signal } = orchestration;
  const { name: project, services } = prints.project;
  for (const [index, hook] of (services[service]?.pre_start ?? []).entries()) {
    const image = hook.image ?? imageOf(prints.project, service);
    await requireImage(orchestration, image);
    const name = `${project}-${service}-pre_start-${index + 1}`;
    await removeLeftOver(orchestration, name, project);
    const container = await createContainer(orchestration, prints, service, {
      name,
      number: index + 1,
      oneOff: true,
      containerOf,
      amend: (spec) => hookSpec(spec, hook, image),
    });
    try {
      await backend.containers.start(container.id, { signal });
      const { exitCode } = await backend.internal.awaitExit(container.id, { signal });
      if (exitCode !== 0) throw backendFailure(`Hook '${name}' exited with status ${exitCode}.`);
    } finally {
      await backend.containers.remove(container.id, { force: true, volumes: true });
    }
  }
}

function hookSpec(spec: ContainerSpec, hook: PreStartHook, image: string): ContainerSpec {
  const { ports: _ports, healthcheck: _healthcheck, restart: _restart, ...rest } = spec;
  return {
    ...rest,
    image,
    environment: { ...spec.environment, ...hookEnvironment(hook) },
    ...optionalField('command', hook.command),
    ...optionalField('user', hook.user),
    ...optionalField('privileged', hook.privileged),
    ...optionalField('workingDirectory', hook.working_dir),
  };
}

async function requireImage(orchestration: Orchestration, image: string): Promise<void> {
  try {
    await orchestration.backend.images.inspect(image, { signal: orchestration.signal });
  } catch (error) {
    if (!isRuntimeError(error, 'imageNotFound')) throw error;
    await pullImage(orchestration, image, undefined);
  }
}

/** Removes the container of a killed `up`. If a container outside this project has the name, the create reports it. */
async function removeLeftOver({ backend, signal }: Orchestration, name: string, project: string): Promise<void> {
  try {
    const { id, labels } = await backend.containers.inspect(name, { signal });
    if (labels[LABELS.project] === project) await backend.containers.remove(id, { force: true, volumes: true, signal });
  } catch (error) {
    if (!isRuntimeError(error, 'notFound')) throw error;
  }
}
