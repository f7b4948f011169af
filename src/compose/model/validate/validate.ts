import { failure } from '../errors.js';
import { findCycle } from './graph.js';
import { requireDistinctNames } from '../project/container-names.js';
import { replicaCount, serviceContexts } from '../project/listings.js';
import { parseMemory } from '../normalize/memory.js';
import { nearest, shown, shownPath } from '../node.js';
import type { MapNode, Path, Place } from '../node.js';
import { SHARED_NAMESPACES } from '../normalize/normalize.js';
import { allServices } from '../project/profiles.js';
import type { Config, Project, Secret } from '../project/project.js';
import { own } from '../project/records.js';
import type { Service } from '../project/service.js';
import type { DeviceRequest } from '../project/workload.js';

/**
 * Validates relations between parts of a project: references, exclusive keys, cycles.
 *
 * @param model the merged model of the project, for locations
 * @param forSwarm whether the project is for a swarm
 * @throws ComposeFailure of the first failed check
 */
export function validate(project: Project, model: MapNode, { forSwarm }: { readonly forSwarm: boolean }): void {
  const at = (path: Path): Place => nearest(model, path).place;
  for (const [name, service] of Object.entries(project.services)) {
    for (const check of SERVICE_CHECKS) check({ name, service, project, model, at });
  }
  checkContainerNames(project, at);
  // Names of a swarm's containers are the swarm's.
  if (!forSwarm) {
    const replicas = (name: string): number => replicaCount(project.services[name] ?? {});
    requireDistinctNames(project, replicas, (name) => at(['services', name]));
  }
  checkResources(project, at);
  const cycle = findCycle(project.services, ({ depends_on: dependencies = {} }) => Object.keys(dependencies));
  if (cycle !== undefined) {
    const place = at(['services', cycle[0] ?? '', 'depends_on', cycle[1] ?? '']);
    throw failure('ComposeValidationError', 'circularDependency', { chain: cycle }, place);
  }
  const builds = findCycle(project.services, serviceContexts);
  if (builds !== undefined) {
    const place = at(['services', builds[0] ?? '', 'build']);
    throw failure('ComposeValidationError', 'circularDependency', { chain: builds }, place);
  }
}

interface Subject {
  readonly name: string;
  readonly service: Service;
  readonly project: Project;
  readonly model: MapNode;
  readonly at: (path: Path) => Place;
}

const SERVICE_CHECKS: readonly ((subject: Subject) => void)[] = [
  checkImage,
  checkBuild,
  checkNetworks,
  checkDependencies,
  checkResourceReferences,
  checkReplicas,
  checkLimits,
  checkDevices,
  checkWatch,
  checkMountTargets,
];

function checkImage({ name, service, at }: Subject): void {
  if (service.image === undefined && service.build === undefined && service.provider === undefined) {
    throw failure('ComposeError', 'imageNotFound', { service: name }, at(['services', name]));
  }
}

function checkBuild(subject: Subject): void {
  const { build, platform } = subject.service;
  if (build === undefined) return;
  if (build.dockerfile !== undefined && build.dockerfile_inline !== undefined) {
    throw conflict(subject, ['build'], 'dockerfile and dockerfile_inline exclude each other');
  }
  if (platform !== undefined && (build.platforms ?? []).length > 0 && build.platforms?.includes(platform) === false) {
    throw conflict(subject, ['build', 'platforms'], "they must include the service's platform");
  }
  for (const [name, context] of Object.entries(build.additional_contexts ?? {})) {
    if (!context.startsWith('service:')) continue;
    const other = context.slice('service:'.length);
    if (own(allServices(subject.project), other)?.build === undefined) {
      throw undefinedReference(subject, ['build', 'additional_contexts', name], 'service with a build');
    }
  }
}

function checkNetworks(subject: Subject): void {
  const { service, project } = subject;
  if (service.network_mode !== undefined && service.networks !== undefined) {
    throw conflict(subject, ['network_mode'], 'network_mode and networks exclude each other');
  }
  for (const network of Object.keys(service.networks ?? {})) {
    if (!Object.hasOwn(project.networks, network)) throw undefinedReference(subject, ['networks', network], 'network');
  }
}

function checkDependencies(subject: Subject): void {
  const { name, service, project, at } = subject;
  for (const [dependency, { required }] of Object.entries(service.depends_on ?? {})) {
    if (Object.hasOwn(project.services, dependency)) continue;
    const isDisabled = Object.hasOwn(project.disabledServices, dependency);
    if (isDisabled && !required) continue;
    const origin = dependencyOrigin(service, dependency);
    if (!isDisabled) throw undefinedReference(subject, origin, 'service');
    const path = ['services', name, ...origin];
    throw failure('ComposeValidationError', 'disabledReference', { path, service: dependency }, at(path));
  }
}

/** The path of a dependency: in `depends_on`, or the key that implies it. */
function dependencyOrigin(service: Service, dependency: string): Path {
  const names = (entry: string): boolean => entry.split(':', 1)[0] === dependency;
  const namespace = SHARED_NAMESPACES.find((key) => service[key] === `service:${dependency}`);
  if (namespace !== undefined) return [namespace];
  const link = service.links?.findIndex(names) ?? -1;
  if (link !== -1) return ['links', link];
  const source = service.volumes_from?.findIndex(names) ?? -1;
  return source === -1 ? ['depends_on', dependency] : ['volumes_from', source];
}

function checkResourceReferences(subject: Subject): void {
  const { service, project } = subject;
  service.volumes?.forEach((mount, index) => {
    if (mount.type === 'bind' && mount.source === undefined)
      throw conflict(subject, ['volumes', index], 'a bind mount needs a source');
    if (mount.type === 'image' && !mount.source)
      throw conflict(subject, ['volumes', index], 'an image mount needs an image as its source');
    if (mount.type !== 'volume' || mount.source === undefined || Object.hasOwn(project.volumes, mount.source)) return;
    throw undefinedReference(subject, ['volumes', index, 'source'], 'volume');
  });
  const references = [
    { key: ['secrets'], used: service.secrets, defined: project.secrets, kind: 'secret' },
    { key: ['configs'], used: service.configs, defined: project.configs, kind: 'config' },
    { key: ['build', 'secrets'], used: service.build?.secrets, defined: project.secrets, kind: 'secret' },
  ];
  for (const { key, used, defined, kind } of references) {
    used?.forEach(({ source }, index) => {
      if (!Object.hasOwn(defined, source)) throw undefinedReference(subject, [...key, index, 'source'], kind);
    });
  }
  for (const model of Object.keys(service.models ?? {})) {
    if (!Object.hasOwn(project.models, model)) throw undefinedReference(subject, ['models', model], 'model');
  }
}

function checkReplicas(subject: Subject): void {
  const { scale, deploy, container_name: containerName } = subject.service;
  const replicas = deploy?.replicas;
  if (scale !== undefined && replicas !== undefined && scale !== replicas) {
    throw conflict(subject, ['scale'], 'scale and deploy.replicas differ');
  }
  if ((scale ?? replicas ?? 1) < 0)
    throw conflict(subject, [scale === undefined ? 'deploy' : 'scale'], 'the number of replicas is negative');
  if ((scale ?? replicas ?? 1) > 1 && containerName !== undefined) {
    throw conflict(subject, ['container_name'], 'a service with a container name cannot have several replicas');
  }
}

type Limit = string | number | undefined;

function checkLimits(subject: Subject): void {
  const { service } = subject;
  const { limits, reservations } = service.deploy?.resources ?? {};
  const pairs: readonly (readonly [key: string, own: Limit, deployed: Limit])[] = [
    ['cpus', service.cpus, limits?.cpus],
    ['mem_limit', bytes(service.mem_limit), bytes(limits?.memory)],
    ['pids_limit', service.pids_limit, limits?.pids],
    ['mem_reservation', bytes(service.mem_reservation), bytes(reservations?.memory)],
  ];
  for (const [key, own, deployed] of pairs) {
    if (own !== undefined && deployed !== undefined && own !== deployed) {
      throw conflict(subject, [key], 'it differs from deploy.resources');
    }
  }
}

function bytes(quantity: string | undefined): string | undefined {
  return quantity === undefined ? undefined : String(parseMemory(quantity));
}

function checkDevices(subject: Subject): void {
  const { gpus = [], deploy } = subject.service;
  const requests: readonly (readonly [path: Path, request: DeviceRequest])[] = [
    ...gpus.map((request, index) => [['gpus', index], request] as const),
    ...(deploy?.resources?.reservations?.devices ?? []).map(
      (request, index) => [['deploy', 'resources', 'reservations', 'devices', index], request] as const,
    ),
  ];
  for (const [path, { count, device_ids: ids }] of requests) {
    if (count !== undefined && ids !== undefined)
      throw conflict(subject, path, 'count and device_ids exclude each other');
  }
}

function checkWatch(subject: Subject): void {
  subject.service.develop?.watch?.forEach(({ action, target, path }, index) => {
    if (path === '') throw conflict(subject, ['develop', 'watch', index], 'the path is empty');
    if (target === undefined && action !== 'rebuild' && action !== 'restart') {
      throw conflict(subject, ['develop', 'watch', index], `the action ${action} needs a target`);
    }
  });
}

function checkMountTargets(subject: Subject): void {
  const { tmpfs = [], volumes = [] } = subject.service;
  const targets = [
    ...tmpfs.map((entry, index) => ({ path: ['tmpfs', index], target: entry.split(':', 1)[0] ?? entry })),
    ...volumes.map((mount, index) => ({ path: ['volumes', index], target: mount.target })),
  ];
  const seen = new Set<string>();
  for (const { path, target } of targets) {
    if (seen.has(target)) throw conflict(subject, path, 'another mount has the same target');
    seen.add(target);
  }
}

function checkContainerNames(project: Project, at: Subject['at']): void {
  const users = new Map<string, string>();
  for (const [name, { container_name: containerName }] of Object.entries(project.services)) {
    if (containerName === undefined) continue;
    const other = users.get(containerName);
    const path = ['services', name, 'container_name'];
    if (other !== undefined) {
      throw failure('ComposeValidationError', 'conflict', { path, reason: `service ${other} has the same` }, at(path));
    }
    users.set(containerName, name);
  }
}

/** The allowed sources of content for secrets and configs. */
const CONTENT_SOURCES = { secrets: ['file', 'environment'], configs: ['file', 'environment', 'content'] } as const;

function checkResources(project: Project, at: Subject['at']): void {
  for (const section of ['secrets', 'configs'] as const) {
    for (const [name, resource] of Object.entries<Secret | Config>(project[section])) {
      const sources = CONTENT_SOURCES[section].filter((source) => source in resource);
      if (sources.length === 1 || (resource.external === true && sources.length === 0) || 'driver' in resource)
        continue;
      const reason = `exactly one of ${CONTENT_SOURCES[section].join(', ')} must be set`;
      const path = [section, name];
      throw failure('ComposeValidationError', 'conflict', { path, reason }, at(path));
    }
  }
  for (const [name, volume] of Object.entries(project.volumes)) {
    const other = Object.keys(volume).find((key) => !['name', 'external'].includes(key) && !key.startsWith('x-'));
    if (volume.external !== true || other === undefined) continue;
    const path = ['volumes', name];
    throw failure(
      'ComposeValidationError',
      'conflict',
      { path, reason: `external: true and ${other} exclude each other` },
      at([...path, other]),
    );
  }
}

function conflict({ name, at }: Subject, key: Path, reason: string): Error {
  const path = ['services', name, ...key];
  return failure('ComposeValidationError', 'conflict', { path, reason }, at(path));
}

/** @param key the path of the reference, which is a value or a mapping key */
function undefinedReference({ name, model, at }: Subject, key: Path, kind: string): Error {
  const path = ['services', name, ...key];
  const node = nearest(model, path);
  const isValue = node.kind === 'scalar' && node.value !== null;
  const reference = isValue ? shown(node) : String(shownPath(model, path).at(-1));
  return failure(
    'ComposeValidationError',
    'undefinedReference',
    { path: shownPath(model, path), kind, name: reference },
    at(path),
  );
}
