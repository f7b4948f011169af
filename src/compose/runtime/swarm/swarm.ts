/**
 * The swarm backend: services of a Docker Swarm, through the engine of a manager. See the README for what it means for a
 * project.
 */
import { bridgeBackend, type BridgeParts } from '../bridge/bridge.js';
import { addressText } from '../bridge/address.js';
import { engineClient } from '../bridge/client.js';
import type { ClusterOperations } from '../cluster.js';
import { ensureNetwork } from '../engine/backend.js';
import { refusedNetworks, refusedSecrets } from '../engine/refusals.js';
import { notSupported } from '../errors.js';
import type { NetworkRecord } from '../records.js';
import type { Backend, NetworkOperations } from '../runtime.js';
import { secretValues } from '../scrub.js';
import { awaitTask, swarmContainers, type SwarmParts } from './containers.js';
import { swarmFiles } from './files.js';
import { PROJECT_LABEL, STACK_LABEL } from './labels.js';
import { requireManager } from './manager.js';
import { swarmServices } from './services.js';
import { taskEvents } from './task-events.js';

/** @throws RuntimeError.backendFailure if the engine does not manage a swarm; it says what to do */
export async function swarmBackend(bridge: BridgeParts): Promise<Backend> {
  const { address, clock, environment } = bridge;
  const node = bridgeBackend(bridge);
  const client = engineClient(address, secretValues(environment), environment);
  const nodeId = await requireManager(client, addressText(address));
  const cluster: ClusterOperations = {
    ...swarmServices(client, environment),
    files: { secrets: swarmFiles(client, 'secrets'), configs: swarmFiles(client, 'configs') },
  };
  const parts: SwarmParts = { client, clock, cluster, local: node.containers, nodeId };
  const containers = swarmContainers(parts);
  const networks = overlayNetworks(node.internal.networks);
  return {
    conformer: 'swarm',
    cluster,
    system: { ...node.system, events: (options = {}) => taskEvents(containers, clock, options) },
    containers,
    // Images and volumes are those of the connected node.
    images: { ...node.images, build: () => Promise.reject(notSupported('build', 'swarm')) },
    volumes: node.volumes,
    networks: refusedNetworks('swarm'),
    secrets: refusedSecrets('swarm'),
    internal: {
      networks,
      ensureNetwork: (spec, { signal } = {}) => ensureNetwork(networks, spec, clock, signal),
      disconnect: () => Promise.reject(notSupported('disconnect', 'swarm')),
      awaitExit: (id, options = {}) => awaitTask(parts, id, options),
      rename: () => Promise.reject(notSupported('rename', 'swarm')),
    },
  };
}

/**
 * Networks reach all nodes. They have the label by which `docker stack` finds them, and those of `docker stack` count as
 * the project's.
 */
function overlayNetworks(networks: NetworkOperations): NetworkOperations {
  const recordOf = (network: NetworkRecord): NetworkRecord => {
    const project = network.labels[STACK_LABEL];
    const { driver, labels } = network;
    return {
      ...network,
      // The engine names no driver until the swarm has allocated the network.
      driver: driver === '' ? 'overlay' : driver,
      labels: project === undefined ? labels : { ...labels, [PROJECT_LABEL]: project },
    };
  };
  return {
    ...networks,
    create(spec, options) {
      const project = spec.labels?.[PROJECT_LABEL];
      const labels = { ...spec.labels, ...(project !== undefined && { [STACK_LABEL]: project }) };
      return networks.create({ driver: 'overlay', ...spec, labels }, options);
    },
    inspect: async (id, options) => recordOf(await networks.inspect(id, options)),
    async list({ labels = {}, signal } = {}) {
      const { [PROJECT_LABEL]: project, ...rest } = labels;
      const wanted = { ...rest, ...(project !== undefined && { [STACK_LABEL]: project }) };
      return (await networks.list({ labels: wanted, ...(signal && { signal }) })).map(recordOf);
    },
  };
}
