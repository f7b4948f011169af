import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import pino from 'pino';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';

import { type Database, type DatabaseOptions, openDatabase, type Transaction } from '../../src/database/connection.js';
import { isConnectionFailure, isStatementTimeout, isUniqueViolation } from '../../src/database/failures.js';
import { createEmptyDatabase, type OwnPostgres, startOwnPostgres, type TestDatabase } from '../support/postgres.js';

const logger = pino({ level: 'silent' });
const opened: Database[] = [];

function open(uri: string, options: Partial<DatabaseOptions> = {}): Database {
  const database = openDatabase(uri, { logger, ...options });
  opened.push(database);
  return database;
}

/** Code that waits for `opened` continues after `open`. */
function barrier(): { readonly opened: Promise<null>; open(): void } {
  let open = (): void => undefined;
  const opened = new Promise<null>((resolve) => {
    open = () => {
      resolve(null);
    };
  });
  return { opened, open };
}

afterEach(async () => {
  for (const database of opened.splice(0)) await database.close(0);
});

describe('an open database', () => {
  let test: TestDatabase;
  beforeAll(async () => {
    test = await createEmptyDatabase();
    const database = openDatabase(test.uri, { logger });
    await database.sql`create table notes (id int primary key, text text)`;
    await database.close();
  });
  afterAll(() => test.drop());

  it('reads int8 as a number if that is exact, else as text, and timestamps as dates', async () => {
    const [row] = await open(test.uri).sql`
      select 42::int8 as small, 9007199254740993::int8 as large, timestamptz '2024-05-06T07:08:09.123Z' as at`;
    expect(row).toEqual({ small: 42, large: '9007199254740993', at: new Date('2024-05-06T07:08:09.123Z') });
  });

  it('sets its application name on the server', async () => {
    expect(await open(test.uri).sql`select current_setting('application_name') as name`).toEqual([
      { name: 'plumbline' },
    ]);
  });

  it('ends a statement at its time limit with a recognizable error', async () => {
    const error: unknown = await open(test.uri, { statementTimeoutMs: 50 }).sql`select pg_sleep(30)`.catch(
      (e: unknown) => e,
    );
    expect(isStatementTimeout(error)).toBe(true);
    expect(isConnectionFailure(error)).toBe(false);
  });

  it('commits a transaction that returns, and returns its result', async () => {
    const { sql } = open(test.uri);
    const count = await sql.begin(async (transaction) => {
      const note = { id: 1, text: 'kept' };
      await transaction`insert into notes ${transaction(note)}`;
      return (await transaction`select * from notes where id = 1`).length;
    });
    expect(count).toBe(1);
    expect(await sql`select text from notes where id = 1`).toEqual([{ text: 'kept' }]);
  });

  it('rolls back a transaction that throws, and rethrows the error', async () => {
    const { sql } = open(test.uri);
    const failing = sql.begin(async (transaction) => {
      await transaction`insert into notes values (2, 'dropped')`;
      throw new Error('changed my mind');
    });
    await expect(failing).rejects.toThrow('changed my mind');
    expect(await sql`select 1 from notes where id = 2`).toEqual([]);
  });

  it('does not report a transaction as committed in which a statement failed unnoticed', async () => {
    const { sql } = open(test.uri);
    const careless = sql.begin(async (transaction) => {
      await transaction`insert into notes values (3, 'dropped')`;
      await transaction`select 1 / 0`.catch(() => undefined);
    });
    await expect(careless).rejects.toThrow('rolled back');
    expect(await sql`select 1 from notes where id = 3`).toEqual([]);
  });

  it('rolls back only the savepoint that throws', async () => {
    const { sql } = open(test.uri);
    await sql.begin(async (transaction) => {
      await transaction`insert into notes values (4, 'outer')`;
      const duplicate = transaction.savepoint((inner) => inner`insert into notes values (4, 'inner')`);
      const error: unknown = await duplicate.catch((e: unknown) => e);
      expect(isUniqueViolation(error, 'notes_pkey')).toBe(true);
      expect(isUniqueViolation(error, 'another_key')).toBe(false);
    });
    expect(await sql`select text from notes where id = 4`).toEqual([{ text: 'outer' }]);
  });

  it('begins transactions in the requested mode', async () => {
    const { sql } = open(test.uri);
    const writing = sql.begin('read only', (transaction) => transaction`insert into notes values (5, 'no')`);
    await expect(writing).rejects.toMatchObject({ code: '25006' });
  });

  it('refuses statements of a transaction that has ended', async () => {
    const { sql } = open(test.uri);
    const leaked = await sql.begin((transaction) => Promise.resolve({ transaction }));
    expect(() => leaked.transaction`select 1`).toThrow('has ended');
  });

  it('lets a transaction wait for a free connection up to a limit', async () => {
    const { sql } = open(test.uri, { maxConnections: 2, connectTimeoutMs: 300 });
    const error = await sql.begin(() => sql.begin(() => Promise.resolve('inner')).catch((e: unknown) => e));
    expect(error).toMatchObject({ code: 'POOL_TIMEOUT' });
    expect(isConnectionFailure(error)).toBe(true);
    expect(await sql.begin(() => Promise.resolve('later'))).toBe('later');
  });

  it('runs more transactions than it has connections, one after the other', async () => {
    const { sql } = open(test.uri, { maxConnections: 4 });
    const numbers = Array.from({ length: 50 }, (_, number) => number);
    const run = (number: number) => sql.begin(async (tx) => (await tx`select ${number}::int as number`)[0]?.['number']);
    expect(await Promise.all(numbers.map(run))).toEqual(numbers);
    const [row] = await sql`select count(*) as used from pg_stat_activity where datname = current_database()`;
    expect(row?.['used']).toBeLessThanOrEqual(4);
  });

  it('gives a group at most half of the connections of transactions, and others the rest', async () => {
    const { sql, transactions } = open(test.uri, { maxConnections: 8 });
    const busy = barrier();
    const ofGroup = Array.from({ length: 10 }, () => sql.beginFor('busy', () => busy.opened));
    expect(transactions()).toEqual({ running: 2, waiting: 8, limit: 4 });
    expect(await sql.begin(() => Promise.resolve('ungrouped'))).toBe('ungrouped');
    expect(await sql.beginFor('other', () => Promise.resolve('other'))).toBe('other');
    busy.open();
    await Promise.all(ofGroup);
    expect(transactions()).toEqual({ running: 0, waiting: 0, limit: 4 });
  });

  it('lets the group with the fewest transactions begin first, and others in their order', async () => {
    const { sql } = open(test.uri, { maxConnections: 8 });
    const [first, others] = [barrier(), barrier()];
    const running = [
      sql.beginFor('a', () => first.opened),
      sql.beginFor('a', () => others.opened),
      sql.beginFor('b', () => others.opened),
      sql.begin(() => others.opened),
    ];
    const begun: string[] = [];
    const note = (name: string) => () => Promise.resolve(begun.push(name));
    const waiting = [
      sql.beginFor('b', note('b')),
      sql.beginFor('c', note('c')),
      sql.begin(note('none')),
      sql.beginFor('a', note('a')),
    ];
    first.open();
    await Promise.all(waiting);
    expect(begun).toEqual(['c', 'none', 'b', 'a']);
    others.open();
    await Promise.all(running);
  });

  it('is unavailable after it is closed', async () => {
    const database = open(test.uri);
    await database.sql`select 1`;
    await database.close();
    for (const late of [() => database.sql`select 1`, () => database.sql.begin(() => Promise.resolve(1))]) {
      expect(isConnectionFailure(await Promise.resolve(late()).catch((e: unknown) => e))).toBe(true);
    }
  });

  describe('whose connection is ended by the server', () => {
    const backend = async (transaction: Transaction) =>
      Number((await transaction`select pg_backend_pid() as pid`)[0]?.['pid']);

    it('fails the running transaction as unavailable, rolls it back, and recovers', async () => {
      const { sql } = open(test.uri);
      const doomed = sql.begin(async (transaction) => {
        await transaction`insert into notes values (6, 'dropped')`;
        const pid = await backend(transaction);
        await Promise.all([transaction`select pg_sleep(30)`, sql`select pg_terminate_backend(${pid})`]);
      });
      expect(isConnectionFailure(await doomed.catch((e: unknown) => e))).toBe(true);
      expect(await sql.begin((transaction) => transaction`select 1 from notes where id = 6`)).toEqual([]);
    });

    it('never runs what is left of a transaction outside of it', async () => {
      const { sql } = open(test.uri, { maxConnections: 2 });
      let transactionSeenLost = (): void => undefined;
      const lost = new Promise<void>((resolve) => (transactionSeenLost = resolve));
      let rest: Promise<unknown> = Promise.resolve();
      const doomed = sql.begin(async (transaction) => {
        await transaction`insert into notes values (7, 'first half')`;
        const pid = await backend(transaction);
        const secondHalf = transaction`insert into notes values (8, 'second half')`; // built now, sent when awaited
        rest = lost.then(async () => secondHalf);
        await sql`select pg_terminate_backend(${pid})`;
        await lost;
        await transaction`insert into notes values (9, 'third part')`;
      });
      expect(isConnectionFailure(await doomed.catch((e: unknown) => e))).toBe(true);
      await sql.begin((next) => next`select 1`);
      transactionSeenLost();
      expect(isConnectionFailure(await rest.catch((e: unknown) => e))).toBe(true);
      expect(await sql`select id from notes where id in (7, 8, 9)`).toEqual([]);
    });
  });
});

describe('a database that goes away', () => {
  let server: OwnPostgres;
  beforeAll(async () => {
    server = await startOwnPostgres();
  });
  afterAll(() => server.remove());

  it('settles every statement of a running load, reports failures as unavailable, and recovers', async () => {
    const { sql } = open(server.uri);
    const outcomes = { done: 0, unavailable: 0 };
    const unexpected: unknown[] = [];
    let loading = true;
    const statement = [
      () => sql`select pg_sleep(0.002)`,
      (n: number) => sql`select ${n}::int as number`,
      (n: number) =>
        sql.begin(async (transaction) => {
          await transaction`select ${n}::int as number`;
          await delay(1); // work that is not the database's, during which the connection may die
          await transaction`select pg_sleep(0.001)`;
        }),
    ];
    const client = async (_: unknown, number: number): Promise<void> => {
      for (let n = number; loading; n += 1) {
        const run = statement[n % statement.length];
        const outcome: unknown = await Promise.race([
          Promise.resolve(run?.(n)).then(
            () => 'done',
            (error: unknown) => error,
          ),
          delay(10_000, 'unsettled', { ref: false }),
        ]);
        if (outcome === 'done') outcomes.done += 1;
        else if (isConnectionFailure(outcome)) outcomes.unavailable += 1;
        else unexpected.push(outcome);
        await delay(1);
      }
    };
    const until = async (change: keyof typeof outcomes, more: number): Promise<void> => {
      for (const enough = outcomes[change] + more; outcomes[change] < enough;) await delay(5);
    };

    const clients = Array.from({ length: 60 }, client);
    for (const end of [server.stop, server.crash, server.stop, server.crash]) {
      await until('done', 200);
      await end();
      await until('unavailable', 200);
      await server.start();
    }
    await until('done', 200);
    loading = false;
    await Promise.all(clients);
    expect(unexpected).toEqual([]);
    expect(await sql`select 1 as one`).toEqual([{ one: 1 }]);
    expect(await sql.begin((transaction) => transaction`select 1 as one`)).toEqual([{ one: 1 }]);
  });

  it('may be opened before its server runs', async () => {
    await server.stop();
    const { sql } = open(server.uri);
    expect(isConnectionFailure(await sql`select 1`.catch((e: unknown) => e))).toBe(true);
    await server.start();
    expect(await sql`select 1 as one`).toEqual([{ one: 1 }]);
  });
});

describe('a failure elsewhere', () => {
  it.each(['ENOENT', 'ECONNREFUSED', 'ETIMEDOUT'])('is not reported as one of the database: %s', (code) => {
    expect(isConnectionFailure(Object.assign(new Error('of a file or a mail server'), { code }))).toBe(false);
    expect(isConnectionFailure(code)).toBe(false);
  });
});

describe('an address that is not a database', () => {
  const servers: Server[] = [];
  afterEach(() => {
    servers.splice(0).forEach((server) => server.close());
  });

  async function listen(handle: (socket: Socket) => void): Promise<string> {
    const server = createServer(handle).listen(0, '127.0.0.1');
    servers.push(server);
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo; // a TCP server's address is never a path
    return `postgres://nobody:nothing@127.0.0.1:${port}/none`;
  }

  const failures = async (database: Database): Promise<unknown[]> => {
    const statements = Array.from({ length: 40 }, (_, n) =>
      n % 2 ? database.sql`select 1` : database.sql.begin(() => Promise.resolve(n)),
    );
    return (await Promise.allSettled(statements)).map((result) =>
      result.status === 'rejected' ? result.reason : result,
    );
  };

  it('that accepts and hangs up, as a proxy without its server does, is an unavailable database', async () => {
    const uri = await listen((socket) => socket.end());
    for (const failure of await failures(open(uri))) expect(isConnectionFailure(failure), String(failure)).toBe(true);
  });

  it('that accepts and never answers is an unavailable database for all waiting callers', async () => {
    const silent: Socket[] = [];
    const uri = await listen((socket) => silent.push(socket));
    for (const failure of await failures(open(uri, { connectTimeoutMs: 300 }))) {
      expect(isConnectionFailure(failure), String(failure)).toBe(true);
    }
    silent.forEach((socket) => socket.destroy());
  });

  it.each([
    '',
    'localhost/name',
    'mysql://localhost/name',
    'postgres://one:5432,two:5432/name?target_session_attrs=standby',
  ])('is refused as an address: %j', (uri) => {
    expect(() => openDatabase(uri, { logger })).toThrow('database address');
  });
});
