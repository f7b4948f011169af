import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestPlatform, type TestPlatform } from '../../../support/platform.js';
import { createTestDatabase, type TestDatabase } from '../../../support/postgres.js';
import { login, simultaneously } from './requests.js';
import { storedUser } from './stored.js';

/** Two servers with different work factors on one database. */
let database: TestDatabase;
let cheap: TestPlatform;
let costly: TestPlatform;
beforeAll(async () => {
  database = await createTestDatabase();
  cheap = await startTestPlatform({ databaseUri: database.uri, environment: { AUTH_BCRYPT_COST: '4' } });
  costly = await startTestPlatform({
    databaseUri: database.uri,
    mailbox: cheap.mailbox,
    environment: { AUTH_BCRYPT_COST: '5' },
  });
});
afterAll(async () => {
  await costly.stop();
  await cheap.stop();
  await database.drop();
});

const costOf = async (email: string): Promise<string | undefined> =>
  (await storedUser(cheap, email)).password_hash?.slice(4, 6);

describe('a login with a hash of a lower cost', () => {
  it('succeeds for all of six at once, and raises the cost', async () => {
    const { email } = await cheap.signUp({ organization: null });
    expect(await costOf(email)).toBe('04');
    const replies = await simultaneously(6, () => login(costly, email));
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
    expect(await costOf(email)).toBe('05');
  });

  it('fails with another password, and keeps the hash', async () => {
    const { email } = await cheap.signUp({ organization: null });
    expect((await login(costly, email, 'another quiet river 8')).status).toBe(401);
    expect(await costOf(email)).toBe('04');
  });
});

describe('a login with a hash of a higher cost', () => {
  it('does not change it', async () => {
    const { email } = await costly.signUp({ organization: null });
    expect((await login(cheap, email)).status).toBe(200);
    expect(await costOf(email)).toBe('05');
  });
});
