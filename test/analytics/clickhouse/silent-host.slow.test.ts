import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { clickHouseUrl } from '../../../src/analytics/clickhouse/hosts.js';
import { openClickHouseServer } from '../../../src/analytics/clickhouse/server.js';
import { startSilentPeer } from '../../support/silent-peer.js';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** A server that answers each query with one row after a time. */
async function startSlowServer(ms: number): Promise<number> {
  const server = createServer((request, response) => {
    const isPing = request.method === 'GET';
    setTimeout(() => response.end('[1]\n'), isPing ? 0 : ms);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanups.push(() => server.close());
  return (server.address() as AddressInfo).port; // a TCP server's address is never a path
}

async function query(hosts: readonly number[]): Promise<unknown> {
  const list = hosts.map((port) => `127.0.0.1:${port}`).join(',');
  const engine = openClickHouseServer(clickHouseUrl(`//${list}/default?cluster=test`, false) ?? '');
  cleanups.push(() => engine.close());
  return engine.query('select 1', {});
}

test('A statement whose host is silent is sent to the next host', async () => {
  const silent = await startSilentPeer();
  cleanups.push(silent.stop);
  expect(await query([silent.port, await startSlowServer(0)])).toEqual([[1]]);
});

test('A slow statement of a host that answers others is not sent again', async () => {
  const other = await startSilentPeer();
  cleanups.push(other.stop);
  expect(await query([await startSlowServer(12_000), other.port])).toEqual([[1]]);
});

test('A statement whose only host is silent fails as unreachable', async () => {
  const silent = await startSilentPeer();
  cleanups.push(silent.stop);
  await expect(query([silent.port])).rejects.toMatchObject({ code: 'ETIMEDOUT' });
});
