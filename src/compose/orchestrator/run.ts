/** One-off containers of a service: `run`. */
import { randomBytes } from 'node:crypto';
import type { AttachedProcess } from '../runtime/records.js';
import { containerName } from '../model/project/container-names.js';
import { separatorOf } from '../model/project/listings.js';
import type { Project } from '../model/project/project.js';
import { commandFailed, isRuntimeError, notSupported, unlessNotFound } from '../runtime/errors.js';
import type { ContainerSpec, Mount, PublishedPort } from '../runtime/spec.js';
import { startContainer, type ContainerName } from './container-actions.js';
import { optionalField } from './container/optional-field.js';
import { blueprint, createContainer } from './creation.js';
import { awaitDependencies } from './dependencies.js';
import { ensureImages, type ImageOptions } from './images.js';
import { observeProject } from './actual-state.js';
import type { Orchestration } from './orchestration.js';
import { withProvided } from './providers/providers.js';
import { ensureResources, requireExternals } from './resources.js';
import { up, type Loaded } from './up.js';

export interface RunOptions extends Omit<ImageOptions, 'contents'> {
  readonly service: string;
  /** Replaces the service's command. */
  readonly command?: readonly string[];
  readonly entrypoint?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly labels?: Readonly<Record<string, string>>;
  readonly mounts?: readonly Mount[];
  readonly ports?: readonly PublishedPort[];
  readonly user?: string;
  readonly workingDirectory?: string;
  readonly name?: string;
  /** Publish the service's ports. By default a one-off container publishes none of them. */
  readonly servicePorts?: boolean;
  /** Use the service's aliases on its networks. */
  readonly useAliases?: boolean;
  /** False (`--no-deps`): do not start dependencies. */
  readonly dependencies?: boolean;
  readonly tty?: boolean;
  readonly interactive?: boolean;
}

/**
 * Creates a one-off container after its dependencies are up and meet their conditions.
 *
 * @param loaded narrowed to the service and its dependencies
 * @throws as `up`
 */
export async function createOneOff(
  orchestration: Orchestration,
  loaded: Loaded,
  options: RunOptions,
): Promise<ContainerName> {
  const { contents } = loaded;
  const { service } = options;
  if (orchestration.backend.cluster !== undefined) throw notSupported('run', orchestration.backend.conformer);
  requireContainer(loaded.project, service);
  const project = options.dependencies === false ? loaded.project : await withProvided(orchestration, loaded.project);
  const definition = project.services[service] ?? {};
  const { [service]: _own, ...others } = project.services;
  if (options.dependencies !== false && Object.keys(others).length > 0) {
    const before = { project: { ...project, services: others, disabledServices: project.services }, contents };
    const { containers } = await up(orchestration, before, optionalField('pull', options.pull));
    const dependencies = Object.entries(definition.depends_on ?? {}).map(([name, { condition, required }]) => ({
      service: name,
      condition,
      required,
      willRestart: false,
    }));
    await awaitDependencies(orchestration, dependencies, containers);
  }
  const disabledServices = { ...project.disabledServices, ...others };
  const alone = { ...project, services: { [service]: definition }, disabledServices };
  await requireExternals(orchestration, alone);
  const images = await ensureImages(orchestration, alone, { ...options, contents });
  await ensureResources(orchestration, alone);
  const present = await observeProject(orchestration, project.name);
  return createContainer(orchestration, await blueprint(alone, images, contents), service, {
    name: options.name ?? [project.name, service, 'run', randomBytes(6).toString('hex')].join(separatorOf(project)),
    number: 1,
    oneOff: true,
    containerOf: (other) =>
      present.find((member) => member.service === other && !member.oneOff)?.container.id ??
      containerName(project, other, 1),
    amend: (spec) => oneOffSpec(spec, options),
  });
}

function requireContainer({ services }: Project, service: string): void {
  const type = services[service]?.provider?.type;
  if (type === undefined) return;
  throw commandFailed(`'${service}' is run by the provider '${type}': it has no container to run a command in.`);
}

/** Command-line options override the file. A one-off container is never restarted. */
function oneOffSpec(spec: ContainerSpec, options: RunOptions): ContainerSpec {
  const { ports, restart: _restart, ...rest } = spec;
  const published = [...(options.servicePorts === true ? (ports ?? []) : []), ...(options.ports ?? [])];
  const targets = new Set(options.mounts?.map(({ target }) => target));
  const networks =
    options.useAliases === true ? spec.networks : spec.networks?.map((network) => ({ ...network, aliases: [] }));
  return {
    ...rest,
    ...optionalField('networks', networks),
    environment: { ...spec.environment, ...options.environment },
    labels: { ...spec.labels, ...options.labels },
    mounts: [...(spec.mounts ?? []).filter(({ target }) => !targets.has(target)), ...(options.mounts ?? [])],
    ...optionalField('ports', published.length === 0 ? undefined : published),
    ...optionalField('command', options.command),
    ...optionalField('entrypoint', options.entrypoint),
    ...optionalField('user', options.user),
    ...optionalField('workingDirectory', options.workingDirectory),
    tty: options.tty ?? spec.tty ?? false,
    openStdin: options.interactive ?? spec.openStdin ?? false,
    stdinOnce: options.interactive ?? false,
  };
}

/** Starts it in the background. */
export async function startOneOff(orchestration: Orchestration, container: ContainerName): Promise<void> {
  await startContainer(orchestration, container);
}

/** Starts it in the foreground, without losing output. */
export async function attachOneOff(
  { backend, signal }: Orchestration,
  container: ContainerName,
  stdin: AsyncIterable<Uint8Array> | undefined,
): Promise<AttachedProcess> {
  return backend.containers.startAttached(container.id, { signal, ...optionalField('stdin', stdin) });
}

/** Stops the container and optionally removes it, after its end or an interruption. */
export async function endOneOff(
  { backend }: Orchestration,
  container: ContainerName,
  { remove }: { readonly remove: boolean },
): Promise<void> {
  try {
    const { status } = await backend.containers.inspect(container.id);
    if (status === 'running') await backend.containers.stop(container.id);
  } catch (error) {
    if (!isRuntimeError(error, 'invalidState') && !isRuntimeError(error, 'notFound')) throw error;
  }
  if (remove) await unlessNotFound(backend.containers.remove(container.id, { force: true, volumes: true }));
}
