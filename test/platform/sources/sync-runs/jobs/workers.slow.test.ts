import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { takeDueRuns } from '../../../../../src/platform/sources/sync-runs/jobs/sync-jobs.store.js';
import { startTestPlatform, type TestPlatform, type TestUser } from '../../../../support/platform.js';
import { createTestDatabase, type TestDatabase } from '../../../../support/postgres.js';
import { executeWithoutSleep, holdExecutions, eventually, queueOf, type HeldExecutions, type Queue } from './queue.js';

let database: TestDatabase;
let held: HeldExecutions;
let platform: TestPlatform;
let owner: TestUser;
let queue: Queue;
let others: TestPlatform[];

beforeEach(async () => {
  database = await createTestDatabase();
  held = holdExecutions();
  platform = await server(held.execute);
  others = [];
  owner = await platform.signUp();
  queue = queueOf(platform, owner);
});

afterEach(async () => {
  for (const each of [platform, ...others]) await each.stop();
  await database.drop();
});

function server(executeSync: HeldExecutions['execute'], environment = {}): Promise<TestPlatform> {
  const settings = { SYNC_JOBS: '2', ...environment };
  return startTestPlatform({ databaseUri: database.uri, environment: settings, executeSync });
}

async function another(executeSync: HeldExecutions['execute']): Promise<TestPlatform> {
  const started = await server(executeSync);
  others.push(started);
  return started;
}

async function configs(count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let index = 0; index < count; index += 1) ids.push(await queue.configure({ repositories: ['acme/api'] }));
  return ids;
}

describe('workers', () => {
  it('of several servers share one queue: each run is done once, with at most SYNC_JOBS at a time per server', async () => {
    const second = holdExecutions();
    await another(second.execute);
    const runs: (readonly [string, string])[] = [];
    for (const id of await configs(7)) runs.push([id, await queue.start(id)]);
    await eventually(() => [held.underWay(), second.underWay()]).toEqual([2, 2]);
    held.release();
    second.release();
    for (const [id, runId] of runs) await queue.until(id, runId, 'complete');
    expect(held.begun() + second.begun()).toBe(7);
    const attempts = await platform.database.sql`select distinct attempts from sync_runs`;
    expect([...attempts]).toEqual([{ attempts: 1 }]);
  });

  it('take up the next run as soon as there is room for it', async () => {
    await platform.stop();
    platform = await server(held.execute, { SYNC_JOBS: '1' });
    queue = queueOf(platform, owner);
    const runs: (readonly [string, string])[] = [];
    for (const id of await configs(3)) runs.push([id, await queue.start(id)]);
    await eventually(() => held.underWay()).toBe(1);
    held.release();
    for (const [id, runId] of runs) await queue.until(id, runId, 'complete');
  });

  it('take the runs of an organization with fewer running ones first, although others have waited longer', async () => {
    await platform.stop();
    platform = await server(held.execute, { SYNC_JOBS: '0' });
    const other = await platform.signUp();
    const [first, second] = [queueOf(platform, owner), queueOf(platform, other)];
    for (const each of [first, first, first, second]) {
      await each.start(await each.configure({ repositories: ['acme/api'] }));
    }
    const takeOne = async (): Promise<string | undefined> => {
      const options = { silenceSeconds: 60, limit: 1 };
      const [run] = await takeDueRuns(platform.database.sql, randomUUID(), platform.clock.now(), options);
      return run?.org_id;
    };
    const taken = [await takeOne(), await takeOne(), await takeOne(), await takeOne()];
    expect(taken).toEqual([owner.orgId, other.orgId, owner.orgId, owner.orgId]);
  });

  it('take no run if SYNC_JOBS is 0', async () => {
    await platform.stop();
    platform = await server(executeWithoutSleep, { SYNC_JOBS: '0' });
    queue = queueOf(platform, owner);
    const [id = ''] = await configs(1);
    const runId = await queue.start(id);
    platform.running.syncJobs.wake();
    await another(executeWithoutSleep);
    await queue.until(id, runId, 'complete'); // by the other server, so that the wait for nothing has an end
    expect(platform.logLines.join('')).not.toContain('sync run started');
  });

  it('stop a cancelled run, and write nothing more of it', async () => {
    const [id = ''] = await configs(1);
    const runId = await queue.start(id);
    await queue.until(id, runId, 'running');
    await queue.cancel(id, runId);
    expect((await queue.read(id, runId)).status).toBe('cancelled');
    await eventually(() => held.underWay()).toBe(0);
    const again = await queue.start(id);
    held.release();
    await queue.until(id, again, 'complete');
    expect(await queue.read(id, runId)).toMatchObject({ status: 'cancelled', error: null });
  });

  it('stop a run that was cancelled through another server', async () => {
    const [id = ''] = await configs(1);
    const runId = await queue.start(id);
    await queue.until(id, runId, 'running');
    const other = await another(holdExecutions().execute);
    await queueOf(other, owner).cancel(id, runId);
    await eventually(() => held.underWay()).toBe(0);
    expect(held.begun()).toBe(1);
  });

  it('put a run back when their server stops; it continues on another one and does not count as an attempt', async () => {
    const [id = ''] = await configs(1);
    const runId = await queue.start(id);
    await queue.until(id, runId, 'running');
    await platform.running.stop();
    const other = await another(holdExecutions().execute);
    const row = async () => {
      const [found] = await other.database.sql`select status, attempts from sync_runs where id = ${runId}`;
      return found;
    };
    await eventually(row).toEqual({ status: 'running', attempts: 1 });
    await other.running.stop();
    platform = await server(executeWithoutSleep);
    await queueOf(platform, owner).until(id, runId, 'complete');
  });

  it('take over the run of a worker without a heartbeat, which then loses it', async () => {
    const [id = ''] = await configs(1);
    const runId = await queue.start(id);
    await queue.until(id, runId, 'running');
    const other = await server(executeWithoutSleep, { SYNC_JOBS: '1' });
    others.push(other);
    other.clock.advance(120);
    other.running.syncJobs.wake();
    await queueOf(other, owner).until(id, runId, 'complete');
    await eventually(() => held.underWay()).toBe(0);
    expect(await queue.read(id, runId)).toMatchObject({ status: 'complete', error: null });
    expect(platform.logLines.join('')).toContain('sync run was ended elsewhere');
  });

  it('give up a run whose workers die again and again', async () => {
    const [id = ''] = await configs(1);
    await platform.running.stop();
    platform = await server(executeWithoutSleep, { SYNC_JOBS: '0' });
    queue = queueOf(platform, owner);
    const runId = await queue.start(id);
    await platform.database.sql`
      update sync_runs set status = 'running', attempts = 6, started_at = created_at, heartbeat_at = created_at
      where id = ${runId}`;
    const other = await server(executeWithoutSleep);
    others.push(other);
    other.clock.advance(120);
    other.running.syncJobs.wake();
    const run = await queue.until(id, runId, 'failed');
    expect(run.error).toBe('The sync process died repeatedly.');
  });
});
