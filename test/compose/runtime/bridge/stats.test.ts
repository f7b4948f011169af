import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { engineClient } from '../../../../src/compose/runtime/bridge/client.js';
import { statsSample } from '../../../../src/compose/runtime/bridge/stats.js';
import { systemClock } from '../../../../src/compose/runtime/clock.js';
import { bridgeBackend } from '../../../../src/compose/runtime/bridge/bridge.js';
import { transientStopMarks } from '../../../../src/compose/runtime/state.js';
import { all, failure } from '../conformance.js';

const usage = { total_usage: 120_000_000 };
const sample = { read: '2026-03-02T09:15:02.5Z', cpu_stats: { cpu_usage: usage }, memory_stats: { usage: 4096 } };
/** What Docker sends for a container that does not run, instead of an error. */
const zeros = { read: '0001-01-01T00:00:00Z', cpu_stats: { cpu_usage: { total_usage: 0 } }, memory_stats: {} };

/** An engine with one container, which is being restarted. @param replies to requests for its usage, one by one */
async function engineWith(replies: readonly object[], status = 'running'): Promise<{ host: string; port: number }> {
  const next = [...replies];
  const engine = createServer(({ url = '' }, reply) => {
    const state = { Status: next.length === 0 ? 'exited' : status, StartedAt: '2026-03-02T09:15:00Z' };
    const isStats = url.includes('/stats');
    reply.writeHead(200, { 'Content-Type': 'application/json' });
    reply.end(JSON.stringify(isStats ? next.shift() : { Id: 'c1', Name: '/c1', State: state, Config: {} }));
  });
  onTestFinished(() => void engine.close());
  await new Promise<void>((listening) => engine.listen(0, '127.0.0.1', listening));
  const { port } = engine.address() as AddressInfo; // listening on TCP
  return { host: '127.0.0.1', port };
}

it('a sample of a container that has just ended is invalidState', async () => {
  const client = engineClient({ kind: 'tcp', ...(await engineWith([sample, zeros])) }, [], {});
  expect(await statsSample(client, 'c1')).toMatchObject({
    sampledAt: '2026-03-02T09:15:02.500000000Z',
    cpuUsageMicroseconds: 120_000,
    memoryUsageBytes: 4096,
  });
  expect(await failure(statsSample(client, 'c1'))).toEqual({
    case: 'invalidState',
    id: 'c1',
    expected: 'running',
    actual: 'exited',
  });
});

it('followed stats skip the time between two runs of a restarted container', async () => {
  const backend = bridgeBackend({
    address: { kind: 'tcp', ...(await engineWith([sample, zeros, sample], 'restarting')) },
    marks: transientStopMarks(),
    clock: systemClock,
    environment: {},
  });
  const samples = await all(await backend.containers.followStats('c1', { intervalMs: 1 }));
  expect(samples.map(({ memoryUsageBytes }) => memoryUsageBytes)).toEqual([4096, 4096]);
});
