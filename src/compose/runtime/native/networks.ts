/** Networks through the podman command. Internal to the backend. */
import { addressPool } from '../engine/address-pool.js';
import type { Engine } from '../engine/engine.js';
import { lookDespiteEnd } from '../engine/just-ended.js';
import { notFound, unlessNotFound } from '../errors.js';
import { objectsOf, textMapOf, textOf, type Json } from '../json.js';
import type { NetworkRecord } from '../records.js';
import { operand } from './options.js';
import { labelArguments, option, pairs } from './options.js';
import type { Podman } from './podman.js';

export function nativeNetworks(podman: Podman): Engine['networks'] {
  const inspect = async (id: string, signal?: AbortSignal): Promise<NetworkRecord> => {
    const answer = await podman.json(['network', 'inspect', operand(id)], { subject: { id }, signal });
    const [network] = objectsOf(answer);
    if (network === undefined) throw notFound(id);
    return networkOf(network);
  };

  return {
    async create(spec, { signal } = {}) {
      const args = [
        ...option('--driver', spec.driver),
        ...pairs('--opt', spec.driverOptions),
        ...pairs('--label', spec.labels),
        ...(spec.internal ? ['--internal'] : []),
        ...(spec.ipv6 ? ['--ipv6'] : []),
        ...(spec.addressPools ?? []).flatMap(({ subnet, gateway, range }) => [
          ...option('--subnet', subnet),
          ...option('--gateway', gateway),
          ...option('--ip-range', range),
        ]),
      ];
      const command = ['network', 'create', ...args, operand(spec.name)];
      await lookDespiteEnd(() => podman.run(command, { subject: { newName: spec.name }, signal }));
      return inspect(spec.name, signal);
    },
    async list({ labels = {}, signal } = {}) {
      return objectsOf(
        await podman.json(['network', 'ls', '--format=json', ...labelArguments(labels)], { signal }),
      ).map(networkOf);
    },
    inspect: (id, { signal } = {}) => inspect(id, signal),
    async remove(id, { signal } = {}) {
      await podman.run(['network', 'rm', operand(id)], { subject: { id }, signal });
    },
    async disconnect(network, container, { signal } = {}) {
      const args = ['network', 'disconnect', '--force', operand(network), operand(container)];
      await unlessNotFound(podman.run(args, { subject: { id: network }, signal }));
    },
  };
}

/** Podman 4 uses lower-case member names. */
function networkOf(network: Json): NetworkRecord {
  return {
    id: textOf(network.id),
    name: textOf(network.name),
    driver: textOf(network.driver),
    internal: network.internal === true,
    labels: textMapOf(network.labels),
    driverOptions: textMapOf(network.options),
    ipv6: network.ipv6_enabled === true,
    addressPools: objectsOf(network.subnets).map(({ subnet, gateway }) => addressPool({ subnet, gateway })),
  };
}
