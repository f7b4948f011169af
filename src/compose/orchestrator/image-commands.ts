/** `build`, `pull` and `push` for a project's services. */
import { imageOf, serviceContexts } from '../model/project/listings.js';
import type { Project } from '../model/project/project.js';
import { isEngineFailure, isRuntimeError } from '../runtime/errors.js';
import { buildOrder } from './build-order.js';
import { buildSpec, type BuildOptions } from './build-spec.js';
import { buildImage, pullImage } from './images.js';
import { inDependencyOrder } from './ordered.js';
import { reported, type Orchestration } from './orchestration.js';

/**
 * Builds every service with a `build` section, each after the services whose images it uses as base.
 *
 * @returns the names of the built services
 * @throws RuntimeError.backendFailure, imageNotFound
 */
export async function buildProject(
  orchestration: Orchestration,
  project: Project,
  options: BuildOptions,
): Promise<string[]> {
  const names = Object.keys(project.services).filter((name) => project.services[name]?.build !== undefined);
  const order = await buildOrder(project);
  await inDependencyOrder(
    names,
    (name) => order.get(name) ?? [],
    async (name, signal) => {
      await buildImage({ ...orchestration, signal }, project, name, options);
    },
    { signal: orchestration.signal, limit: orchestration.parallel },
  );
  return names;
}

/** These services, and those whose images their builds use. */
export function withBuildDependencies(project: Project, services: readonly string[]): string[] {
  const found = new Set<string>();
  const add = (name: string): void => {
    if (found.has(name)) return;
    found.add(name);
    serviceContexts(project.services[name] ?? {}).forEach(add);
  };
  services.forEach(add);
  return [...found];
}

/**
 * Checks the Dockerfiles of all services with a `build` section, and prints the results one after the other.
 *
 * @throws RuntimeError.backendFailure when a check finds something
 */
export async function checkProject(
  { backend, signal }: Orchestration,
  project: Project,
  options: BuildOptions,
  print: (text: string) => Promise<void>,
): Promise<void> {
  let failed: Error | undefined;
  for (const [name, { build }] of Object.entries(project.services)) {
    if (build === undefined) continue;
    const spec = buildSpec(backend.conformer, project, name, { ...options, check: true });
    await print(`${name}\n`);
    try {
      for await (const item of await backend.images.build(spec, { signal })) {
        if (item.type === 'log') await print(`${item.line}\n`);
      }
    } catch (error) {
      if (!isEngineFailure(error)) throw error;
      failed = error;
    }
  }
  if (failed !== undefined) throw failed;
}

export interface PullOptions {
  /** Continue with other images when one cannot be pulled. */
  readonly ignoreFailures?: boolean;
  /** Skip services that are built. */
  readonly ignoreBuildable?: boolean;
  /** `missing`: only images that are not present. */
  readonly policy?: 'always' | 'missing';
}

export interface PushOptions {
  /** Continue with other images when one cannot be pushed. */
  readonly ignoreFailures?: boolean;
}

/**
 * Pushes the images of services that are built and have a name, with the further tags of `build.tags`.
 *
 * @throws RuntimeError.imageNotFound for an image that was not built, backendFailure when the registry refuses it
 */
export async function pushProject(orchestration: Orchestration, project: Project, options: PushOptions): Promise<void> {
  const { backend, report, signal } = orchestration;
  const images = Object.values(project.services).flatMap(({ build, image }) =>
    build === undefined || image === undefined ? [] : [image, ...(build.tags ?? [])],
  );
  const push = async (image: string, bound: AbortSignal): Promise<void> => {
    for await (const { layer, message } of await backend.images.push(image, { signal: bound })) {
      report({ kind: 'line', name: image, text: layer === undefined ? message : `${layer}: ${message}` });
    }
  };
  await inDependencyOrder(
    [...new Set(images)],
    () => [],
    async (image, bound) => {
      try {
        await reported({ ...orchestration, signal: bound }, 'Image', image, ['Pushing', 'Pushed'], () =>
          push(image, bound),
        );
      } catch (error) {
        if (options.ignoreFailures !== true || !(isRuntimeError(error) || isEngineFailure(error))) throw error;
        report({ kind: 'warning', message: error.message });
      }
    },
    { signal, limit: orchestration.parallel },
  );
}

/** @throws RuntimeError.imageNotFound */
export async function pullProject(orchestration: Orchestration, project: Project, options: PullOptions): Promise<void> {
  const { backend, report, signal } = orchestration;
  const images = new Map<string, string | undefined>();
  for (const [name, { build, image, platform, provider, pull_policy: policy }] of Object.entries(project.services)) {
    if (provider !== undefined) continue;
    // Services that are only built have no image to pull.
    if (policy === 'never' || policy === 'build' || (build !== undefined && image === undefined)) continue;
    if (build !== undefined && options.ignoreBuildable === true) continue;
    images.set(imageOf(project, name), platform);
  }
  await inDependencyOrder(
    [...images.keys()],
    () => [],
    async (image, bound) => {
      if (options.policy === 'missing' && (await isHere(orchestration, image))) return;
      try {
        await pullImage({ ...orchestration, signal: bound }, image, images.get(image));
      } catch (error) {
        if (options.ignoreFailures !== true || !isRuntimeError(error)) throw error;
        report({ kind: 'warning', message: error.message });
      }
    },
    { signal, limit: orchestration.parallel },
  );

  async function isHere({ signal: bound }: Orchestration, image: string): Promise<boolean> {
    try {
      await backend.images.inspect(image, { signal: bound });
      return true;
    } catch (error) {
      if (isRuntimeError(error, 'imageNotFound')) return false;
      throw error;
    }
  }
}
