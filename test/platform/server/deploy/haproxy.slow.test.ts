import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import postgres from 'postgres';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { plumbline, startServer, type ServerProcess } from '../../../cli/plumbline.js';
import { startHaproxy, withoutHaproxy, type Haproxy } from '../../../support/haproxy.js';
import { startMailbox, type Mailbox } from '../../../support/mailbox.js';
import { createTestDatabase, type TestDatabase } from '../../../support/postgres.js';
import { startLoad } from '../../service/load.js';
import {
  configureSync,
  expectEachMailedOnce,
  jsonTo,
  loginTo,
  serverSettings,
  signUpOwner,
} from './several-servers.js';

const skipped = withoutHaproxy !== '' ? withoutHaproxy : process.platform === 'linux' ? '' : ' (skipped: needs /proc)';
const validations = 30;
const rotations = 3;
const kills = 3;

describe.skipIf(skipped !== '')(`Three servers behind HAProxy${skipped}`, () => {
  let database: TestDatabase;
  let mailbox: Mailbox;
  let servers: ServerProcess[];
  let proxy: Haproxy;
  let environment: Record<string, string>;

  beforeEach(async () => {
    [database, mailbox] = await Promise.all([createTestDatabase(), startMailbox()]);
    environment = {
      ...serverSettings(database.uri, mailbox.url),
      TRUSTED_PROXIES: '127.0.0.1',
      AUTH_VALIDATE_LIMIT: `${validations}/hour`,
    };
    servers = await Promise.all([1, 2, 3].map(() => startServer({ environment })));
    proxy = await startHaproxy(servers.map(({ url }) => url));
  });

  afterEach(async () => {
    await proxy.stop();
    for (const server of servers) server.kill('SIGKILL');
    await Promise.all(servers.map(({ finished }) => finished));
    await Promise.all([mailbox.stop(), database.drop()]);
  });

  test(
    'answer a load without an error while workers of syncs are killed and keys are rotated',
    { timeout: 500_000 },
    async () => {
      const json = jsonTo(proxy.url);
      const { email, accessToken, orgId } = await signUpOwner(json, mailbox);
      const runs = await configureSync(json, accessToken);
      const start = async (): Promise<string> => (await json('POST', runs, { token: accessToken })).body.id;
      const statusOf = async (run: string): Promise<string> =>
        (await json('GET', `${runs}/${run}`, { token: accessToken })).body.status;

      const sql = postgres(database.uri, { max: 1 });
      const began = performance.now();
      const load = startLoad({ json }, { accessToken, orgId });
      const disturbed = await start();
      // A run whose worker died waits for its next attempt; this test does not.
      const retryNow = (): Promise<unknown> =>
        sql`update sync_runs set available_at = now() where status = 'pending' and available_at > now()`;
      const killed = await killWorkers(() => statusOf(disturbed), retryNow);
      for (let rotation = 0; rotation < rotations; rotation++) {
        const { exitCode, stderr } = await plumbline(['keys', 'rotate'], { environment });
        expect(exitCode, stderr).toBe(0);
        // Whichever server signed it, each of them knows the key.
        const token = await loginTo(json, email);
        const seen = await Promise.all(servers.map(() => json('GET', '/api/v1/auth/me', { token })));
        expect(seen.map(({ status }) => status)).toEqual([200, 200, 200]);
      }
      const replies = await load.stop();
      const seconds = (performance.now() - began) / 1000;
      const hasCompleted = async (run: string): Promise<boolean> => {
        await retryNow();
        return (await statusOf(run)) === 'complete';
      };
      await vi.waitUntil(() => hasCompleted(disturbed), { timeout: 90_000, interval: 500 });
      expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200, 201]));
      expect(killed).toBeGreaterThan(0);

      const rowsOf = async (): Promise<unknown> =>
        sql`select (select count(*) from git_commits), (select count(*) from git_pull_requests), (select count(*) from work_units)`;
      const rows = await rowsOf();
      const again = await start();
      await vi.waitUntil(() => hasCompleted(again), { timeout: 60_000, interval: 500 });
      expect(await rowsOf()).toEqual(rows);

      const addresses = await expectEachMailedOnce(sql, mailbox, replies);
      await sql.end();

      const body = { token: accessToken };
      const validated = await Promise.all(
        Array.from({ length: validations * 2 }, () => json('POST', '/api/v1/auth/validate', { body })),
      );
      const limited = validated.filter(({ status }) => status === 429).length;
      expect(limited).toBe(validations);

      console.info(
        `Three servers behind HAProxy: ${replies.length} requests in ${seconds.toFixed(1)} s, all answered 200 or 201; ` +
          `${killed} workers killed, ${rotations} keys rotated, ${mailbox.mails.length} mails for ${addresses} ` +
          `addresses; ${limited} of ${validated.length} requests over a shared limit of ${validations} refused.`,
      );
    },
  );

  /** Kills workers of the servers one after another, until enough are killed or the run has ended. */
  async function killWorkers(status: () => Promise<string>, retryNow: () => Promise<unknown>): Promise<number> {
    let killed = 0;
    while (killed < kills && !['complete', 'failed', 'partial'].includes(await status())) {
      const [worker] = await workersOf(servers.map(({ pid }) => pid));
      await delay(Math.random() * 400); // anywhere in its work
      if (worker !== undefined && killProcess(worker)) killed += 1;
      await retryNow();
    }
    return killed;
  }
});

/** The processes of syncs, which are children of the servers. */
async function workersOf(parents: readonly number[]): Promise<number[]> {
  const workers: number[] = [];
  for (const entry of await readdir('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    const status = await readFile(`/proc/${entry}/status`, 'utf8').catch(() => '');
    const command = await readFile(`/proc/${entry}/cmdline`, 'utf8').catch(() => '');
    const parent = Number(/^PPid:\s+(\d+)/m.exec(status)?.[1]);
    if (parents.includes(parent) && command.includes('process-main')) workers.push(Number(entry));
  }
  return workers;
}

/** @returns whether the process still ran */
function killProcess(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGKILL');
  } catch {
    return false;
  }
}
