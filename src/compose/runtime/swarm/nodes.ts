/** The nodes of a swarm. */
import type { EngineClient } from '../bridge/client.js';
import type { ClusterNode } from '../cluster.js';
import { objectOf, objectsOf, textOf } from '../json.js';

export async function swarmNodes(
  client: EngineClient,
  signal: AbortSignal | undefined,
): Promise<ReadonlyMap<string, ClusterNode>> {
  const nodes = objectsOf(await client.call({}, { method: 'GET', path: '/nodes', signal }));
  return new Map(
    nodes.map((node) => {
      const status = objectOf(node.Status);
      const id = textOf(node.ID);
      const hostname = textOf(objectOf(node.Description).Hostname);
      return [id, { id, hostname, address: textOf(status.Addr), isUp: status.State === 'ready' }];
    }),
  );
}
