import { chmod, chown, copyFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pino from 'pino';
import postgres from 'postgres';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parseDatabaseAddress } from '../../src/database/address.js';
import { openDatabase, type Database, type DatabaseOptions } from '../../src/database/connection.js';
import { isConnectionFailure } from '../../src/database/failures.js';
import { openSingleConnection } from '../../src/database/single-connection.js';
import { createCertificates, missingOpenssl } from '../support/certificates.js';
import { createEmptyDatabase, startOwnPostgres, type OwnPostgres, type TestDatabase } from '../support/postgres.js';
import { startSilentProxy, type SilentProxy } from '../support/silent-proxy.js';

const logger = pino({ level: 'silent' });

let test: TestDatabase;
beforeAll(async () => {
  test = await createEmptyDatabase();
});
afterAll(() => test.drop());

let proxy: SilentProxy;
let uri: string;
const opened: Database[] = [];
beforeEach(async () => {
  const direct = new URL(test.uri);
  proxy = await startSilentProxy(Number(direct.port));
  uri = throughProxy(test.uri);
});
afterEach(async () => {
  for (const database of opened.splice(0)) await database.close(0);
  await proxy.stop();
});

function throughProxy(direct: string): string {
  const url = new URL(direct);
  url.host = `127.0.0.1:${proxy.port}`;
  return url.href;
}

function open(options: Partial<DatabaseOptions> = {}): Database {
  const database = openDatabase(uri, { logger, ...options });
  opened.push(database);
  return database;
}

/** Opens all connections: half are for single statements, half for transactions. */
async function warm({ sql }: Database): Promise<void> {
  const wait = () => sql`select pg_sleep(0.2)`;
  await Promise.all([
    wait(),
    wait(),
    ...[1, 2].map(() => sql.begin((transaction) => transaction`select pg_sleep(0.2)`)),
  ]);
}

/** Settles as the error, 'done', or 'unsettled' after a time that no test needs unless something waits forever. */
function outcome(work: PromiseLike<unknown>): Promise<unknown> {
  return Promise.race([
    Promise.resolve(work).then(
      () => 'done',
      (error: unknown) => error,
    ),
    delay(25_000, 'unsettled', { ref: false }),
  ]);
}

async function expectUnavailable(outcomes: readonly Promise<unknown>[]): Promise<void> {
  for (const reached of await Promise.all(outcomes)) expect(isConnectionFailure(reached), String(reached)).toBe(true);
}

describe('a database that becomes silent', () => {
  it('ends every statement and transaction as unavailable, and serves again once it answers', async () => {
    const database = open({ maxConnections: 4 });
    const { sql } = database;
    await warm(database);
    proxy.silence();
    await expectUnavailable([
      ...Array.from({ length: 10 }, () => outcome(sql`select 1`)),
      ...Array.from({ length: 2 }, () => outcome(sql.begin((transaction) => transaction`select 1`))),
    ]);
    // Every further one ends soon, too, because no connection to the silent host is left.
    await expectUnavailable([outcome(sql`select 1`), outcome(sql.begin((transaction) => transaction`select 1`))]);
    proxy.heal();
    expect(await sql`select 1 as one`).toEqual([{ one: 1 }]);
    expect(await sql.begin((transaction) => transaction`select 1 as one`)).toEqual([{ one: 1 }]);
  });

  it('ends a transaction in the middle of its work as unavailable', async () => {
    const { sql } = open();
    const reached = outcome(
      sql.begin(async (transaction) => {
        await transaction`select 1`;
        proxy.silence();
        await transaction`select 2`;
      }),
    );
    await expectUnavailable([reached]);
  });

  it('does not end a slow statement of a server that answers new connections', async () => {
    const { sql } = open();
    expect(await sql`select 'slow' as speed from pg_sleep(12)`).toEqual([{ speed: 'slow' }]);
  });

  it('ends a single long-lived connection, such as that of a migration', async () => {
    const sql = openSingleConnection(parseDatabaseAddress(uri), 'plumbline test', logger);
    await sql`select 1`;
    proxy.silence();
    await expectUnavailable([outcome(sql`select 1`)]);
    await sql.end({ timeout: 0 });
  });
});

describe('a connection that becomes silent although its server answers others', () => {
  it('is closed after the time limit of its statement', async () => {
    const database = open({ maxConnections: 2, statementTimeoutMs: 500 });
    const { sql } = database;
    await sql`select 1`;
    await sql.begin((transaction) => transaction`select 1`);
    proxy.silenceOpenConnections();
    const statement = outcome(sql`select 1`);
    const transaction = outcome(sql.begin((held) => held`select 1`));
    // The server is reachable all the time.
    const other = postgres(uri, { max: 1 });
    expect(await other`select 1 as one`).toEqual([{ one: 1 }]);
    await other.end();
    await expectUnavailable([statement, transaction]);
    expect(await sql`select 1 as one`).toEqual([{ one: 1 }]);
    expect(await sql.begin((held) => held`select 1 as one`)).toEqual([{ one: 1 }]);
  });

  it('does not count the time that a statement waits for a connection', async () => {
    const { sql } = open({ maxConnections: 2, statementTimeoutMs: 3000 });
    const slow = Array.from({ length: 5 }, () => outcome(sql`select pg_sleep(2)`));
    expect(await Promise.all(slow)).toEqual(slow.map(() => 'done'));
  });
});

const withoutOpenssl = missingOpenssl();

describe.skipIf(withoutOpenssl !== null)(
  `over TLS, a database that becomes silent (${withoutOpenssl ?? 'openssl'})`,
  () => {
    let server: OwnPostgres;
    beforeAll(async () => {
      server = await startOwnPostgres();
      await enableTls(server);
    });
    afterAll(() => server.remove());

    it('ends every statement and transaction as unavailable, and serves again once it answers', async () => {
      await proxy.stop();
      proxy = await startSilentProxy(Number(new URL(server.uri).port));
      uri = `${throughProxy(server.uri)}?sslmode=require`;
      const { sql } = open({ maxConnections: 4 });
      expect(await sql`select ssl from pg_stat_ssl where pid = pg_backend_pid()`).toEqual([{ ssl: true }]);
      await sql.begin((transaction) => transaction`select 1`);
      proxy.silence();
      const statements = Array.from({ length: 4 }, () => outcome(sql`select 1`));
      const transactions = Array.from({ length: 2 }, () =>
        outcome(
          sql.begin(async (transaction) => {
            await transaction`select 1`;
            await transaction`select 2`;
          }),
        ),
      );
      await expectUnavailable([...statements, ...transactions]);
      proxy.heal();
      expect(await sql`select 1 as one`).toEqual([{ one: 1 }]);
      expect(await sql.begin((transaction) => transaction`select 1 as one`)).toEqual([{ one: 1 }]);
    });
  },
);

async function enableTls({ uri: serverUri, data }: OwnPostgres): Promise<void> {
  const certificates = await createCertificates();
  const { certFile, keyFile } = certificates.issue(certificates.authority('authority'), 'postgres');
  const sql = postgres(serverUri, { max: 1 });
  const { uid, gid } = await stat(data);
  const copies = [
    [certFile, join(data, 'server.crt')],
    [keyFile, join(data, 'server.key')],
  ] as const;
  for (const [from, to] of copies) {
    await copyFile(from, to);
    await chmod(to, 0o600);
    await chown(to, uid, gid);
  }
  await sql`alter system set ssl = on`;
  await sql`select pg_reload_conf()`;
  const isOn = async (): Promise<boolean> => (await sql<{ ssl: string }[]>`show ssl`)[0]?.ssl === 'on';
  while (!(await isOn())) await delay(50);
  await sql.end();
  await certificates.remove();
}
