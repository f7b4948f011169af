import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '../../src/database/connection.js';
import { startEmbeddedPostgres } from '../../src/database/embedded.js';
import { captureLog } from '../support/captured-log.js';
import { postmasterPid } from '../support/postgres.js';

test('a killed server is restarted for all its users, and stops with the last of them', async () => {
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

test('a server whose port another program takes restarts on that port when it is free again', async () => {
  const home = await mkdtemp(join(tmpdir(), 'plumbline-supervised-'));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  const { log, lines } = captureLog();
  const user = await startEmbeddedPostgres({ home, logger: log, durable: false });
  onTestFinished(() => user.stop());
  const database = openDatabase(user.uri, { logger: log });
  onTestFinished(() => database.close());

  const other = createServer();
  process.kill(postmasterPid(home), 'SIGKILL');
  const takePort = (): Promise<boolean> =>
    new Promise((resolve) => {
      other.once('error', () => {
        resolve(false);
      });
      other.listen({ host: '127.0.0.1', port: Number(new URL(user.uri).port) }, () => {
        resolve(true);
      });
    });
  await expect.poll(takePort, { interval: 5 }).toBe(true);
  await expect
    .poll(() => lines.join('\n'), { timeout: 30_000 })
    .toContain('The embedded PostgreSQL could not be restarted');
  await new Promise((resolve) => other.close(resolve));

  const read = (): Promise<unknown> => database.sql`select 1 as number`.catch(() => null);
  await expect.poll(read, { timeout: 30_000 }).toEqual([{ number: 1 }]);
});
