import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { migrate } from '../../../src/database/migrate.js';
import { captureLog } from '../../support/captured-log.js';
import {
  startNamespacedPostgres,
  withoutNamespaces,
  type NamespacedPostgres,
} from '../../support/namespaced-postgres.js';
import { startTestPlatform, type TestPlatform } from '../../support/platform.js';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.js';
import {
  startReplicatedPostgres,
  withoutReplication,
  type ReplicatedPostgres,
} from '../../support/replicated-postgres.js';
import { startSilentProxy, type SilentProxy } from '../../support/silent-proxy.js';
import { expectEachMailOnce, served, startLoad, unavailable } from './load.js';

vi.setConfig({ testTimeout: 180_000 }); // each waits for limits of several seconds, under load

/** A fault during which the database is silent, and its end. */
interface Fault {
  begin(): Promise<void> | void;
  /** What an operator, or the network, does. */
  end(): Promise<void> | void;
}

/** The messages of the log about the database, without those about single requests. */
function outageMessages(platform: TestPlatform): string[] {
  const lines = platform.logLines.map((line) => JSON.parse(line) as { service?: string; msg: string });
  return lines.filter(({ service }) => service === 'database').map(({ msg }) => msg);
}

/** Under load: the server answers everything while the database is silent, and serves when the fault has ended. */
async function expectOutage(databaseUri: string, fault: Fault): Promise<void> {
  const platform = await startTestPlatform({ databaseUri });
  try {
    const owner = await platform.signUp();
    const load = startLoad(platform, owner);
    await load.until(served, 100); // all connections are open
    await fault.begin();
    // Readiness and metrics do not wait as long as a statement does.
    let isSettled = false;
    const settled = (): void => void (isSettled = true);
    void platform.database.sql`select 1`.then(settled, settled);
    await expect.poll(async () => (await platform.json('GET', '/health/ready')).status).toBe(503);
    const metrics = String((await platform.json('GET', '/metrics')).body);
    expect(isSettled).toBe(false);
    // Each is awaited before the fault ends: with no end to their waits, the test would not get further.
    await load.until(unavailable, 40);
    const ready = await platform.json('GET', '/health/ready');
    expect([ready.status, ready.body.message]).toEqual([503, 'The database is out of reach.']);
    expect(metrics).toContain('\nplumbline_database_up 0\n');
    expect(metrics).toMatch(/^plumbline_requests_in_flight [1-9]\d*$/m);
    expect(outageMessages(platform)).toEqual(['The database is out of reach.']);

    await fault.end();
    await load.until(served, 100);
    const replies = await load.stop();
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200, 201, 503]));
    await expect.poll(async () => (await platform.json('GET', '/health/ready')).status).toBe(200);
    expect(outageMessages(platform)).toEqual(['The database is out of reach.', 'The database answers again']);
    await expectEachMailOnce(platform, replies);
  } finally {
    await platform.stop();
  }
}

describe('Behind a peer that accepts bytes and says nothing', () => {
  let database: TestDatabase;
  let proxy: SilentProxy;
  beforeEach(async () => {
    database = await createTestDatabase();
    proxy = await startSilentProxy(Number(new URL(database.uri).port));
  });
  afterEach(async () => {
    await proxy.stop();
    await database.drop();
  });

  test('requests, readiness and metrics are answered while the database is silent', async () => {
    const uri = new URL(database.uri);
    uri.host = `127.0.0.1:${proxy.port}`;
    await expectOutage(uri.href, { begin: proxy.silence, end: proxy.heal });
  });
});

describe.skipIf(withoutNamespaces !== '')(`In a network that drops all packets${withoutNamespaces}`, () => {
  let postgres: NamespacedPostgres;
  beforeEach(async () => {
    postgres = await startNamespacedPostgres();
    await migrate(postgres.uri, { logger: captureLog().log });
  });
  afterEach(() => postgres.stop());

  test('requests, readiness and metrics are answered, and requests are served once the network heals', async () => {
    await expectOutage(postgres.uri, { begin: postgres.dropPackets, end: postgres.heal });
  });
});

describe.skipIf(withoutReplication !== '')(`With streaming replication${withoutReplication}`, () => {
  let servers: ReplicatedPostgres;
  beforeEach(async () => {
    servers = await startReplicatedPostgres();
  });
  afterEach(() => servers.stop());

  test('after the primary has frozen and the standby is promoted, requests are served by the new primary', async () => {
    await expectOutage(servers.uri, { begin: servers.freezePrimary, end: servers.promote });
  });
});
