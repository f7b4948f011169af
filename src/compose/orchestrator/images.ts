/** Provides the images of a project's services: present, pulled or built. */
import type { FileContent } from '../model/file-content.js';
import { imageOf } from '../model/project/listings.js';
import { allServices } from '../model/project/profiles.js';
import type { Project } from '../model/project/project.js';
import type { Service } from '../model/project/service.js';
import { parseDuration } from '../model/normalize/duration.js';
import { imageNotFound, isEngineFailure, isRuntimeError } from '../runtime/errors.js';
import { qualifyImage } from '../runtime/image-reference.js';
import type { ImageRecord } from '../runtime/records.js';
import { buildOrder } from './build-order.js';
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

export interface Images {
  /** The id of each service's image. */
  readonly ofServices: ReadonlyMap<string, string>;
  /** The ids of mounted images, by their references. */
  readonly mounted: ReadonlyMap<string, string>;
}

/**
 * Ensures that every service's image is present, and every image that a service mounts.
 *
 * @throws RuntimeError.imageNotFound, backendFailure when a build fails, notSupported for mounts of images
 */
export async function ensureImages(
  orchestration: Orchestration,
  project: Project,
  options: ImageOptions,
): Promise<Images> {
  await requireImageMounts(orchestration, project);
  const ids = new Map<string, string>();
  const once = new Map<string, Promise<string>>();
  const order = options.build === 'never' ? new Map<string, string[]>() : await buildOrder(project);
  await inDependencyOrder(
    Object.keys(project.services),
    (name) => order.get(name) ?? [],
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
  return { ofServices: ids, mounted: await ensureMounted(orchestration, project, options) };
}

/** Before the first change: `up` removes a container before it creates its successor. */
async function requireImageMounts({ backend, signal }: Orchestration, { services }: Project): Promise<void> {
  const mounts = Object.values(services).flatMap(({ volumes = [] }) => volumes.filter(({ type }) => type === 'image'));
  if (mounts.length === 0) return;
  const subpath = mounts.some(({ image }) => image?.subpath !== undefined);
  await backend.internal.requireImageMounts?.({ subpath }, { signal });
}

/** After the builds, because a mounted image can be that of another service. */
async function ensureMounted(
  orchestration: Orchestration,
  project: Project,
  { pull = 'missing' }: ImageOptions,
): Promise<Map<string, string>> {
  const every = { ...project, services: allServices(project) };
  const built = Object.keys(every.services).filter((name) => every.services[name]?.build !== undefined);
  const own = new Set(built.map((name) => qualifyImage(imageOf(every, name))));
  const ids = new Map<string, string>();
  for (const image of new Set(Object.values(project.services).flatMap(mountedImages))) {
    const present = await imageId(orchestration, image);
    if (pull === 'never' && present === undefined) throw imageNotFound(image);
    const isCurrent = present !== undefined && (pull !== 'always' || own.has(qualifyImage(image)));
    if (!isCurrent) await pullImage(orchestration, image, undefined);
    ids.set(image, (await imageId(orchestration, image)) ?? '');
  }
  return ids;
}

/** The references of the images that a service mounts. */
export function mountedImages({ volumes = [] }: Service): string[] {
  return volumes.flatMap(({ type, source }) => (type === 'image' && source !== undefined ? [source] : []));
}

async function ensureImage(
  orchestration: Orchestration,
  project: Project,
  name: string,
  options: ImageOptions,
): Promise<string> {
  const service = project.services[name] ?? {};
  const image = imageOf(project, name);
  const record = await imageRecord(orchestration, image);
  const present = record?.id;
  const policy = options.pull ?? service.pull_policy ?? 'missing';
  if (service.build !== undefined) {
    const build = options.build ?? (service.pull_policy === 'build' ? 'always' : 'missing');
    if (build === 'never' ? false : build === 'always' || present === undefined) {
      return buildImage(orchestration, project, name, { contents: options.contents });
    }
    if (present === undefined) throw imageNotFound(image);
    return present;
  }
  if (policy === 'never' && present === undefined) throw imageNotFound(image);
  if (present !== undefined && isFresh(record, policy, orchestration.clock.now())) return present;
  await pullImage(orchestration, image, service.platform);
  return (await imageId(orchestration, image)) ?? '';
}

/** Whether an image that is present is not pulled again. Podman does not report when it was: it pulls each time. */
function isFresh(image: ImageRecord | undefined, policy: string, now: Date): boolean {
  if (policy === 'never' || policy === 'missing') return true;
  const interval = { daily: '24h', weekly: '168h' }[policy] ?? policy.replace('every_', '');
  const nanoseconds = parseDuration(interval);
  if (nanoseconds === undefined || image?.taggedAt === undefined) return false;
  return Date.parse(image.taggedAt) + nanoseconds / 1e6 > now.getTime();
}

/** The id of an image; undefined if it is not present. */
export async function imageId(orchestration: Orchestration, reference: string): Promise<string | undefined> {
  return (await imageRecord(orchestration, reference))?.id;
}

async function imageRecord({ backend, signal }: Orchestration, reference: string): Promise<ImageRecord | undefined> {
  try {
    return await backend.images.inspect(reference, { signal });
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
