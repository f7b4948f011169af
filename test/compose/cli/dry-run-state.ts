import type { Backend } from '../../../src/compose/runtime/runtime.js';

type Labels = Readonly<Record<string, string>>;

/**
 * All that commands can change of an engine.
 *
 * @param labels limits it to the resources with these labels
 */
export async function stateOf(backend: Backend, labels: Labels = {}): Promise<object> {
  const containers = await backend.containers.list({ labels });
  return {
    containers: await Promise.all(
      containers.map(async ({ id }) => {
        const { health, ...record } = await backend.containers.inspect(id);
        return { ...record, health: health?.status };
      }),
    ),
    networks: await backend.internal.networks.list({ labels }),
    volumes: await backend.volumes.list({ labels }),
    images: await backend.images.list({ labels }),
  };
}
