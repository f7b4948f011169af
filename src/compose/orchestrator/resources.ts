/** Networks and volumes of a project: created if missing, otherwise left unchanged. */
import { failure } from '../model/errors.js';
import { canonicalJson } from '../model/project/hash.js';
import { withoutUnusedResources } from '../model/project/listings.js';
import type { Network, Project, Volume } from '../model/project/project.js';
import { alreadyExists, isRuntimeError, unlessNotFound } from '../runtime/errors.js';
import type { NetworkRecord, VolumeRecord } from '../runtime/records.js';
import type { NetworkSpec } from '../runtime/spec.js';
import { createHash } from 'node:crypto';
import { optionalField } from './container/optional-field.js';
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

/**
 * Creates missing networks and volumes that the project's services use.
 *
 * @throws RuntimeError.alreadyExists when another project uses a name, or a resource outside any project has it
 */
export async function ensureResources(orchestration: Orchestration, project: Project): Promise<void> {
  const { volumes, networks } = orchestration.allResources === true ? project : withoutUnusedResources(project);
  await Promise.all([
    ...internals(networks).map(([key, network]) => ensureNetwork(orchestration, project, key, network)),
    ...internals(volumes).map(([key, volume]) => ensureVolume(orchestration, project, key, volume)),
  ]);
}

const externals = <R extends Network | Volume>(resources: Readonly<Record<string, R>>): R[] =>
  Object.values(resources).filter(({ external }) => external === true);

const internals = <R extends Network | Volume>(resources: Readonly<Record<string, R>>): [string, R][] =>
  Object.entries(resources).filter(([, { external }]) => external !== true);

async function ensureNetwork(
  orchestration: Orchestration,
  project: Project,
  key: string,
  network: Network,
): Promise<void> {
  const { backend, signal } = orchestration;
  const spec = networkSpec(network, resourceLabels(orchestration, project, { [LABELS.network]: key }, network));
  const present = await unlessNotFound(backend.internal.networks.inspect(network.name, { signal }));
  if (present !== undefined) {
    requireOurs(present, project);
    warnIfChanged(orchestration, 'Network', network.name, present.labels, spec.labels);
    return;
  }
  await reported(orchestration, 'Network', network.name, ['Creating', 'Created'], () =>
    backend.internal.ensureNetwork(spec, { signal }),
  );
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
  key: string,
  volume: Volume,
): Promise<void> {
  const { backend, signal } = orchestration;
  const labels = resourceLabels(orchestration, project, { [LABELS.volume]: key }, volume);
  const present = await findVolume(orchestration, volume.name);
  if (present !== undefined) {
    requireOurs(present, project);
    warnIfChanged(orchestration, 'Volume', volume.name, present.labels, labels);
    return;
  }
  await reported(orchestration, 'Volume', volume.name, ['Creating', 'Created'], async () => {
    try {
      await backend.volumes.create(
        {
          name: volume.name,
          labels,
          ...optionalField('driver', volume.driver),
          ...optionalField('driverOptions', volume.driver_opts),
        },
        { signal },
      );
    } catch (error) {
      // Another client created it in the meantime; use it if it belongs to this project.
      const theirs = isRuntimeError(error, 'alreadyExists') ? await findVolume(orchestration, volume.name) : undefined;
      if (theirs === undefined) throw error;
      requireOurs(theirs, project);
    }
  });
}

function requireOurs({ name, labels }: NetworkRecord | VolumeRecord, project: Project): void {
  if (labels[LABELS.project] !== project.name) throw alreadyExists(name);
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

/** Replacing a network disconnects containers, and replacing a volume loses data, so users must do it themselves. */
function warnIfChanged(
  { report }: Orchestration,
  kind: string,
  name: string,
  present: Readonly<Record<string, string>>,
  wanted: Readonly<Record<string, string>> = {},
): void {
  const before = present[LABELS.configHash];
  if (before === undefined || before === wanted[LABELS.configHash]) return;
  const option = kind === 'Volume' ? 'down -v' : 'down';
  const message = `${kind} '${name}' differs from the compose file and is left as it is; '${option}' removes it.`;
  report({ kind: 'warning', message });
}
