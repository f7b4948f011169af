import { afterAll, beforeAll, expect, test } from 'vitest';
import { migrate } from '../../../src/database/migrate.js';
import { openDatabase } from '../../../src/database/connection.js';
import { captureLog } from '../../support/captured-log.js';
import { startTestPlatform, type TestPlatform } from '../../support/platform.js';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.js';

const { log } = captureLog();
let database: TestDatabase;
let platform: TestPlatform;
beforeAll(async () => {
  database = await createTestDatabase();
  platform = await startTestPlatform({ databaseUri: database.uri });
});
afterAll(async () => {
  await platform.stop();
  await database.drop();
});

/** New sessions are read-only, as on a standby, or no longer; sessions that are open end. */
async function setReadOnly(mode: 'on' | 'off'): Promise<void> {
  const admin = openDatabase(database.uri, { logger: log });
  const name = new URL(database.uri).pathname.slice(1);
  await admin.sql.begin('read write', async (transaction) => {
    await transaction.unsafe(`alter database ${name} set default_transaction_read_only = ${mode}`);
  });
  await admin.sql`select pg_terminate_backend(pid) from pg_stat_activity
                  where datname = ${name} and pid <> pg_backend_pid()`;
  await admin.close();
}

test('a database that takes no writes: 503, until it takes them again', async () => {
  const user = await platform.signUp();
  const body = { email: 'someone@example.com', password: 'seven quiet rivers 7' };
  const register = async (): Promise<number> => (await platform.json('POST', '/api/v1/auth/register', { body })).status;

  await setReadOnly('on');
  expect(await register()).toBe(503);
  const switchOrg = { token: user.accessToken, body: { org_id: user.orgId } };
  expect((await platform.json('POST', '/api/v1/auth/switch-org', switchOrg)).status).toBe(503);
  const ready = await platform.json('GET', '/health/ready');
  expect([ready.status, ready.body.message]).toEqual([503, 'The database takes no writes at present. Try again soon.']);
  await expect(migrate(database.uri, { logger: log })).rejects.toThrow(
    'The database is read-only: it is a standby, or a setting makes it read-only. Set DATABASE_URI to the primary server.',
  );

  await setReadOnly('off');
  expect(await register()).toBe(201);
  expect((await platform.json('GET', '/health/ready')).status).toBe(200);
});
