/** Builds images: with BuildKit where docker-buildx is installed, otherwise with the engine's classic builder. */
import { findBuildx } from '../../docker-plugins.js';
import { pushedAfterBuild } from '../../engine/push-after-build.js';
import type { ImageOperations } from '../../runtime.js';
import type { BuildSpec } from '../../spec.js';
import type { EngineAddress } from '../address.js';
import type { EngineClient } from '../client.js';
import { buildWithEngine } from './classic.js';

export interface Builders {
  readonly client: EngineClient;
  readonly address: EngineAddress;
  readonly environment: NodeJS.ProcessEnv;
  /**
   * Whether builds may run docker-buildx. It has the user's registry credentials, and caches that all builds of the
   * engine share, so projects that others send must not use it.
   */
  readonly mayRunBuildx: boolean;
  readonly push: ImageOperations['push'];
}

const INSTALL_BUILDX = 'Install the plug-in buildx of the Docker CLI (docker-buildx).';

const SERVED = "'compose serve' builds without BuildKit.";

export function imageBuilder({ client, address, environment, mayRunBuildx, push }: Builders): ImageOperations['build'] {
  const program = async (signal: AbortSignal | undefined): Promise<string | undefined> => {
    if (!mayRunBuildx) return undefined;
    const found = await findBuildx(environment);
    // Podman's socket has no BuildKit.
    return found !== undefined && !(await client.isPodman(signal)) ? found : undefined;
  };
  return async (spec: BuildSpec, { signal } = {}) => {
    const buildx = await program(signal);
    if (buildx === undefined) {
      const build = await buildWithEngine(client, spec, mayRunBuildx ? INSTALL_BUILDX : SERVED, signal);
      return pushedAfterBuild(build, spec, push, signal);
    }
    const { buildWithBuildx } = await import('./buildx.js');
    return buildWithBuildx({ program: buildx, address, environment, secrets: client.secrets }, spec, signal);
  };
}
