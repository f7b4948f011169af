import { expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '../../../../src/database/connection.js';
import { systemClock } from '../../../../src/platform/clock.js';
import { startMailDispatcher } from '../../../../src/platform/messages/mail/dispatcher.js';
import { createMailboxTransport } from '../../../../src/platform/messages/mail/transport.js';
import { createSecretBox } from '../../../../src/platform/server/secrets/secret-box.js';
import { captureLog } from '../../../support/captured-log.js';
import { createTestDatabase } from '../../../support/postgres.js';

/** A dispatcher on a real database, whose first round waits until `fail` is called. */
async function dispatcher(): Promise<{ readonly drain: () => Promise<void>; readonly fail: () => void }> {
  const { log } = captureLog();
  const { uri, drop } = await createTestDatabase();
  onTestFinished(drop);
  const database = openDatabase(uri, { logger: log });
  onTestFinished(() => database.close());
  let fail: (error: Error) => void = () => undefined;
  const first = new Promise<boolean>((_, reject) => (fail = reject));
  let rounds = 0;
  const mails = startMailDispatcher({
    sql: database.sql,
    secrets: createSecretBox(Buffer.alloc(32, 7)),
    transport: createMailboxTransport('/nonexistent', 'a@example.com', log, true), // No mail is due.
    clock: systemClock,
    log,
    observed: () => undefined,
    collect: () => (rounds++ === 0 ? first : Promise.resolve(false)),
  });
  onTestFinished(() => mails.stop(0));
  return {
    drain: mails.drain,
    fail: () => {
      fail(new Error('the database system is starting up'));
    },
  };
}

test('a request during a failing round gets another round, and does not fail', async () => {
  const { drain, fail } = await dispatcher();
  const first = drain();
  const second = drain();
  fail();
  await expect(Promise.all([first, second])).resolves.toBeDefined();
});

test('a failing round without a later request reports the failure', async () => {
  const { drain, fail } = await dispatcher();
  const only = drain();
  fail();
  await expect(only).rejects.toThrow('the database system is starting up');
});
