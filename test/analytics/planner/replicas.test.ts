import fc from 'fast-check';
import { connect, createServer, type AddressInfo } from 'node:net';
import postgres from 'postgres';
import { expect, it, onTestFinished } from 'vitest';
import { parseAnalyticsUri } from '../../../src/analytics/address.js';
import type { AnalyticsBatch } from '../../../src/analytics/analytics.js';
import { openAnalytics } from '../../../src/analytics/open.js';
import { openWorkUnitStore } from '../../../src/analytics/store/open.js';
import type { WorkUnit } from '../../../src/analytics/work-unit.js';
import { startOwnPostgres } from '../../support/postgres.js';
import { openOptions } from '../engines.js';
import { batches, units } from './arbitrary.js';

const [generated = []] = fc.sample(units(300), { seed: 7, numRuns: 1 });
const first = generated.map((unit, index) => ({ ...unit, id: `u${index}` }));
/** As a replica that lags, but for every figure. */
const second = first.map((unit) => ({ ...unit, churnLoc: (unit.churnLoc ?? 0) + 1, author: `other ${unit.author}` }));

/** A server with these units. */
async function startServer(stored: readonly WorkUnit[]): Promise<string> {
  const server = await startOwnPostgres();
  onTestFinished(() => server.remove());
  const store = await openWorkUnitStore(parseAnalyticsUri(server.uri), openOptions);
  await store.ensureSchema();
  await store.apply({ orgId: 'mine', repoId: '11111111-1111-4111-8111-111111111111', units: stored, removed: [] });
  await store.close();
  return server.uri;
}

/** Leads each connection to the next server, as balancers of read replicas do. All of them must have one password. */
async function startBalancer(uris: readonly string[]): Promise<string> {
  let connections = 0;
  const balancer = createServer((socket) => {
    const { port } = new URL(uris[connections++ % uris.length] ?? '');
    const upstream = connect(Number(port), '127.0.0.1');
    socket.pipe(upstream).pipe(socket);
    for (const [one, other] of [
      [socket, upstream],
      [upstream, socket],
    ] as const) {
      one.on('error', () => other.destroy()).on('close', () => other.destroy());
    }
  });
  await new Promise<void>((resolve) => balancer.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void balancer.close());
  const uri = new URL(uris[0] ?? '');
  uri.port = String((balancer.address() as AddressInfo).port); // listening on TCP
  return uri.href;
}

async function giveSamePassword(uri: string, other: string): Promise<void> {
  const sql = postgres(other, { max: 1 });
  await sql.unsafe(`alter role plumbline password '${new URL(uri).password}'`);
  await sql.end();
}

/** A baseline is read after the figures, as the schema says: here it may come from the other server. */
function withoutComparisons(batch: AnalyticsBatch): AnalyticsBatch {
  return {
    ...batch,
    breakdowns: batch.breakdowns.map((each) => ({ ...each, compareWith: null })),
    distributions: (batch.distributions ?? []).map((each) => ({ ...each, compareWith: null })),
  };
}

it('behind a balancer of replicas, each batch is answered by one of them alone', { timeout: 120_000 }, async () => {
  const uris = [await startServer(first), await startServer(second)] as const;
  const never = new AbortController().signal;
  const asked = fc.sample(batches, { seed: 11, numRuns: 20 }).map(withoutComparisons);
  const answersOf = async (uri: string): Promise<unknown[]> => {
    const analytics = await openAnalytics(uri, { ...openOptions, timeoutSeconds: 30 });
    try {
      // At once, so that several connections are opened, to both servers.
      return await Promise.all(asked.map((batch) => analytics.run('mine', batch, never)));
    } finally {
      await analytics.close();
    }
  };
  const alone = [await answersOf(uris[0]), await answersOf(uris[1])];
  await giveSamePassword(...uris);
  const balanced = await answersOf(await startBalancer(uris));
  for (const [index, answer] of balanced.entries()) {
    expect(alone.map((answers) => answers[index])).toContainEqual(answer);
  }
});
