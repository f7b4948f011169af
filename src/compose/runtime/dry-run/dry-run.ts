/**
 * A backend for dry runs: it reads from a real one, and keeps the changes in memory instead of making them. Commands
 * see their planned changes, so they take the same steps as without a dry run.
 */
import { ensureNetwork } from '../engine/backend.js';
import { refusedSecrets } from '../engine/refusals.js';
import type { Backend } from '../runtime.js';
import { dryRunCluster } from './cluster.js';
import { dryRunContainers, plannedContainers, type DryRunParts } from './containers.js';
import { dryRunImages } from './images.js';
import { dryRunNetworks, dryRunVolumes, type Remaining } from './resources.js';

export function dryRunBackend(real: Backend, parts: DryRunParts): Backend {
  const planned = plannedContainers();
  const remaining: Remaining = async (signal) =>
    planned.merged(await real.containers.list(signal && { signal }), undefined);
  const images = dryRunImages(real.images, remaining, parts.clock);
  const networks = dryRunNetworks(real.internal.networks, remaining);
  const { awaitExit, disconnect, rename, ...containers } = dryRunContainers(
    { ...real.containers, awaitExit: real.internal.awaitExit },
    planned,
    images,
    parts,
  );
  const { add: _add, ...imageOperations } = images;
  return {
    conformer: real.conformer,
    ...(real.cluster && { cluster: dryRunCluster(real.cluster) }),
    system: real.system,
    containers,
    images: imageOperations,
    volumes: dryRunVolumes(real.volumes, remaining),
    networks,
    secrets: { ...refusedSecrets(real.conformer), list: real.secrets.list, inspect: real.secrets.inspect },
    internal: {
      networks,
      ensureNetwork: (spec, { signal } = {}) => ensureNetwork(networks, spec, parts.clock, signal),
      disconnect,
      awaitExit,
      ...(real.internal.requireImageMounts && { requireImageMounts: real.internal.requireImageMounts }),
      rename,
    },
  };
}
