/** Volumes of a service: claims, temporary directories, and files of this machine. */
import type { Mount } from '../model/project/service.js';
import { memoryBytes } from '../orchestrator/container/limits.js';
import { metadataOf, nameOf, type Conversion } from './conversion.js';
import { givenMounts, hostFile, type Mounted } from './files.js';
import type { Claim, ConfigMap, PodVolume, VolumeMount } from './manifests.js';

/** Compose files have no sizes of volumes. */
const CLAIMED = '1Gi';

export interface Storage {
  readonly volumes: readonly PodVolume[];
  readonly mounts: readonly VolumeMount[];
  /** Volumes that only this service has: each replica gets its own. */
  readonly ownClaims: readonly Claim[];
  readonly objects: readonly ConfigMap[];
}

/** Claims of volumes that several services share. External ones exist already. */
export function sharedClaims(conversion: Conversion): Claim[] {
  const { project, notes } = conversion;
  return Object.entries(project.volumes)
    .filter(([key, { external }]) => external !== true && usersOf(conversion, key).length > 1)
    .map(([key]) => {
      notes.add(`volumes.${key}`, `is shared: it claims ${CLAIMED} of a storage class with ReadWriteMany`);
      return claim(conversion, nameOf(conversion, 'volumes', key), 'ReadWriteMany');
    });
}

function claim(conversion: Conversion, name: string, mode: 'ReadWriteOnce' | 'ReadWriteMany'): Claim {
  const spec = { accessModes: [mode], resources: { requests: { storage: CLAIMED } } };
  return { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: metadataOf(conversion, name), spec };
}

/** The services that mount a volume. */
function usersOf({ project }: Conversion, key: string): string[] {
  return Object.keys(project.services).filter((name) =>
    project.services[name]?.volumes?.some(({ type, source }) => type === 'volume' && source === key),
  );
}

export async function storageOf(conversion: Conversion, service: string): Promise<Storage> {
  const { volumes = [], tmpfs = [], shm_size: sharedMemory } = conversion.project.services[service] ?? {};
  const found: (Mounted & { readonly object?: ConfigMap })[] = givenMounts(conversion, service);
  const ownClaims = new Map<string, Claim>();
  const ownMounts: VolumeMount[] = [];
  for (const [index, mount] of volumes.entries()) {
    const own = ownClaimOf(conversion, service, mount);
    if (own === null) found.push(...(await mounted(conversion, service, mount, index)));
    else {
      ownClaims.set(own.metadata.name, own);
      ownMounts.push(mountOf(own.metadata.name, mount));
    }
  }
  for (const [index, text] of tmpfs.entries()) found.push(temporary(`tmpfs-${index}`, text.split(':', 1)[0] ?? text));
  if (sharedMemory !== undefined) found.push(temporary('shared-memory', '/dev/shm', sharedMemory));
  // Two mounts of one volume are one volume of the pod.
  const byName = new Map(found.map(({ volume }) => [volume.name, volume]));
  return {
    volumes: [...byName.values()],
    mounts: [...found.map(({ mount }) => mount), ...ownMounts],
    ownClaims: [...ownClaims.values()],
    objects: found.flatMap(({ object }) => object ?? []),
  };
}

function ownClaimOf(conversion: Conversion, service: string, { type, source }: Mount): Claim | null {
  const { project, notes } = conversion;
  if (type !== 'volume' || source === undefined || project.volumes[source]?.external === true) return null;
  if (usersOf(conversion, source).length > 1 || !hasClaimTemplates(conversion, service)) return null;
  notes.add(`volumes.${source}`, `claims ${CLAIMED}, once per replica`);
  return claim(conversion, nameOf(conversion, 'volumes', source), 'ReadWriteOnce');
}

/** Only a StatefulSet has templates of claims. */
export function hasClaimTemplates({ project }: Conversion, service: string): boolean {
  const { deploy } = project.services[service] ?? {};
  return deploy?.mode !== 'global' && !isAwaited({ project }, service);
}

/** Whether another service waits for the end of this one, which is then a Job. */
export function isAwaited({ project }: Pick<Conversion, 'project'>, service: string): boolean {
  return Object.values(project.services).some(
    ({ depends_on: on = {} }) => on[service]?.condition === 'service_completed_successfully',
  );
}

async function mounted(
  conversion: Conversion,
  service: string,
  mount: Mount,
  index: number,
): Promise<(Mounted & { readonly object?: ConfigMap })[]> {
  const { project, notes } = conversion;
  const path = `services.${service}.volumes`;
  const { type, source, target } = mount;
  if (type === 'tmpfs') return [temporary(`tmpfs-${target.replaceAll(/\W+/g, '')}`, target, mount.tmpfs?.size)];
  if (type === 'volume' && source === undefined) {
    const name = `temporary-${index}`;
    return [{ volume: { name, emptyDir: {} }, mount: mountOf(name, mount) }];
  }
  if (type === 'volume') {
    const key = source ?? '';
    const name = nameOf(conversion, 'volumes', key);
    const own = project.volumes[key];
    const claimName = own?.external === true ? own.name : name;
    return [{ volume: { name, persistentVolumeClaim: { claimName } }, mount: mountOf(name, mount) }];
  }
  const name = `${nameOf(conversion, 'services', service)}-file-${index}`;
  const file = type === 'bind' ? await hostFile(conversion, name, mount) : null;
  if (file !== null) {
    notes.add(`${path}[${index}]`, `is a copy of ${source ?? ''}, read-only`);
    return [file];
  }
  notes.add(
    `${path}[${index}]`,
    type === 'bind' ? `is left out: the cluster has no ${source ?? ''}` : `is left out: it has the type ${type}`,
  );
  return [];
}

function mountOf(name: string, { target, read_only: readOnly, volume }: Mount): VolumeMount {
  return {
    name,
    mountPath: target,
    ...(volume?.subpath !== undefined && { subPath: volume.subpath }),
    ...(readOnly === true && { readOnly }),
  };
}

/** In memory. @param size a memory quantity */
function temporary(name: string, mountPath: string, size?: string): Mounted {
  const sizeLimit = size === undefined ? {} : { sizeLimit: String(memoryBytes(size)) };
  return { volume: { name, emptyDir: { medium: 'Memory', ...sizeLimit } }, mount: { name, mountPath } };
}
