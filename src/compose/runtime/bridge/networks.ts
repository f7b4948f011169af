/** Networks through the Engine API. Internal to the backend. */
import { addressPool } from '../engine/address-pool.js';
import type { Engine } from '../engine/engine.js';
import { lookDespiteEnd } from '../engine/just-ended.js';
import { engineFilters } from '../engine/labels.js';
import type Docker from 'dockerode';
import { alreadyExists, unlessNotFound } from '../errors.js';
import { objectOf, objectsOf, textMapOf, textOf, type Json } from '../json.js';
import type { NetworkRecord } from '../records.js';
import type { NetworkOperations } from '../runtime.js';
import type { NetworkSpec } from '../spec.js';
import type { EngineClient } from './client.js';
import { segment } from './requests.js';

export function bridgeNetworks(client: EngineClient): Engine['networks'] {
  const inspect = async (id: string, signal?: AbortSignal): Promise<NetworkRecord> => {
    const network = await client.call({ id }, { method: 'GET', path: `/networks/${segment(id)}`, signal });
    return networkOf(objectOf(network));
  };

  const requireFree = async (name: string, signal?: AbortSignal): Promise<void> => {
    const existing = await unlessNotFound(inspect(name, signal));
    if (existing !== undefined) throw alreadyExists(name);
  };

  /** The ids of the networks with exactly this name. An engine may have several. */
  const idsOf = async (name: string, signal?: AbortSignal): Promise<string[]> => {
    const filters = JSON.stringify({ name: [name] });
    const answer = await client.call({}, { method: 'GET', path: '/networks', query: { filters }, signal });
    return objectsOf(answer).flatMap((network) => (network.Name === name ? [textOf(network.Id)] : []));
  };

  const remove: NetworkOperations['remove'] = async (id, { signal } = {}) => {
    // Podman's socket returns 204 for a missing network.
    if (await client.isPodman(signal)) await inspect(id, signal);
    await client.call({ id }, { method: 'DELETE', path: `/networks/${segment(id)}`, signal });
  };

  return {
    async create(spec, { signal } = {}) {
      // Podman's socket silently creates a second network of the same name if the driver differs.
      if (await client.isPodman(signal)) await requireFree(spec.name, signal);
      const request = { method: 'POST', path: '/networks/create', json: createBody(spec), signal } as const;
      const created = await lookDespiteEnd(() => client.call({ newName: spec.name }, request));
      const id = textOf(objectOf(created).Id);
      // Docker checks `CheckDuplicate` without a lock. A process that sees another network of the name withdraws, because
      // the other process may have seen none, and uses its network already.
      if ((await idsOf(spec.name, signal)).some((other) => other !== id)) {
        await unlessNotFound(remove(id, signal && { signal }));
        throw alreadyExists(spec.name);
      }
      return { id, driver: 'bridge', internal: false, labels: {}, ...spec };
    },
    async list({ labels = {}, signal } = {}) {
      const filters = JSON.stringify(engineFilters(labels));
      const request = { method: 'GET', path: '/networks', query: { filters }, signal } as const;
      return objectsOf(await client.call({}, request)).map(networkOf);
    },
    inspect: (id, { signal } = {}) => inspect(id, signal),
    remove,
    async disconnect(network, container, { signal } = {}) {
      const path = `/networks/${segment(network)}/disconnect`;
      const json = { Container: container, Force: true };
      await unlessNotFound(client.call({ id: network }, { method: 'POST', path, json, signal }));
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
    driverOptions: textMapOf(network.Options),
    ipv6: network.EnableIPv6 === true,
    addressPools: objectsOf(objectOf(network.IPAM).Config).map(({ Subnet, Gateway, IPRange }) =>
      addressPool({ subnet: Subnet, gateway: Gateway, range: IPRange }),
    ),
  };
}
