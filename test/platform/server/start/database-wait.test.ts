import { afterAll, beforeAll, expect, test } from 'vitest';
import { migrate } from '../../../../src/database/migrate.js';
import { waitForDatabase } from '../../../../src/platform/server/start/database-wait.js';
import { captureLog } from '../../../support/captured-log.js';
import { freePort } from '../../../support/free-port.js';
import { createEmptyDatabase, type TestDatabase } from '../../../support/postgres.js';
import { startSilentProxy } from '../../../support/silent-proxy.js';

let database: TestDatabase;
beforeAll(async () => {
  database = await createEmptyDatabase();
});
afterAll(() => database.drop());

/** The address of the database behind `port`. */
function addressAt(port: number): string {
  const address = new URL(database.uri);
  address.hostname = '127.0.0.1';
  address.port = String(port);
  return address.href;
}

/** A signal that nobody aborts. */
const never = new AbortController().signal;

test('A start continues once the database answers, and has said that it waits', async () => {
  const port = await freePort();
  const { log, lines } = captureLog('warn');
  const migrated = waitForDatabase(() => migrate(addressAt(port), { logger: log }), {
    seconds: 60,
    signal: never,
    log,
  });
  await expect.poll(() => lines.length).toBe(1);
  const proxy = await startSilentProxy(Number(new URL(database.uri).port), port);
  try {
    expect((await migrated).applied).not.toEqual([]);
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      code: 'ECONNREFUSED',
      seconds: 60,
      msg: 'waiting for the database, which is unreachable',
    });
  } finally {
    await proxy.stop();
  }
});

test('A start gives up when the time has passed, and at once where there is none', async () => {
  for (const [seconds, warnings] of [
    [2, 1],
    [0, 0],
  ] as const) {
    const address = addressAt(await freePort());
    const { log, lines } = captureLog('warn');
    const migrated = waitForDatabase(() => migrate(address, { logger: log }), { seconds, signal: never, log });
    await expect(migrated).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    expect(lines).toHaveLength(warnings);
  }
});

test('A start that is asked to end does not wait any longer', async () => {
  const address = addressAt(await freePort());
  const { log, lines } = captureLog('warn');
  const ending = new AbortController();
  const migrated = waitForDatabase(() => migrate(address, { logger: log }), {
    ...{ seconds: 3600, signal: ending.signal, log },
  });
  await expect.poll(() => lines.length).toBe(1);
  ending.abort();
  await expect(migrated).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});

test('A start does not wait for a database that refuses its password', async () => {
  const address = new URL(database.uri);
  address.password = 'wrong';
  const { log, lines } = captureLog('warn');
  const options = { seconds: 3600, signal: never, log };
  await expect(waitForDatabase(() => migrate(address.href, { logger: log }), options)).rejects.toMatchObject({
    code: '28P01',
  });
  expect(lines).toEqual([]);
});
