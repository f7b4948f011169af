/** Networks and volumes of a project: what the engine has of them, and their creation. */
import { failure } from '../model/errors.js';
import { canonicalJson } from '../model/project/hash.js';
import { withoutUnusedResources } from '../model/project/listings.js';
import type { Network, Project, Volume } from '../model/project/project.js';
import { alreadyExists, isEngineFailure, isRuntimeError, unlessNotFound } from '../runtime/errors.js';
import type { NetworkRecord, VolumeRecord } from '../runtime/records.js';
import type { NetworkSpec, VolumeSpec } from '../runtime/spec.js';
import { createHash } from 'node:crypto';
import { observeProject } from './actual-state.js';
import { stopContainer } from './container-actions.js';
import { optionalField } from './container/optional-field.js';
import { eachServiceDown } from './down.js';
import { LABELS } from './labels.js';
import { reported, type Orchestration } from './orchestration.js';

/**
 * Checks that the project's external resources exist.
 *
 * @throws ComposeFailure ComposeError.externalVolumeNotFound
 * @throws RuntimeError.notFound for an external network
 */
export async function requireExternals(orchestration: Orchestration, project: Project): Promise<void> {
  const { backend, signal } = orchestration;
  const { volumes, networks } = orchestration.allResources === true ? project : withoutUnusedResources(project);
  await Promise.all([
    ...externals(volumes).map(async ({ name }) => {
      if ((await findVolume(orchestration, name)) !== undefined) return;
      throw failure('ComposeError', 'externalVolumeNotFound', { volume: name });
    }),
    ...externals(networks).map(({ name }) => backend.internal.networks.inspect(name, { signal })),
  ]);
}

/** A network or volume that the project's services use. */
interface Wanted<Spec, Record> {
  readonly spec: Spec;
  /** Undefined: missing. */
  readonly present: Record | undefined;
  /** Whether the one that is present has other settings. */
  readonly isChanged: boolean;
}

interface WantedNetwork extends Wanted<NetworkSpec, NetworkRecord> {
  /** Further networks of the same name, which make the name ambiguous to the engine. */
  readonly duplicates: readonly NetworkRecord[];
}

/** The networks and volumes that the project's services use. */
export interface Resources {
  readonly networks: readonly WantedNetwork[];
  readonly volumes: readonly Wanted<VolumeSpec, VolumeRecord>[];
}

/** Looks up what the engine has of the project's networks and volumes. */
export async function surveyResources(orchestration: Orchestration, project: Project): Promise<Resources> {
  const { backend, signal } = orchestration;
  const used = orchestration.allResources === true ? project : withoutUnusedResources(project);
  const [networks, volumes] = [internals(used.networks), internals(used.volumes)];
  const labels = { [LABELS.project]: project.name };
  const [presentNetworks, presentVolumes] = await Promise.all([
    networks.length === 0 ? [] : backend.internal.networks.list({ labels, signal }),
    volumes.length === 0 ? [] : backend.volumes.list({ labels, signal }),
  ]);
  return {
    networks: networks.map(([key, network]) => {
      const spec = networkSpec(network, resourceLabels(orchestration, project, { [LABELS.network]: key }, network));
      const [present, ...duplicates] = presentNetworks.filter(({ name }) => name === network.name);
      return { spec, present, isChanged: isChanged(present, spec, network, isSameNetwork), duplicates };
    }),
    volumes: volumes.map(([key, volume]) => {
      const spec: VolumeSpec = {
        name: volume.name,
        labels: resourceLabels(orchestration, project, { [LABELS.volume]: key }, volume),
        ...optionalField('driver', volume.driver),
        ...optionalField('driverOptions', volume.driver_opts),
      };
      const present = presentVolumes.find(({ name }) => name === volume.name);
      return { spec, present, isChanged: isChanged(present, spec, volume, isSameDriver) };
    }),
  };
}

/** The label in which docker compose names its version. */
const OTHER_TOOL = 'com.docker.compose.version';

/** The hash of another tool says nothing, so the settings are compared then. */
function isChanged<Record extends NetworkRecord | VolumeRecord, Spec extends NetworkSpec | VolumeSpec>(
  present: Record | undefined,
  spec: Spec,
  { labels = {} }: Network | Volume,
  isSame: (present: Record, spec: Spec) => boolean,
): boolean {
  if (present === undefined) return false;
  const hash = present.labels[LABELS.configHash];
  if (hash === spec.labels?.[LABELS.configHash]) return false;
  if (hash !== undefined && present.labels[OTHER_TOOL] === undefined) return true;
  return !includesAll(present.labels, labels) || !isSame(present, spec);
}

function isSameNetwork(present: NetworkRecord, spec: NetworkSpec): boolean {
  const pools = spec.addressPools ?? [];
  return (
    isSameDriver(present, spec) &&
    present.internal === (spec.internal ?? false) &&
    (spec.ipv6 === undefined || present.ipv6 === spec.ipv6) &&
    pools.every((pool) => (present.addressPools ?? []).some((other) => includesAll({ ...other }, { ...pool })))
  );
}

function isSameDriver(present: NetworkRecord | VolumeRecord, spec: NetworkSpec | VolumeSpec): boolean {
  const isSame = spec.driver === undefined || spec.driver === present.driver;
  return isSame && includesAll(present.driverOptions ?? {}, spec.driverOptions ?? {});
}

function includesAll(all: Readonly<Record<string, string>>, some: Readonly<Record<string, string>>): boolean {
  return Object.entries(some).every(([key, value]) => all[key] === value);
}

/**
 * Removes a network from the project's containers and from the engine. The containers stop.
 *
 * @throws RuntimeError.backendFailure if a container outside the project uses it
 */
export async function removeNetwork(
  orchestration: Orchestration,
  project: Project,
  name: string,
  timeoutSeconds: number | undefined,
): Promise<void> {
  const { internal } = orchestration.backend;
  const members = await observeProject(orchestration, project.name);
  const attached = members.filter(({ container }) => container.networks.some(({ network }) => network === name));
  await eachServiceDown(orchestration, attached, [
    (service, container, bound) =>
      stopContainer(bound, container, { timeoutSeconds, service: project.services[service] }),
    (_service, { id }, { signal }) => internal.disconnect(name, id, { signal }),
  ]);
  await reported(orchestration, 'Network', name, ['Removing', 'Removed'], () =>
    unlessNotFound(internal.networks.remove(name, { signal: orchestration.signal })),
  );
}

/**
 * Creates missing networks and volumes that the project's services use. Others stay as they are.
 *
 * @param removed networks that were removed since the survey
 * @throws RuntimeError.alreadyExists when another project uses a name, or a resource outside any project has it
 */
export async function ensureResources(
  orchestration: Orchestration,
  project: Project,
  resources?: Resources,
  removed: readonly string[] = [],
): Promise<void> {
  const { networks, volumes } = resources ?? (await surveyResources(orchestration, project));
  await Promise.all([
    ...networks.map((network) => ensureNetwork(orchestration, network, removed.includes(network.spec.name))),
    ...volumes.map((volume) => ensureVolume(orchestration, project, volume)),
  ]);
}

const externals = <R extends Network | Volume>(resources: Readonly<Record<string, R>>): R[] =>
  Object.values(resources).filter(({ external }) => external === true);

const internals = <R extends Network | Volume>(resources: Readonly<Record<string, R>>): [string, R][] =>
  Object.entries(resources).filter(([, { external }]) => external !== true);

async function ensureNetwork(
  orchestration: Orchestration,
  { spec, present, isChanged: isOther, duplicates }: WantedNetwork,
  isRemoved: boolean,
): Promise<void> {
  const { backend, report, signal } = orchestration;
  const { name } = spec;
  if (present === undefined || isRemoved) {
    await reported(orchestration, 'Network', name, ['Creating', 'Created'], () =>
      backend.internal.ensureNetwork(spec, { signal }),
    );
    return;
  }
  if (isOther) {
    report({ kind: 'warning', message: `Network '${name}' differs from the compose file and is left as it is.` });
  }
  if (duplicates.length > 0) await removeDuplicates(orchestration, [present, ...duplicates]);
}

/** Two processes may have created a network of one name at the same time. One that a container uses stays. */
async function removeDuplicates({ backend, signal }: Orchestration, networks: readonly NetworkRecord[]): Promise<void> {
  let left = networks.length;
  for (const { id } of networks) {
    if (left === 1) return;
    try {
      await backend.internal.networks.remove(id, { signal });
      left -= 1;
    } catch (error) {
      if (!isEngineFailure(error)) throw error;
    }
  }
}

function networkSpec(network: Network, labels: Record<string, string>): NetworkSpec {
  return {
    name: network.name,
    labels,
    ...optionalField('driver', network.driver),
    ...optionalField('driverOptions', network.driver_opts),
    ...optionalField('internal', network.internal),
    ...optionalField('attachable', network.attachable),
    ...optionalField('ipv6', network.enable_ipv6),
    ...optionalField(
      'addressPools',
      network.ipam?.config?.map((pool) => ({
        ...optionalField('subnet', pool.subnet),
        ...optionalField('gateway', pool.gateway),
        ...optionalField('range', pool.ip_range),
      })),
    ),
  };
}

async function ensureVolume(
  orchestration: Orchestration,
  project: Project,
  { spec, present, isChanged: isOther }: Wanted<VolumeSpec, VolumeRecord>,
): Promise<void> {
  const { backend, report, signal } = orchestration;
  const { name } = spec;
  if (isOther) {
    const message = `Volume '${name}' differs from the compose file. It keeps its data and its settings.`;
    report({ kind: 'warning', message });
  }
  if (present !== undefined) return;
  await reported(orchestration, 'Volume', name, ['Creating', 'Created'], async () => {
    try {
      await backend.volumes.create(spec, { signal });
    } catch (error) {
      // Another client created it in the meantime; use it if it belongs to this project.
      const theirs = isRuntimeError(error, 'alreadyExists') ? await findVolume(orchestration, name) : undefined;
      if (theirs === undefined) throw error;
      if (theirs.labels[LABELS.project] !== project.name) throw alreadyExists(name);
    }
  });
}

async function findVolume({ backend, signal }: Orchestration, name: string): Promise<VolumeRecord | undefined> {
  return unlessNotFound(backend.volumes.inspect(name, { signal }));
}

function resourceLabels(
  { labels }: Orchestration,
  project: Project,
  kind: Readonly<Record<string, string>>,
  resource: Network | Volume,
): Record<string, string> {
  const configHash = createHash('sha256').update(canonicalJson(resource)).digest('hex');
  return { ...labels, ...resource.labels, ...kind, [LABELS.project]: project.name, [LABELS.configHash]: configHash };
}
