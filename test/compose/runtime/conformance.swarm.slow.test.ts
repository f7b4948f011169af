/** The conformance suite of clusters over a Docker Swarm. */
import { afterAll, describe, it } from 'vitest';
import { selectBackend } from '../../../src/compose/runtime/select.js';
import { startSwarm, swarmIsMissing, SWARM_IMAGE } from '../../support/swarm.js';
import { report } from './conformance-table.js';
import { conformance, type ConformanceColumn } from './conformance.js';
import { cluster } from './suite/cluster.js';

const name = 'swarm/docker';
const reason = await swarmIsMissing();

if (reason !== undefined) {
  describe(name, () => {
    it.skip(`skipped: ${reason}`);
  });
  await report({ subject: name, skipped: reason, operations: {} });
} else {
  const swarm = await startSwarm(1);
  afterAll(() => swarm.stop(), 60_000);
  const environment = { DOCKER_HOST: swarm.host(1), HOME: '/none' };
  const backend = await selectBackend({ backend: 'swarm', environment });
  const operations: ConformanceColumn = {};
  afterAll(() => report({ subject: name, operations }));
  const labels = { 'plumbline.test': String(process.pid) };
  conformance({ name, backend, image: SWARM_IMAGE, labels, real: true }, operations, [cluster]);
}
