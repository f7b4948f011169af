import postgres from 'postgres';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startTestPlatform, type JsonReply, type TestPlatform, type TestUser } from '../../support/platform.js';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.js';

let database: TestDatabase;
let platform: TestPlatform;
let user: TestUser;
let other: postgres.Sql;
beforeEach(async () => {
  database = await createTestDatabase();
  // It looks for deadlocks later than the server does, so that PostgreSQL ends the transaction of the server.
  other = postgres(database.uri, { max: 1, connection: { deadlock_timeout: 600_000 } });
  const name = new URL(database.uri).pathname.slice(1);
  await other.unsafe(`alter database ${name} set default_transaction_isolation = 'repeatable read'`);
  platform = await startTestPlatform({ databaseUri: database.uri });
  user = await platform.signUp();
});
afterEach(async () => {
  await other.end();
  await platform.stop();
  await database.drop();
});

const rename = (): Promise<JsonReply> =>
  platform.json('PATCH', '/api/v1/auth/me', { token: user.accessToken, body: { full_name: 'Ada' } });

async function aStatementWaits(): Promise<void> {
  const waiting = async (): Promise<boolean> =>
    (
      await platform.database.sql`select from pg_locks where not granted and pid in (
      select pid from pg_stat_activity where datname = current_database())`
    ).length > 0;
  await vi.waitUntil(waiting, { timeout: 20_000, interval: 50 });
}

async function expectRefusal(reply: Promise<JsonReply>): Promise<void> {
  const { status, body, headers } = await reply;
  expect([status, body.message]).toEqual([503, 'Another request changed the same data. Try again soon.']);
  expect(headers.get('Retry-After')).toBe('1');
  expect((await rename()).status).toBe(200);
}

test('a serialization failure is answered 503 with Retry-After, and the next attempt succeeds', async () => {
  const { renaming } = await other.begin(async (transaction) => {
    await transaction`update users set updated_at = now() where email = ${user.email}`;
    const sent = rename();
    await aStatementWaits();
    return { renaming: sent };
  });
  await expectRefusal(renaming);
});

test('a deadlock is answered 503 with Retry-After, and the next attempt succeeds', async () => {
  await other.unsafe(`
    create function wait_for_lock() returns trigger language plpgsql as
      'begin perform pg_advisory_xact_lock(12); return null; end';
    create trigger wait_for_lock after update on users for each row execute function wait_for_lock()`);
  const { renaming } = await other.begin('isolation level read committed', async (transaction) => {
    await transaction`select pg_advisory_xact_lock(12)`;
    const sent = rename();
    await aStatementWaits();
    await transaction`update users set updated_at = now() where email = ${user.email}`;
    return { renaming: sent };
  });
  await expectRefusal(renaming);
});
