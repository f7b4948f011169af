/** `build` and `pull` for a project's services. */
import type { Project } from '../model/project/project.js';
import { isRuntimeError } from '../runtime/errors.js';
import { buildDependencies, buildImage, imageOf, pullImage, type BuildOptions } from './images.js';
import { inDependencyOrder } from './ordered.js';
import type { Orchestration } from './orchestration.js';

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
  await inDependencyOrder(
    names,
    (name) => buildDependencies(project.services[name] ?? {}),
    async (name, signal) => {
      await buildImage({ ...orchestration, signal }, project, name, options);
    },
    { signal: orchestration.signal, limit: orchestration.parallel },
  );
  return names;
}

export interface PullOptions {
  /** Continue with other images when one cannot be pulled. */
  readonly ignoreFailures?: boolean;
  /** Skip services that are built. */
  readonly ignoreBuildable?: boolean;
  /** `missing`: only images that are not present. */
  readonly policy?: 'always' | 'missing';
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
