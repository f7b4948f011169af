/** Servers remove old records once a day, by a store task; `plumbline prune` does so at once. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { pruneDatabase } from '../../../../src/cli/administration.js';
import { openDatabase, type Database } from '../../../../src/database/connection.js';
import { systemRandom } from '../../../../src/platform/random.js';
import { startRetention } from '../../../../src/platform/sources/retention/retention-rounds.js';
import { executeTaskInServer } from '../../../../src/platform/sources/store-tasks/execute-task.js';
import { startStoreTasks } from '../../../../src/platform/sources/store-tasks/store-tasks.js';
import { captureLog } from '../../../support/captured-log.js';
import { createTestDatabase, type TestDatabase } from '../../../support/postgres.js';
import { onlyId, storedRows, sync, testDependencies } from '../../../sync/harness.js';

import { eventually } from '../sync-runs/jobs/queue.js';

const retention = { auditDays: null, syncRunDays: 90, failedMailDays: 30 };
const DAY = 86_400_000;

let place: TestDatabase;
let database: Database;
let orgId: string;
let repoId: string;
/** The moment from which on records are kept for 10 days: the beginning of a day in UTC. */
const first = (): number => (Math.floor(Date.now() / DAY) - 10) * DAY;

beforeEach(async () => {
  place = await createTestDatabase();
  database = openDatabase(place.uri, { logger: captureLog().log });
  const [org] = await database.sql<{ id: string }[]>`insert into organizations (name) values ('Acme') returning id`;
  orgId = org?.id ?? '';
  const dependencies = testDependencies({ now: Date.now });
  const options = { provider: 'synthetic', db: place.uri, org: orgId, repoName: 'acme/api' };
  await sync({ ...options, target: 'deployments' }, dependencies);
  repoId = onlyId(await sync({ ...options, target: 'git' }, dependencies));
});
afterEach(async () => {
  await database.close();
  await place.drop();
});

async function commitsBefore(moment: number): Promise<number> {
  const rows = (await storedRows(place.uri, repoId))['git_commits'] ?? [];
  return rows.filter((row) => Math.max(Number(row['author_when']), Number(row['committer_when'])) < moment).length;
}

test('a server removes them once a day', async () => {
  const { sql } = database;
  const old = await commitsBefore(first());
  expect(old).toBeGreaterThan(0);
  const { log, lines } = captureLog();
  let now = new Date();
  const clock = { now: () => now };
  const tasks = startStoreTasks({
    ...{ sql, clock, random: systemRandom, log, store: place.uri, rulesFile: null, locks: null },
    ...{ execute: executeTaskInServer(), isWorking: true, recordDays: 10 },
  });
  const rounds = startRetention({ sql, clock, log, retention, recordDays: 10 });
  await rounds.drain();
  tasks.wake();
  await eventually(async () => (await sql`select 1 from record_prunes`).length).toBe(1);
  await eventually(async () => (await sql`select 1 from store_tasks`).length).toBe(0);
  expect(await commitsBefore(first())).toBe(0);
  const messages = lines.map((line) => JSON.parse(line) as object);
  expect(messages).toContainEqual(expect.objectContaining({ msg: 'old records deleted', org_id: orgId }));

  await tasks.stop();
  rounds.wake();
  await rounds.drain();
  expect(await sql`select 1 from store_tasks`).toHaveLength(0);
  now = new Date(now.getTime() + DAY + 1);
  rounds.wake();
  await rounds.drain();
  expect(await sql`select kind from store_tasks`).toEqual([{ kind: 'prune_records' }]);
  await rounds.stop();
});

test('a server keeps them where no period is set', async () => {
  const { sql } = database;
  const { log } = captureLog();
  const rounds = startRetention({ sql, clock: { now: () => new Date() }, log, retention, recordDays: null });
  await rounds.drain();
  expect(await sql`select 1 from store_tasks`).toHaveLength(0);
  await rounds.stop();
});

test('plumbline prune removes them, and prints how many', async () => {
  const old = await commitsBefore(first());
  const printed: unknown[] = [];
  const log = vi.spyOn(console, 'log').mockImplementation((line: unknown) => void printed.push(line));
  try {
    const environment = { DATABASE_URI: place.uri, RECORD_RETENTION_DAYS: '3000' };
    await pruneDatabase(environment, { recordDays: '10', dryRun: true });
    expect(printed).toContain(`Would delete ${old} old commits.`);
    expect(await commitsBefore(first())).toBe(old);
    await pruneDatabase(environment, {});
    expect(printed).toContain('Deleted 0 old commits.');
    await pruneDatabase(environment, { recordDays: '10' });
    expect(printed).toContain(`Deleted ${old} old commits.`);
  } finally {
    log.mockRestore();
  }
  expect(await commitsBefore(first())).toBe(0);
  expect(await database.sql`select 1 from record_prunes`).toHaveLength(1);
});
