/** Creates the containers of services. */
import type { FileContent } from '../model/file-content.js';
import { imageOf } from '../model/project/listings.js';
import type { Project } from '../model/project/project.js';
import type { Service } from '../model/project/service.js';
import { serviceHash } from '../model/project/hash.js';
import { createHash } from 'node:crypto';
import type { ContainerSummary, MountRecord } from '../runtime/records.js';
import type { ContainerSpec, Mount } from '../runtime/spec.js';
import { backendFailure, isEngineFailure, isRuntimeError } from '../runtime/errors.js';
import type { ContainerName } from './container-actions.js';
import { containerSpec } from './container/container-spec.js';
import { readContents, type Contents } from './container/contents.js';
import { mountedImages, type Images } from './images.js';
import { dependencyLabel, LABELS } from './labels.js';
import { reported, type Orchestration } from './orchestration.js';
import type { Desired } from './plan.js';

/** A project with all inputs of its containers. */
export interface Blueprint extends Desired {
  /** The files copied into each service's containers. */
  readonly contents: ReadonlyMap<string, Contents>;
}

/**
 * @param held the values of secrets and configs with `environment:`
 * @throws ComposeFailure for a secret or config file that cannot be read
 */
export async function blueprint(
  project: Project,
  { ofServices: images, mounted }: Images,
  held: ReadonlyMap<string, FileContent>,
): Promise<Blueprint> {
  const contents = new Map<string, Contents>();
  const hashes = new Map<string, string>();
  for (const [name, service] of Object.entries(project.services)) {
    const given = await readContents(project, name, held);
    contents.set(name, given);
    hashes.set(name, configurationHash(serviceHash(service), given.digest, mountedIds(service, mounted)));
  }
  return { project, images, contents, hashes };
}

/** Content copied into the container, and the images that it mounts, are part of its configuration. */
function configurationHash(service: string, contents: string | undefined, mounted: readonly string[]): string {
  const more = [contents ?? '', ...mounted].join('');
  return more === '' ? service : createHash('sha256').update(`${service}${more}`).digest('hex');
}

function mountedIds(service: Service, mounted: Images['mounted']): string[] {
  return mountedImages(service).map((image) => mounted.get(image) ?? '');
}

/**
 * The configuration hash of each service, by which `up` detects changed services. `up` adds the images that a service
 * mounts.
 *
 * @throws as `blueprint`
 */
export async function configurationHashes(
  project: Project,
  held: ReadonlyMap<string, FileContent>,
): Promise<ReadonlyMap<string, string>> {
  return (await blueprint(project, { ofServices: new Map(), mounted: new Map() }, held)).hashes;
}

/** How often `createOrTake` asks. */
const POLL_MS = 100;

/** A name is reserved for longer than this only by something that the engine does not list. */
const RESERVED_MS = 10_000;

export interface CreationOptions {
  readonly name: string;
  readonly number: number;
  /** Created by `run`. */
  readonly oneOff?: boolean;
  /** The container that this one replaces. Its anonymous volumes are reused. */
  readonly predecessor?: ContainerSummary | undefined;
  readonly containerOf: (service: string) => string;
  /** Modifies the specification before it is used. */
  readonly amend?: (spec: ContainerSpec) => ContainerSpec;
}

/** @throws RuntimeError.alreadyExists when a container outside this project has the name */
export async function createContainer(
  orchestration: Orchestration,
  plan: Blueprint,
  service: string,
  options: CreationOptions,
): Promise<ContainerName> {
  const { report } = orchestration;
  const { name, amend = (spec: ContainerSpec) => spec } = options;
  const labels = { ...orchestration.labels, ...containerLabels(plan, service, options) };
  const plain = containerSpec(plan.project, service, {
    name,
    number: options.number,
    image: imageOf(plan.project, service),
    labels,
    containerOf: options.containerOf,
  });
  const amended = amend(withInherited(plain, options.predecessor));
  return reported(orchestration, 'Container', name, ['Creating', 'Created'], async () => {
    const spec = await withoutLabelsOfImage(orchestration, amended);
    const { id, warnings } = await createOrTake(orchestration, spec, labels);
    for (const message of warnings) report({ kind: 'warning', message: `${name}: ${message}` });
    const { files = [] } = plan.contents.get(service) ?? {};
    if (files.length > 0) await putFiles(orchestration, id, name, files);
    return { id, name };
  });
}

/**
 * Engines add the labels of the image unless the container sets them itself. Labels to withhold are set to an empty
 * value.
 */
async function withoutLabelsOfImage(
  { backend, signal, withholds }: Orchestration,
  spec: ContainerSpec,
): Promise<ContainerSpec> {
  if (withholds === undefined) return spec;
  const { labels } = await backend.images.inspect(spec.image, { signal });
  const withheld = Object.keys(labels).filter(withholds);
  return { ...spec, labels: { ...Object.fromEntries(withheld.map((label) => [label, ''])), ...spec.labels } };
}

/**
 * A request of a killed `up` can reach the engine after the next `up` has listed the containers. If its labels match,
 * its container is used. An engine reserves the name before it lists the container, so this waits until it is listed.
 */
async function createOrTake(
  { backend, clock, signal }: Orchestration,
  spec: ContainerSpec,
  labels: Readonly<Record<string, string>>,
): Promise<{ readonly id: string; readonly warnings: readonly string[] }> {
  for (let waitedMs = 0; ; waitedMs += POLL_MS) {
    try {
      return await backend.containers.create(spec, { signal });
    } catch (error) {
      if (!isRuntimeError(error, 'alreadyExists')) throw error;
      const holder = (await backend.containers.summaries({ signal })).find(({ name }) => name === spec.name);
      if (holder !== undefined && isUnused(holder, labels)) return { id: holder.id, warnings: [] };
      if (holder !== undefined || waitedMs >= RESERVED_MS) throw error;
    }
    await clock.sleep(POLL_MS, signal);
  }
}

/** Whether a container has these labels and has never run. */
function isUnused(container: ContainerSummary, labels: Readonly<Record<string, string>>): boolean {
  return (
    container.status === 'created' &&
    Object.entries(labels).every(([label, value]) => container.labels[label] === value)
  );
}

/**
 * Removes the container if copying fails: the next `up` must not mistake a container without its secrets for a complete
 * one.
 */
async function putFiles(
  { backend, signal }: Orchestration,
  id: string,
  name: string,
  files: Contents['files'],
): Promise<void> {
  try {
    await backend.containers.putFiles(id, files, { signal });
  } catch (error) {
    await backend.containers.remove(id, { force: true, volumes: true });
    if (!isEngineFailure(error)) throw error;
    throw backendFailure(
      `Secrets or configs could not be copied into '${name}': ${error.message} With read_only, take them from a file.`,
      error,
    );
  }
}

function containerLabels(
  { project, hashes, images }: Blueprint,
  service: string,
  { number, oneOff = false }: CreationOptions,
): Record<string, string> {
  return {
    [LABELS.project]: project.name,
    [LABELS.service]: service,
    [LABELS.number]: String(number),
    [LABELS.oneOff]: oneOff ? 'True' : 'False',
    [LABELS.configHash]: hashes.get(service) ?? '',
    [LABELS.dependsOn]: dependencyLabel(project.services[service] ?? {}),
    [LABELS.image]: images.get(service) ?? '',
    [LABELS.workingDirectory]: project.workingDirectory,
    [LABELS.configFiles]: project.files.join(','),
  };
}

/** Engines name anonymous volumes with 64 hexadecimal digits. */
const ANONYMOUS = /^[0-9a-f]{64}$/;

/** The anonymous volumes of a container. */
export function anonymousVolumes({ mounts }: ContainerSummary): readonly MountRecord[] {
  return mounts.filter(({ type, source }) => type === 'volume' && source !== undefined && ANONYMOUS.test(source));
}

/** The data in a service's anonymous volumes survives the replacement of its container. */
function withInherited(spec: ContainerSpec, predecessor: ContainerSummary | undefined): ContainerSpec {
  const volumes = predecessor === undefined ? [] : anonymousVolumes(predecessor);
  if (volumes.length === 0) return spec;
  const isAnonymous = (mount: Mount): boolean => mount.type === 'volume' && mount.source === undefined;
  const named = new Set((spec.mounts ?? []).filter((mount) => !isAnonymous(mount)).map(({ target }) => target));
  const inherited = volumes.flatMap(({ source, target, readOnly }): Mount[] =>
    named.has(target) || source === undefined ? [] : [{ type: 'volume', source, target, readOnly }],
  );
  const targets = new Set(inherited.map(({ target }) => target));
  return { ...spec, mounts: [...(spec.mounts ?? []).filter(({ target }) => !targets.has(target)), ...inherited] };
}
