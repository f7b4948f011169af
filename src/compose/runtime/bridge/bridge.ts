/** The bridge backend: an engine that serves the Docker Engine API, either Docker or Podman. */
import type { Clock } from '../clock.js';
import { engineBackend } from '../engine/backend.js';
import type { EngineSystem } from '../engine/engine.js';
import { numberOf, objectOf, textOf } from '../json.js';
import type { RuntimeVersion } from '../records.js';
import type { Backend } from '../runtime.js';
import { secretValues } from '../scrub.js';
import type { StopMarks } from '../state.js';
import { addressText, type EngineAddress } from './address.js';
import { engineClient, type EngineClient } from './client.js';
import { bridgeContainers } from './containers.js';
import { requireImageMounts } from './create-options.js';
import { engineEvents } from './events.js';
import { bridgeImages } from './images.js';
import { bridgeNetworks } from './networks.js';
import { bridgeVolumes } from './volumes.js';

export interface BridgeParts {
  readonly address: EngineAddress;
  readonly marks: StopMarks;
  readonly clock: Clock;
  /** Locates registry credentials (DOCKER_CONFIG, HOME), and is that of ssh. Its secret values are removed from error texts. */
  readonly environment: NodeJS.ProcessEnv;
  /** Whether builds may run the docker-buildx of this machine; default: no. */
  readonly mayRunBuildx?: boolean;
}

/** Does not connect. A missing engine shows at the first call. */
export function bridgeBackend({ address, marks, clock, environment, mayRunBuildx = false }: BridgeParts): Backend {
  const client = engineClient(address, secretValues(environment), environment);
  return engineBackend({
    engine: {
      conformer: 'bridge',
      place: placeOf(address),
      refuses: { wait: true, networks: true },
      system: bridgeSystem(client, clock),
      containers: bridgeContainers(client, clock),
      images: bridgeImages(client, environment, { address, mayRunBuildx }),
      volumes: bridgeVolumes(client),
      networks: bridgeNetworks(client),
      requireImageMounts: async (_, { signal } = {}) => {
        requireImageMounts(await client.apiVersion(signal));
      },
    },
    marks,
    clock,
  });
}

function placeOf(address: EngineAddress): string {
  if (address.kind === 'socket') return address.path;
  return address.kind === 'tcp' ? `${address.host}:${address.port}` : addressText(address);
}

function bridgeSystem(client: EngineClient, clock: Clock): EngineSystem {
  const version = async (signal?: AbortSignal): Promise<RuntimeVersion> => {
    const answer = objectOf(await client.call({}, { method: 'GET', path: '/version', signal }));
    return {
      engine: (await client.isPodman(signal)) ? 'podman' : 'docker',
      version: textOf(answer.Version),
      apiVersion: textOf(answer.ApiVersion),
      os: textOf(answer.Os),
      architecture: textOf(answer.Arch),
    };
  };
  return {
    async ping(signal) {
      (await client.stream({}, { method: 'GET', path: '/_ping', signal })).resume();
    },
    version,
    async info(signal) {
      const info = objectOf(await client.call({}, { method: 'GET', path: '/info', signal }));
      return {
        ...(await version(signal)),
        hostname: textOf(info.Name),
        containers: numberOf(info.Containers),
        containersRunning: numberOf(info.ContainersRunning),
        images: numberOf(info.Images),
        cpus: numberOf(info.NCPU),
        memoryBytes: numberOf(info.MemTotal),
      };
    },
    events: (options) => engineEvents(client, clock, options),
  };
}
