import { createServer, connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openDatabase } from '../../../src/database/connection.js';
import { isReadOnly } from '../../../src/database/failures.js';
import { migrate } from '../../../src/database/migrate.js';
import { captureLog } from '../../support/captured-log.js';
import { startTestPlatform } from '../../support/platform.js';
import {
  startReplicatedPostgres,
  withoutReplication,
  type ReplicatedPostgres,
} from '../../support/replicated-postgres.js';
import { queueOf } from '../sources/sync-runs/jobs/queue.js';
import { expectEachMailOnce, served, startLoad, unavailable } from './load.js';

const { log } = captureLog();

describe.skipIf(withoutReplication !== '')(`With streaming replication${withoutReplication}`, () => {
  let servers: ReplicatedPostgres;
  beforeEach(async () => {
    servers = await startReplicatedPostgres();
  });
  afterEach(() => servers.stop());

  test('a failover under load: 503 until a standby is promoted, and nothing is lost or duplicated', async () => {
    const platform = await startTestPlatform({ databaseUri: servers.uri, environment: { SYNC_JOBS: '1' } });
    try {
      const owner = await platform.signUp();
      const queue = queueOf(platform, owner);
      const configId = await queue.configure({
        provider: 'synthetic',
        targets: ['git', 'prs'],
        repositories: ['acme/*'],
      });
      const load = startLoad(platform, owner);
      await load.until(served, 40);
      const runId = await queue.start(configId);
      await load.until(served, 20);

      await servers.crashPrimary();
      await load.until(unavailable, 40);
      expect((await platform.json('GET', '/health/ready')).status).toBe(503);
      await servers.promote();
      await load.until(served, 40);
      const replies = await load.stop();

      expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200, 201, 503]));
      expect((await platform.json('GET', '/health/ready')).status).toBe(200);
      await expectEachMailOnce(platform, replies);

      // A job that the failover interrupted waits for its next attempt.
      for (let state = 'pending'; state !== 'complete';) {
        platform.clock.advance(60);
        const [run] = await platform.database.sql<
          { status: string }[]
        >`select status from sync_runs where id = ${runId}`;
        state = run?.status ?? '';
        if (state === 'failed' || state === 'partial') throw new Error(`the run is ${state}`);
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      const count = async (): Promise<unknown> => (await platform.database.sql`select count(*) from git_commits`)[0];
      const commits = await count();
      // The clock may have passed the end of the access token.
      const { email, password } = owner;
      const login = await platform.json('POST', '/api/v1/auth/login', { body: { email, password } });
      const later = queueOf(platform, { ...owner, accessToken: login.body.access_token });
      const again = await later.start(configId);
      await later.until(configId, again, 'complete');
      expect(await count()).toEqual(commits);
    } finally {
      await platform.stop();
    }
  });

  test('a start against a standby says so in one line', async () => {
    await expect(migrate(servers.standbyUri, { logger: log })).rejects.toThrow(
      'The database is read-only: it is a standby',
    );
  });

  test('behind a balancer, statements reach the primary again after a connection to a standby', async () => {
    const balancer = await startBalancer(servers.standbyUri);
    const database = openDatabase(balancer.uri, { logger: log });
    const write = (): Promise<string> =>
      database.sql`create table if not exists written (id int)`.then(
        () => 'written',
        (error: unknown) => (isReadOnly(error) ? 'read-only' : String(error)),
      );
    try {
      expect(await write()).toBe('read-only');
      expect(await database.sql`select pg_is_in_recovery() as standby`).toEqual([{ standby: true }]);
      balancer.switchTo(servers.primaryUri);
      expect(await write()).toBe('written');
    } finally {
      await database.close();
      await balancer.stop();
    }
  });
});

interface Balancer {
  readonly uri: string;
  /** New connections go to this server; open ones stay. */
  switchTo(uri: string): void;
  stop(): Promise<void>;
}

/** Forwards connections, as a load balancer without health checks does. */
async function startBalancer(first: string): Promise<Balancer> {
  let port = Number(new URL(first).port);
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    const target = connect(port, '127.0.0.1');
    for (const each of [socket, target]) {
      sockets.add(each);
      each.on('error', () => undefined);
      each.on('close', () => {
        socket.destroy();
        target.destroy();
      });
    }
    socket.pipe(target).pipe(socket);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the balancer does not listen');
  return {
    uri: `postgres://plumbline@127.0.0.1:${address.port}/postgres`,
    switchTo: (uri) => {
      port = Number(new URL(uri).port);
    },
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
