/** Volumes and networks of a dry run. */
import { randomBytes } from 'node:crypto';
import { alreadyExists, backendFailure, unlessNotFound } from '../errors.js';
import type { ContainerRecord, NetworkRecord, VolumeRecord } from '../records.js';
import type { NetworkOperations, VolumeOperations } from '../runtime.js';
import { overlay } from './overlay.js';

/** The containers that remain after the planned changes. */
export type Remaining = (signal: AbortSignal | undefined) => Promise<readonly ContainerRecord[]>;

export function dryRunVolumes(real: VolumeOperations, remaining: Remaining): VolumeOperations {
  const volumes = overlay<VolumeRecord>(({ name }) => name);
  const inspect: VolumeOperations['inspect'] = (name, options) => volumes.find(name, () => real.inspect(name, options));
  return {
    inspect,
    async create(spec, options) {
      if ((await unlessNotFound(inspect(spec.name, options))) !== undefined) throw alreadyExists(spec.name);
      const volume = { driver: 'local', labels: {}, ...spec };
      volumes.put(volume);
      return volume;
    },
    list: async (options) => volumes.merged(await real.list(options), options?.labels),
    async remove(name, options) {
      const volume = await inspect(name, options);
      const isUsed = ({ mounts }: ContainerRecord): boolean =>
        mounts.some(({ type, source }) => type === 'volume' && source === volume.name);
      if ((await remaining(options?.signal)).some(isUsed)) throw backendFailure(`Volume '${name}' is in use.`);
      volumes.remove(volume);
    },
  };
}

export function dryRunNetworks(real: NetworkOperations, remaining: Remaining): NetworkOperations {
  const networks = overlay<NetworkRecord>(({ id }) => id);
  const inspect: NetworkOperations['inspect'] = (id, options) => networks.find(id, () => real.inspect(id, options));
  return {
    inspect,
    async create(spec, options) {
      if ((await unlessNotFound(inspect(spec.name, options))) !== undefined) throw alreadyExists(spec.name);
      const id = randomBytes(32).toString('hex');
      const network = { id, driver: 'bridge', internal: false, labels: {}, ...spec };
      networks.put(network);
      return network;
    },
    list: async (options) => networks.merged(await real.list(options), options?.labels),
    async remove(id, options) {
      const network = await inspect(id, options);
      const isUsed = (container: ContainerRecord): boolean =>
        container.status === 'running' && container.networks.some((each) => each.network === network.name);
      if ((await remaining(options?.signal)).some(isUsed)) {
        throw backendFailure(`Network '${network.name}' is in use.`);
      }
      networks.remove(network);
    },
  };
}
