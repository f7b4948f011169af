/** Opens the provider of a request. Each provider is loaded on demand. */
import type { SyncRequest } from '../request.js';
import type { SyncDependencies } from '../dependencies.js';
import type { Provider } from './provider.js';

/** @throws SyncError (`connectors_missing`) if a host's connector package is not installed */
export async function openProvider(request: SyncRequest, dependencies: SyncDependencies): Promise<Provider> {
  const { selection } = request;
  switch (selection.kind) {
    case 'local':
      return (await import('./local/open-local.js')).openLocal(selection.path, request, dependencies);
    case 'synthetic':
      return (await import('./synthetic/open-synthetic.js')).openSynthetic(selection, request, dependencies);
    case 'host_a':
      return (await import('./host-a/open-host-a.js')).openHostA(selection, request, dependencies);
    case 'host_b':
      return (await import('./host-b/open-host-b.js')).openHostB(selection, request, dependencies);
    case 'batch':
      return selection.provider === 'host_a'
        ? (await import('./host-a/open-host-a.js')).openHostA(selection, request, dependencies)
        : (await import('./host-b/open-host-b.js')).openHostB(selection, request, dependencies);
  }
}
