import type { ContainerRecord } from '../records.js';
import type { ContainerSpec } from '../spec.js';
import { byTarget } from './inspect.js';

/** The parts of a container's record that its specification determines. */
export function specRecord(
  spec: ContainerSpec,
  id: string,
): Omit<ContainerRecord, 'imageId' | 'status' | 'createdAt' | 'outOfMemory' | 'restartCount' | 'ports'> {
  return {
    id,
    name: spec.name,
    image: spec.image,
    ...(spec.restart && spec.restart.name !== 'no' && { restart: spec.restart }),
    ...(spec.healthcheck && { healthcheck: spec.healthcheck }),
    labels: { ...spec.labels },
    command: spec.command ?? [],
    entrypoint: spec.entrypoint ?? [],
    environment: { ...spec.environment },
    workingDirectory: spec.workingDirectory ?? '/',
    user: spec.user ?? '',
    hostname: spec.hostname ?? id.slice(0, 12),
    tty: spec.tty ?? false,
    ...(spec.stopSignal !== undefined && { stopSignal: spec.stopSignal }),
    mounts: (spec.mounts ?? [])
      .map((mount) => ({
        type: mount.type,
        target: mount.target,
        readOnly: mount.type === 'image' || (mount.readOnly ?? false),
        ...(mount.type !== 'tmpfs' && mount.source !== undefined && { source: mount.source }),
      }))
      .sort(byTarget),
    networks: (spec.networks ?? []).map(({ network, aliases }) => ({ network, aliases: aliases ?? [] })),
  };
}
