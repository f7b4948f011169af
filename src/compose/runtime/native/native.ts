/** The native backend: containers through the podman command, without a service. */
import type { Clock } from '../clock.js';
import { engineBackend } from '../engine/backend.js';
import { notSupported } from '../errors.js';
import type { EngineSystem } from '../engine/engine.js';
import { numberOf, objectOf, textOf, type Json } from '../json.js';
import type { RuntimeVersion } from '../records.js';
import type { Backend } from '../runtime.js';
import { secretValues } from '../scrub.js';
import type { StopMarks } from '../state.js';
import { nativeContainers } from './containers.js';
import { podmanEvents } from './events.js';
import { nativeImages } from './images.js';
import { nativeNetworks } from './networks.js';
import { podmanCommand, type Podman } from './podman.js';
import { nativeVolumes } from './volumes.js';

export interface NativeParts {
  /** The podman to run: a name on the PATH, or a path. */
  readonly executable: string;
  readonly marks: StopMarks;
  readonly clock: Clock;
  /** The environment of podman, including its settings (CONTAINERS_CONF and the like). */
  readonly environment: NodeJS.ProcessEnv;
}

export function nativeBackend({ executable, marks, clock, environment }: NativeParts): Backend {
  const podman = podmanCommand(executable, environment, secretValues(environment));
  return engineBackend({
    engine: {
      conformer: 'native',
      place: executable,
      refuses: { wait: false, networks: true },
      system: nativeSystem(podman, clock),
      containers: nativeContainers(podman, clock),
      images: nativeImages(podman),
      volumes: nativeVolumes(podman),
      networks: nativeNetworks(podman),
      requireImageMounts: ({ subpath }) =>
        subpath ? Promise.reject(notSupported('image.subpath of a mount', 'native')) : Promise.resolve(),
    },
    marks,
    clock,
  });
}

function nativeSystem(podman: Podman, clock: Clock): EngineSystem {
  const info = async (signal?: AbortSignal): Promise<Json> =>
    objectOf(await podman.json(['info', '--format=json'], { signal }));
  return {
    async ping(signal) {
      await podman.run(['info', '--format={{.Version.Version}}'], { signal });
    },
    version: async (signal) => versionOf(await info(signal)),
    async info(signal) {
      const answer = await info(signal);
      const host = objectOf(answer.host);
      const store = objectOf(answer.store);
      const containers = objectOf(store.containerStore);
      return {
        ...versionOf(answer),
        hostname: textOf(host.hostname),
        containers: numberOf(containers.number),
        containersRunning: numberOf(containers.running),
        images: numberOf(objectOf(store.imageStore).number),
        cpus: numberOf(host.cpus),
        memoryBytes: numberOf(host.memTotal),
      };
    },
    events: (options) => podmanEvents(podman, clock, options),
  };
}

function versionOf(answer: Json): RuntimeVersion {
  const version = objectOf(answer.version);
  return {
    engine: 'podman',
    version: textOf(version.Version),
    apiVersion: textOf(version.APIVersion),
    os: textOf(objectOf(answer.host).os),
    architecture: textOf(objectOf(answer.host).arch),
  };
}
