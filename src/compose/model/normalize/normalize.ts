import path from 'node:path';
import type { Json } from '../node.js';
import type { Config, Network, Project, Secret, Volume } from '../project/project.js';
import { mapValues } from '../project/records.js';
import type { Build } from '../project/workload.js';
import type { ComposeFile } from '../schema/compose-file.js';
import type { Dependency, Mount, Port, Service } from '../project/service.js';
import type { Lookup } from '../interpolation/template.js';

export interface NormalizeOptions {
  readonly name: string;
  readonly workingDirectory: string;
  readonly files: readonly string[];
  readonly keepsPaths: boolean;
  /** Values for build arguments listed by name only. */
  readonly lookup: Lookup;
}

/**
 * Converts a merged file to a project: sets names and defaults, and makes implied settings explicit. All services are
 * still enabled.
 */
export function normalize(file: ComposeFile, options: NormalizeOptions): Project {
  const services = mapValues(file.services ?? {}, (service) => normalizeService(service, options));
  const usesDefault = Object.values(services).some(
    (service) => service.networks !== undefined && Object.hasOwn(service.networks, 'default'),
  );
  const networks = { ...file.networks, ...(usesDefault && !file.networks?.['default'] ? { default: null } : {}) };
  return {
    name: options.name,
    workingDirectory: options.workingDirectory,
    files: [...options.files],
    profiles: [],
    services,
    disabledServices: {},
    networks: named<Network>(networks, options.name),
    volumes: named<Volume>(file.volumes ?? {}, options.name),
    secrets: named<Secret>(file.secrets ?? {}, options.name),
    configs: named<Config>(file.configs ?? {}, options.name),
    models: file.models ?? {},
    extensions: extensionsOf(file),
  };
}

/** The project as the file has it, for printing only. Resources without a name have an empty one. */
export function withoutDefaults(file: ComposeFile, { name, workingDirectory, files }: NormalizeOptions): Project {
  const unnamed = { name: '' };
  return {
    name,
    workingDirectory,
    files: [...files],
    profiles: [],
    services: file.services ?? {},
    disabledServices: {},
    networks: mapValues(file.networks ?? {}, (network) => ({ ...unnamed, ...network })),
    volumes: mapValues(file.volumes ?? {}, (volume) => ({ ...unnamed, ...volume })),
    secrets: mapValues(file.secrets ?? {}, (secret) => ({ ...unnamed, ...secret })),
    configs: mapValues(file.configs ?? {}, (config) => ({ ...unnamed, ...config })),
    models: file.models ?? {},
    extensions: extensionsOf(file),
  };
}

/** The default name of a resource is `<project>_<key>`, or the key for external resources. */
function named<T extends { name: string; external?: boolean }>(
  resources: Record<string, (Omit<T, 'name'> & { name?: string; external?: boolean }) | null>,
  project: string,
): Record<string, T> {
  return mapValues(resources, (resource, key) => {
    const name = resource?.name ?? (resource?.external === true ? key : `${project}_${key}`);
    return { ...resource, name } as T; // T is the unnamed form plus a name
  });
}

function normalizeService(written: Service, options: NormalizeOptions): Service {
  const service = withoutEmptyTexts(written);
  return withImageForHooks({
    ...service,
    ...whenPresent('build', service.build, (build) => normalizeBuild(build, options)),
    ...whenPresent('pull_policy', service.pull_policy, (policy) => (policy === 'if_not_present' ? 'missing' : policy)),
    ...whenPresent('ports', service.ports, (ports) => ports.map(withoutEmptyPublished)),
    ...whenPresent('volumes', service.volumes, (volumes) => volumes.map(normalizeMount)),
    ...whenPresent('secrets', service.secrets, (secrets) =>
      secrets.map((secret) => ({ ...secret, target: secret.target ?? `/run/secrets/${secret.source}` })),
    ),
    ...defaultNetworks(service),
    ...allDependencies(service),
  });
}

function normalizeBuild(written: Build, { lookup, workingDirectory, keepsPaths }: NormalizeOptions): Build {
  const build = withoutEmptyTexts(written);
  return {
    ...build,
    context: build.context ?? (keepsPaths ? '.' : workingDirectory),
    ...(build.dockerfile === undefined && build.dockerfile_inline === undefined ? { dockerfile: 'Dockerfile' } : {}),
    ...whenPresent('args', build.args, (args) => resolvedArguments(args, lookup)),
  };
}

/** An empty text is what an unset variable leaves, and means the same as no value. */
function withoutEmptyTexts<T extends object>(fields: T): T {
  return Object.fromEntries(Object.entries(fields).filter(([key, value]) => value !== '' || key.startsWith('x-'))) as T; // the texts are optional
}

/** Arguments listed by name only take their value from the environment, or are omitted. */
function resolvedArguments(args: Record<string, string | null>, lookup: Lookup): Record<string, string> {
  const resolved = Object.entries(args).map(([name, value]) => [name, value ?? lookup(name)] as const);
  return Object.fromEntries(resolved.filter((entry): entry is [string, string] => entry[1] !== undefined));
}

function withoutEmptyPublished(port: Port): Port {
  const { published, ...rest } = port;
  return published === '' ? rest : port;
}

function normalizeMount(mount: Mount): Mount {
  return { ...mount, target: path.posix.normalize(mount.target).replace(/(.)\/$/, '$1') };
}

/** Services without networks join the project's default network. */
function defaultNetworks(service: Service): Pick<Service, 'networks'> {
  if (service.network_mode !== undefined || service.provider !== undefined) return {};
  const isListed = service.networks !== undefined && Object.keys(service.networks).length > 0;
  return isListed ? {} : { networks: { default: null } };
}

/** Keys that accept `service:<name>`. */
export const SHARED_NAMESPACES = ['network_mode', 'ipc', 'pid', 'uts', 'cgroup'] as const;

/** Adds dependencies that references to other services imply. */
function allDependencies(service: Service): Pick<Service, 'depends_on'> {
  const implied: (readonly [string, boolean])[] = [];
  for (const link of service.links ?? []) implied.push([link.split(':', 1)[0] ?? link, true]);
  for (const key of SHARED_NAMESPACES) {
    const value = service[key];
    if (value?.startsWith('service:') === true) implied.push([value.slice('service:'.length), true]);
  }
  for (const source of service.volumes_from ?? []) {
    if (!source.startsWith('container:')) implied.push([source.split(':', 1)[0] ?? source, false]);
  }
  const dependencies = new Map<string, Dependency>(Object.entries(service.depends_on ?? {}));
  for (const [name, restart] of implied) {
    if (dependencies.has(name)) continue;
    dependencies.set(name, { condition: 'service_started', required: true, ...(restart ? { restart } : {}) });
  }
  return dependencies.size === 0 ? {} : { depends_on: Object.fromEntries(dependencies) };
}

/** A hook that runs before the service uses the service's image by default. */
function withImageForHooks(service: Service): Service {
  const { image, pre_start: hooks } = service;
  if (image === undefined || hooks === undefined) return service;
  return { ...service, pre_start: hooks.map((hook) => ({ ...hook, image: hook.image ?? image })) };
}

function extensionsOf(file: ComposeFile): Record<string, Json> {
  const extensions = Object.entries(file).filter((entry): entry is [`x-${string}`, Json] => entry[0].startsWith('x-'));
  return Object.fromEntries(extensions);
}

function whenPresent<K extends string, V, R>(
  key: K,
  value: V | undefined,
  change: (value: V) => R,
): Partial<Record<K, R>> {
  const changed: Partial<Record<K, R>> = {};
  if (value !== undefined) changed[key] = change(value);
  return changed;
}
