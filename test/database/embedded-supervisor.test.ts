import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '../../src/database/connection.js';
import { startEmbeddedPostgres } from '../../src/database/embedded.js';
import { captureLog } from '../support/captured-log.js';
import { postmasterPid } from '../support/postgres.js';

test('a server that is killed runs again for all that use it, and ends with the last of them', async () => {
  const home = await mkdtemp(join(tmpdir(), 'plumbline-supervised-'));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  const { log, lines } = captureLog();
  const users = [
    await startEmbeddedPostgres({ home, logger: log, durable: false }),
    await startEmbeddedPostgres({ home, logger: log, durable: false }),
  ] as const;
  const database = openDatabase(users[0].uri, { logger: log });
  await database.sql`create table kept as select 1 as number`;
  for (let death = 1; death <= 2; death++) {
    const pid = postmasterPid(home);
    process.kill(pid, 'SIGKILL');
    const read = async (): Promise<unknown> => {
      try {
        return [postmasterPid(home) !== pid, await database.sql`select number from kept`];
      } catch {
        return null; // until it is back
      }
    };
    await expect.poll(read, { timeout: 30_000 }).toEqual([true, [{ number: 1 }]]);
  }
  await database.close();
  await users[0].stop();
  expect(postmasterPid(home)).toBeGreaterThan(0);
  await users[1].stop();
  expect(existsSync(join(home, 'postgres', 'data', 'postmaster.pid'))).toBe(false);
  expect(lines.join('\n')).toContain('The embedded PostgreSQL has died; restarting it');
});
