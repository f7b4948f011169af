/** Provides the images of a project's services: present, pulled or built. */
import type { FileContent } from '../model/file-content.js';
import { imageOf } from '../model/project/listings.js';
import type { Project } from '../model/project/project.js';
import type { Service } from '../model/project/service.js';
import { imageNotFound, isEngineFailure, isRuntimeError } from '../runtime/errors.js';
import { buildSpec, type BuildOptions } from './build-spec.js';
import { optionalField } from './container/optional-field.js';
import { inDependencyOrder } from './ordered.js';
import { reported, type Orchestration } from './orchestration.js';

export interface ImageOptions {
  /** `--build`: build even if the image is present; `never`: do not build. */
  readonly build?: 'always' | 'missing' | 'never';
  /** `--pull`; overrides a service's `pull_policy`. */
  readonly pull?: 'always' | 'missing' | 'never';
  /** The values of secrets with `environment:`. */
  readonly contents: ReadonlyMap<string, FileContent>;
}

/**
 * Ensures that every service's image is present.
 *
 * @returns the id of each service's image
 * @throws RuntimeError.imageNotFound, backendFailure when a build fails
 */
export async function ensureImages(
  orchestration: Orchestration,
  project: Project,
  options: ImageOptions,
): Promise<Map<string, string>> {
  const ids = new Map<string, string>();
  const once = new Map<string, Promise<string>>();
  await inDependencyOrder(
    Object.keys(project.services),
    (name) => buildDependencies(project.services[name] ?? {}),
    async (name, signal) => {
      const service = project.services[name] ?? {};
      // Two services with the same image cause one pull or build.
      const key = JSON.stringify([imageOf(project, name), service.platform, service.build]);
      const id = once.get(key) ?? ensureImage({ ...orchestration, signal }, project, name, options);
      once.set(key, id);
      ids.set(name, await id);
    },
    { signal: orchestration.signal, limit: orchestration.parallel },
  );
  return ids;
}

async function ensureImage(
  orchestration: Orchestration,
  project: Project,
  name: string,
  options: ImageOptions,
): Promise<string> {
  const service = project.services[name] ?? {};
  const image = imageOf(project, name);
  const present = await imageId(orchestration, image);
  const policy = options.pull ?? service.pull_policy ?? 'missing';
  if (service.build !== undefined) {
    const build = options.build ?? (service.pull_policy === 'build' ? 'always' : 'missing');
    if (build === 'never' ? false : build === 'always' || present === undefined) {
      return buildImage(orchestration, project, name, { contents: options.contents });
    }
    if (present === undefined) throw imageNotFound(image);
    return present;
  }
  if (policy === 'never' || (policy === 'missing' && present !== undefined)) {
    if (present === undefined) throw imageNotFound(image);
    return present;
  }
  // `daily`, `weekly` and `every_<duration>` pull each time, because no engine reports when an image was last pulled.
  await pullImage(orchestration, image, service.platform);
  return (await imageId(orchestration, image)) ?? '';
}

/** The id of an image; undefined if it is not present. */
export async function imageId({ backend, signal }: Orchestration, reference: string): Promise<string | undefined> {
  try {
    return (await backend.images.inspect(reference, { signal })).id;
  } catch (error) {
    if (isRuntimeError(error, 'imageNotFound')) return undefined;
    throw error;
  }
}

/** Removes an image that a newer one has replaced, unless it has another name or a container uses it. */
export async function removeReplaced({ backend, signal }: Orchestration, id: string): Promise<void> {
  try {
    if ((await backend.images.inspect(id, { signal })).tags.length === 0) await backend.images.remove(id, { signal });
  } catch (error) {
    if (!isEngineFailure(error) && !isRuntimeError(error, 'imageNotFound')) throw error;
  }
}

/** @throws RuntimeError.imageNotFound when the registry does not supply it */
export async function pullImage(
  orchestration: Orchestration,
  reference: string,
  platform: string | undefined,
): Promise<void> {
  const { backend, report, signal } = orchestration;
  await reported(orchestration, 'Image', reference, ['Pulling', 'Pulled'], async () => {
    const progress = await backend.images.pull(reference, { signal, ...optionalField('platform', platform) });
    for await (const { layer, message } of progress) {
      const text = layer === undefined ? message : `${layer}: ${message}`;
      report({ kind: 'line', name: reference, text, about: 'pull' });
    }
  });
}

/** Other services whose images a build uses as base. */
export function buildDependencies({ build }: Service): string[] {
  const contexts = [build?.context ?? '', ...Object.values(build?.additional_contexts ?? {})];
  return contexts.filter((each) => each.startsWith('service:')).map((each) => each.slice('service:'.length));
}

/**
 * Builds a service's image.
 *
 * @returns the image's id
 * @throws RuntimeError.backendFailure when the build fails, imageNotFound when its base image is missing
 */
export async function buildImage(
  orchestration: Orchestration,
  project: Project,
  name: string,
  options: BuildOptions,
): Promise<string> {
  const { backend, report, signal } = orchestration;
  const image = imageOf(project, name);
  return reported(orchestration, 'Image', image, ['Building', 'Built'], async () => {
    const spec = buildSpec(backend.conformer, project, name, options);
    let id = '';
    for await (const progress of await backend.images.build(spec, { signal })) {
      if (progress.type === 'done') id = progress.imageId;
      else report({ kind: 'line', name, text: progress.line, about: 'build' });
    }
    return id;
  });
}
