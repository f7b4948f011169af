import pino from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openDatabase } from '../../src/database/connection.js';
import { migrate } from '../../src/database/migrate.js';
import { startPgBouncer, withoutPgBouncer, type PgBouncer } from '../support/pgbouncer.js';
import { createEmptyDatabase, type TestDatabase } from '../support/postgres.js';

const logger = pino({ level: 'silent' });
let database: TestDatabase;
let pooler: PgBouncer | undefined;

beforeEach(async () => {
  database = await createEmptyDatabase();
});

afterEach(async () => {
  await pooler?.stop();
  await database.drop();
});

const pooled = ({ uri }: PgBouncer): string => `${uri}?pooler=transaction`;

describe.skipIf(withoutPgBouncer !== '')(`behind PgBouncer in transaction mode${withoutPgBouncer}`, () => {
  test('several servers migrate at once, and no lock remains', async () => {
    pooler = await startPgBouncer(database.uri);
    const uri = pooled(pooler);
    const reports = await Promise.all(Array.from({ length: 5 }, () => migrate(uri, { logger })));
    expect(reports.filter(({ applied }) => applied.length > 0)).toHaveLength(1);
    const direct = openDatabase(database.uri, { logger });
    const left = await direct.sql`
      select 1 from pg_locks
       where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())`;
    expect(left).toEqual([]);
    await direct.close();
    expect((await migrate(uri, { logger })).applied).toEqual([]);
  });

  test('a server that waits for another migration says so', async () => {
    const lines: string[] = [];
    const log = pino({}, { write: (line) => lines.push(line) });
    pooler = await startPgBouncer(database.uri);
    const uri = pooled(pooler);
    await Promise.all([migrate(uri, { logger: log }), migrate(uri, { logger: log }), migrate(uri, { logger: log })]);
    expect(lines.filter((line) => line.includes('Waiting for another migration'))).not.toEqual([]);
  });

  test('transactions keep their time limits, and statements run on any connection', async () => {
    pooler = await startPgBouncer(database.uri);
    const { sql, close } = openDatabase(pooled(pooler), { logger, statementTimeoutMs: 300 });
    const value = (n: number): Promise<unknown> => sql`select ${n}::int as n`.then(([row]) => row?.['n']);
    expect(await Promise.all(Array.from({ length: 40 }, (_, n) => value(n)))).toEqual(
      Array.from({ length: 40 }, (_, n) => n),
    );
    await expect(sql.begin((transaction) => transaction`select pg_sleep(5)`)).rejects.toMatchObject({ code: '57014' });
    expect(await sql`select setting from pg_settings where name = 'statement_timeout'`).toEqual([{ setting: '0' }]);
    await close();
  });

  test.each([
    ['refuses', []],
    ['ignores', ['ignore_startup_parameters = statement_timeout,idle_in_transaction_session_timeout']],
  ])(
    'a pooler that %s startup parameters is recognized, and the error names the missing parameter',
    async (_, settings) => {
      pooler = await startPgBouncer(database.uri, settings);
      await expect(migrate(pooler.uri, { logger })).rejects.toThrow('append ?pooler=transaction');
    },
  );
});
