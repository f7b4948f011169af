/** The list of containers without a request for each of them. */
import { expect } from 'vitest';
import type { ContainerSummary } from '../../../../src/compose/runtime/records.js';
import type { ContainerSpec } from '../../../../src/compose/runtime/spec.js';
import { eventually, type Bench } from '../conformance.js';
import { exitsWithThree, healthy, obedient, stubborn } from '../programs.js';

export function summaries({ backend: { containers }, proves, fresh, created, started, ended, status }: Bench): void {
  const stopped = async (more: Partial<ContainerSpec>): Promise<string> => {
    const id = await started(obedient, more);
    await containers.stop(id, { timeoutSeconds: 20 });
    return id;
  };

  proves(['listContainers'], 'a summary says of a container what its record says', async () => {
    const labels = { 'plt.group': fresh('group') };
    await created(obedient, { labels });
    await ended(exitsWithThree, { labels });
    await stopped({ labels });
    await containers.start(await stopped({ labels }));
    await containers.pause(await started(obedient, { labels }));
    const detailed = await started(obedient, {
      labels: { ...labels, kind: 'detailed' },
      healthcheck: { test: ['CMD', ...healthy.command], intervalMs: 200, timeoutMs: 5000, retries: 2 },
      mounts: [{ type: 'volume', target: '/data' }],
      ports: [{ containerPort: 80, hostAddress: '127.0.0.1' }, { containerPort: 443 }],
    });
    for await (const health of await containers.watchHealth(detailed)) if (health === 'healthy') break;
    const id = await started(stubborn, { labels });
    const stop = containers.stop(id, { timeoutSeconds: 3 });
    await eventually(async () => (await status(id)) === 'stopping');

    const [records, listed] = await Promise.all([containers.list({ labels }), containers.summaries({ labels })]);
    await stop;
    const statuses = ['created', 'exited', 'running', 'running', 'running', 'stopped', 'stopping'];
    expect(records.map((record) => record.status).sort()).toEqual(statuses);
    expect(outlines(listed)).toEqual(outlines(records));
  });
}

/** What is the same in both, by name. A list has times in whole seconds. */
function outlines(found: readonly ContainerSummary[]): object[] {
  return found
    .map(({ id, name, image, imageId, status, condition, createdAt, exitCode, labels, health, mounts, ...rest }) => ({
      ...{ id, name, image, imageId, status, condition, exitCode, labels, mounts },
      createdAt: createdAt.slice(0, 'YYYY-MM-DDTHH:MM:SS'.length),
      health: health?.status,
      networks: rest.networks.map(({ network, ipv4Address }) => ({ network, ipv4Address })),
      ports: rest.ports,
      isTimed: rest.startedAt !== undefined || rest.uptime !== undefined || status === 'created',
    }))
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}
