/** Networks through the Engine API. Internal to the backend. */
import { engineFilters } from '../engine/labels.js';
import type Docker from 'dockerode';
import { alreadyExists, unlessNotFound } from '../errors.js';
import { objectOf, objectsOf, textMapOf, textOf, type Json } from '../json.js';
import type { NetworkRecord } from '../records.js';
import type { NetworkOperations } from '../runtime.js';
import type { NetworkSpec } from '../spec.js';
import type { EngineClient } from './client.js';
import { segment } from './requests.js';

export function bridgeNetworks(client: EngineClient): NetworkOperations {
  const inspect = async (id: string, signal?: AbortSignal): Promise<NetworkRecord> => {
    const network = await client.call({ id }, { method: 'GET', path: `/networks/${segment(id)}`, signal });
    return networkOf(objectOf(network));
  };

  const requireFree = async (name: string, signal?: AbortSignal): Promise<void> => {
    const existing = await unlessNotFound(inspect(name, signal));
    if (existing !== undefined) throw alreadyExists(name);
  };

  return {
    async create(spec, { signal } = {}) {
      // Podman's socket silently creates a second network of the same name if the driver differs.
      if (await client.isPodman(signal)) await requireFree(spec.name, signal);
      const request = { method: 'POST', path: '/networks/create', json: createBody(spec), signal } as const;
      const id = textOf(objectOf(await client.call({ newName: spec.name }, request)).Id);
      const { name, driver = 'bridge', internal = false, labels = {} } = spec;
      return { id, name, driver, internal, labels };
    },
    async list({ labels = {}, signal } = {}) {
      const filters = JSON.stringify(engineFilters(labels));
      const request = { method: 'GET', path: '/networks', query: { filters }, signal } as const;
      return objectsOf(await client.call({}, request)).map(networkOf);
    },
    inspect: (id, { signal } = {}) => inspect(id, signal),
    async remove(id, { signal } = {}) {
      // Podman's socket returns 204 for a missing network.
      if (await client.isPodman(signal)) await inspect(id, signal);
      await client.call({ id }, { method: 'DELETE', path: `/networks/${segment(id)}`, signal });
    },
  };
}

function createBody(spec: NetworkSpec): Docker.NetworkCreateOptions {
  const pools = spec.addressPools ?? [];
  return {
    Name: spec.name,
    Driver: spec.driver ?? 'bridge',
    CheckDuplicate: true,
    Internal: spec.internal ?? false,
    Attachable: spec.attachable ?? false,
    EnableIPv6: spec.ipv6 ?? false,
    Options: { ...spec.driverOptions },
    Labels: { ...spec.labels },
    ...(pools.length > 0 && {
      IPAM: {
        Driver: 'default',
        Config: pools.map(({ subnet, gateway, range }) => ({
          ...(subnet !== undefined && { Subnet: subnet }),
          ...(gateway !== undefined && { Gateway: gateway }),
          ...(range !== undefined && { IPRange: range }),
        })),
      },
    }),
  };
}

function networkOf(network: Json): NetworkRecord {
  return {
    id: textOf(network.Id),
    name: textOf(network.Name),
    driver: textOf(network.Driver),
    internal: network.Internal === true,
    labels: textMapOf(network.Labels),
  };
}
