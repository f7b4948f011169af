import { afterEach, beforeEach, expect, test } from 'vitest';
import { migrate } from '../../../src/database/migrate.js';
import { captureLog } from '../../support/captured-log.js';
import { startTestPlatform, type TestPlatform, type TestUser } from '../../support/platform.js';
import { startOwnPostgres, type OwnPostgres } from '../../support/postgres.js';
import { expectEachMailOnce, served, startLoad, unavailable } from './load.js';

let postgres: OwnPostgres;
let platform: TestPlatform;
let owner: TestUser;
beforeEach(async () => {
  postgres = await startOwnPostgres();
  await migrate(postgres.uri, { logger: captureLog().log });
  platform = await startTestPlatform({ databaseUri: postgres.uri });
  owner = await platform.signUp();
});
afterEach(async () => {
  await platform.stop();
  await postgres.remove();
});

test.each(['stop', 'crash'] as const)(
  '%s of the database under load: 503 until it is up again, and each mail is sent once',
  async (end) => {
    const load = startLoad(platform, owner);
    for (let outage = 1; outage <= 2; outage++) {
      await load.until(served, 40);
      await postgres[end]();
      await load.until(unavailable, 40);
      expect((await platform.json('GET', '/health/live')).status).toBe(200);
      expect((await platform.json('GET', '/health/ready')).status).toBe(503);
      await postgres.start();
    }
    await load.until(served, 40);
    const replies = await load.stop();

    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200, 201, 503]));
    expect((await platform.json('GET', '/health/ready')).status).toBe(200);

    await expectEachMailOnce(platform, replies);
  },
);

test('a server that is stopped while the database is down stops', async () => {
  const load = startLoad(platform, owner);
  await load.until(served, 10);
  await postgres.crash();
  await load.until(unavailable, 10);
  await load.stop();
  await platform.running.stop();
  await expect(fetch(`${platform.url}/health/live`)).rejects.toThrow('fetch failed');
  await postgres.start();
});
