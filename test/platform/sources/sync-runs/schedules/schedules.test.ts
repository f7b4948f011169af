import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import postgres from 'postgres';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { queueRequestedSyncs } from '../../../../../src/platform/sources/sync-runs/queue-requested-syncs.js';
import { createStandingClock, type MovableClock } from '../../../../support/clock.js';
import { startTestPlatform, type JsonReply, type TestPlatform, type TestUser } from '../../../../support/platform.js';
import { createTestDatabase, type TestDatabase } from '../../../../support/postgres.js';

const hour = 3600;
const day = 24 * hour;

let database: TestDatabase;
let clock: MovableClock;
let platform: TestPlatform;
let owner: TestUser;
const servers: TestPlatform[] = [];

async function server(environment: Readonly<Record<string, string>> = {}): Promise<TestPlatform> {
  const started = await startTestPlatform({ databaseUri: database.uri, clock, environment });
  servers.push(started);
  return started;
}

beforeEach(async () => {
  database = await createTestDatabase();
  clock = createStandingClock();
  platform = await server();
  owner = await platform.signUp();
});

afterEach(async () => {
  for (const each of servers.splice(0)) await each.stop();
  await database.drop();
});

async function send(method: string, path: string, body?: unknown): Promise<JsonReply> {
  const credentials = { email: owner.email, password: owner.password };
  const login = await platform.json('POST', '/api/v1/auth/login', { body: credentials }); // time has passed
  return platform.json(method, `/api/v1/admin/${path}`, { token: String(login.body.access_token), body });
}

async function configure(schedule: string | null, change: object = {}): Promise<string> {
  const body = { name: randomUUID(), provider: 'synthetic', targets: ['git'], repositories: ['acme/api'], schedule };
  const reply = await send('POST', 'sync-configs', { ...body, ...change });
  expect(reply.status, JSON.stringify(reply.body)).toBe(201);
  return String(reply.body.id);
}

const read = async (id: string): Promise<JsonReply['body']> => (await send('GET', `sync-configs/${id}`)).body;

async function runsOf(id: string): Promise<readonly { readonly id: string; readonly requested_by: string | null }[]> {
  const rows = await platform.database.sql<{ id: string; requested_by: string | null }[]>`
    select id, requested_by from sync_runs where sync_config_id = ${id} order by created_at`;
  return [...rows];
}

/** Ends the pending or running run of a configuration, as a worker does. */
async function end(id: string, status: 'complete' | 'failed', error: string | null = null): Promise<void> {
  await platform.database.sql`
    update sync_runs set status = ${status}, error = ${error}, started_at = created_at, finished_at = ${clock.now()}
    where sync_config_id = ${id} and status in ('pending', 'running')`;
}

/** Moves the clock to the next run of a configuration, and lets the server look. */
async function reachNextRun(id: string): Promise<void> {
  clock.advance((Date.parse((await read(id)).next_run_at) - clock.now().getTime()) / 1000);
  await platform.running.syncSchedules.drain();
}

describe('a configuration with a schedule', () => {
  it('tells when it runs next, and is on request without one', async () => {
    const id = await configure('hourly');
    const { schedule, next_run_at: next, failed_runs: failed } = await read(id);
    expect({ schedule, failed }).toEqual({ schedule: 'hourly', failed: 0 });
    const ahead = Date.parse(next) - clock.now().getTime();
    expect(ahead).toBeGreaterThan(0);
    expect(ahead).toBeLessThanOrEqual(hour * 1000);
    clock.advance(1);
    expect(await read(await configure(null))).toMatchObject({ schedule: null, next_run_at: null });
    const { body } = await send('GET', 'sync-configs');
    expect(body.items.map((each: { next_run_at: string }) => each.next_run_at)).toEqual([next, null]);
  });

  it('is refused if it would run too often or never', async () => {
    const body = { name: 'All', provider: 'synthetic', targets: ['git'], repositories: ['acme/api'] };
    for (const schedule of ['*/5 * * * *', '0 0 30 2 *']) {
      const created = await send('POST', 'sync-configs', { ...body, schedule });
      expect(created.status).toBe(422);
      expect(created.body.violations).toMatchObject([{ path: '/body/schedule', rule: 'schedule' }]);
    }
    const id = await configure('daily');
    expect((await send('PATCH', `sync-configs/${id}`, { schedule: '* * * * *' })).status).toBe(422);
    expect((await send('PATCH', `sync-configs/${id}`, { schedule: 'weekly' })).status).toBe(422);
    expect(await read(id)).toMatchObject({ schedule: 'daily' });
  });

  it('can be changed, switched off with its runs, and removed', async () => {
    const id = await configure('daily');
    const path = `sync-configs/${id}`;
    const changed = await send('PATCH', path, { schedule: '30 6 * * 1-5' });
    expect(changed.body.schedule).toBe('30 6 * * 1-5');
    expect(changed.body.next_run_at).toMatch(/T06:3[0-4]:/);
    expect((await send('PATCH', path, { is_active: false })).body).toMatchObject({
      schedule: '30 6 * * 1-5',
      next_run_at: null,
    });
    clock.advance(7 * day);
    await platform.running.syncSchedules.drain();
    expect(await runsOf(id)).toEqual([]);
    const { body } = await send('PATCH', path, { is_active: true });
    expect(Date.parse(body.next_run_at)).toBeGreaterThan(clock.now().getTime());
    expect((await send('PATCH', path, { schedule: null })).body).toMatchObject({ schedule: null, next_run_at: null });
  });

  it('cannot be that of demo data', async () => {
    const { body } = await send('POST', 'demo-data');
    const reply = await send('PATCH', `sync-configs/${body.sync_config_id}`, { schedule: 'daily' });
    expect(reply.body.violations).toMatchObject([{ path: '/body/schedule', rule: 'const' }]);
    expect((await send('PATCH', `sync-configs/${body.sync_config_id}`, { schedule: null })).status).toBe(200);
  });
});

describe('a schedule', () => {
  it('starts a run when its time has come, with an audit record, by nobody', async () => {
    const id = await configure('hourly');
    await platform.running.syncSchedules.drain();
    expect(await runsOf(id)).toEqual([]);
    await reachNextRun(id);
    const [run] = await runsOf(id);
    expect(run).toMatchObject({ requested_by: null });
    const { body } = await send('GET', 'audit-log?action=SYNC_STARTED');
    expect(body.items).toMatchObject([
      {
        resource_id: run?.id,
        user_id: null,
        service_token_id: null,
        note: 'schedule hourly',
        ip: null,
        request_id: null,
      },
    ]);
    expect(platform.logLines.join('')).toContain(`"run_id":"${run?.id}"`);
    expect(Date.parse((await read(id)).next_run_at) - clock.now().getTime()).toBe(hour * 1000);
  });

  it('starts one run, also with several servers', async () => {
    const others = await Promise.all([server(), server()]);
    const ids = await Promise.all(Array.from({ length: 8 }, () => configure('hourly')));
    clock.advance(hour);
    const all = [platform, ...others];
    await Promise.all(all.map((each) => each.running.syncSchedules.drain()));
    for (const id of ids) expect(await runsOf(id)).toHaveLength(1);
    for (const id of ids) await end(id, 'complete');
    await Promise.all(all.map((each) => each.running.syncSchedules.drain()));
    for (const id of ids) expect(await runsOf(id)).toHaveLength(1);
    const metrics = await Promise.all(all.map(async (each) => String((await each.json('GET', '/metrics')).body)));
    const started = metrics.map((text) =>
      Number(/sync_schedules_total\{outcome="started"\} (\d+)/.exec(text)?.[1] ?? 0),
    );
    expect(started.reduce((sum, each) => sum + each)).toBe(8);
  });

  it('is left to other servers if SYNC_SCHEDULES is false', async () => {
    await platform.stop();
    servers.splice(0);
    platform = await server({ SYNC_SCHEDULES: 'false' });
    const id = await configure('hourly');
    clock.advance(hour);
    await platform.running.syncSchedules.drain();
    expect(await runsOf(id)).toEqual([]);
    const metrics = String((await platform.json('GET', '/metrics')).body);
    expect(metrics).toContain('plumbline_sync_schedules_due 1');
    await (await server()).running.syncSchedules.drain();
    expect(await runsOf(id)).toHaveLength(1);
    expect(String((await platform.json('GET', '/metrics')).body)).toContain('plumbline_sync_schedules_due 0');
  });

  it('starts one run after a day without servers', async () => {
    const id = await configure('hourly');
    clock.advance(day);
    await platform.running.syncSchedules.drain();
    await end(id, 'complete');
    await platform.running.syncSchedules.drain();
    expect(await runsOf(id)).toHaveLength(1);
    expect(Date.parse((await read(id)).next_run_at) - clock.now().getTime()).toBeLessThanOrEqual(hour * 1000);
  });

  it('skips its time while a run is pending or running', async () => {
    const id = await configure('hourly');
    await reachNextRun(id);
    for (let passed = 0; passed < 3; passed += 1) await reachNextRun(id);
    expect(await runsOf(id)).toHaveLength(1);
    expect(String((await platform.json('GET', '/metrics')).body)).toContain(
      'plumbline_sync_schedules_total{outcome="skipped"} 3',
    );
    await end(id, 'complete');
    await reachNextRun(id);
    expect(await runsOf(id)).toHaveLength(2);
  });

  it('reads everything after a run of the repositories that the code host has reported', async () => {
    const repositories = ['acme/api', 'acme/web-*', '!acme/web-old'];
    const id = await configure('hourly', { repositories });
    const { sql } = platform.database;
    await sql`
      insert into sync_runs (org_id, sync_config_id, status, created_at, started_at, repositories)
      values (${owner.orgId}, ${id}, 'running', ${clock.now()}, ${clock.now()}, ${['acme/api']})`;
    await reachNextRun(id);
    expect(await runsOf(id)).toHaveLength(1);
    await end(id, 'complete');
    await queueRequestedSyncs(sql, clock.now(), 20, pino({ level: 'silent' }));
    const runs = await sql`select status, repositories from sync_runs where sync_config_id = ${id} order by created_at`;
    expect(runs[1]).toEqual({ status: 'pending', repositories: [...repositories].sort() });
  });

  it('starts the run of a server that died while it did', async () => {
    const id = await configure('hourly');
    clock.advance(hour);
    // Keeps the server within its transaction, after it has moved the next time ahead.
    const lock = postgres(database.uri, { max: 1 });
    await lock`select pg_advisory_lock(hashtextextended(${`plumbline sync runs ${owner.orgId}`}, 0))`;
    const dying = platform.running.syncSchedules.drain();
    const waiting = lock`
      select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    await expect.poll(async () => (await lock`${waiting}`).length).toBe(1);
    await lock`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`;
    await dying;
    await lock.end();
    expect(await runsOf(id)).toEqual([]);
    expect(platform.logLines.join('')).toContain('a scheduled sync run cannot be queued; will retry');
    await (await server()).running.syncSchedules.drain();
    expect(await runsOf(id)).toHaveLength(1);
  });

  it('computes the next time again after a clock was set back', async () => {
    const id = await configure('0 0 1 1 *');
    const yearMs = 365 * day * 1000;
    clock.advance(2 * 365 * day);
    await platform.running.syncSchedules.drain();
    await end(id, 'complete');
    expect(await runsOf(id)).toHaveLength(1);
    clock.advance(-2 * 365 * day);
    expect(Date.parse((await read(id)).next_run_at) - clock.now().getTime()).toBeGreaterThan(yearMs);
    await platform.running.syncSchedules.drain();
    expect(Date.parse((await read(id)).next_run_at) - clock.now().getTime()).toBeLessThanOrEqual(yearMs + day * 1000);
    expect(await runsOf(id)).toHaveLength(1);
  });

  it('waits while the organization has the maximum number of runs', async () => {
    await platform.stop();
    servers.splice(0);
    platform = await server({ SYNC_RUNS_PER_ORGANIZATION: '1' });
    const busy = await configure(null);
    expect((await send('POST', `sync-configs/${busy}/runs`)).status).toBe(202);
    const id = await configure('daily');
    await reachNextRun(id);
    expect(await runsOf(id)).toEqual([]);
    await end(busy, 'complete');
    await reachNextRun(id);
    expect(await runsOf(id)).toHaveLength(1);
  });

  it('starts nothing in an organization that is marked for deletion, or for demo data', async () => {
    const id = await configure('hourly');
    const { body } = await send('POST', 'demo-data');
    await end(body.sync_config_id, 'complete');
    const { sql } = platform.database;
    // As a release without this rule could have stored it.
    await sql`update sync_configs set schedule = 'hourly', next_run_at = ${clock.now()}, scheduled_at = ${clock.now()}
      where id = ${body.sync_config_id}`;
    await sql`insert into organization_deletions (org_id, requested_at, due_at)
      values (${owner.orgId}, ${clock.now()}, ${new Date(clock.now().getTime() + 7 * day * 1000)})`;
    clock.advance(hour);
    await platform.running.syncSchedules.drain();
    expect(await runsOf(id)).toEqual([]);
    await sql`delete from organization_deletions`;
    await platform.running.syncSchedules.drain();
    expect(await runsOf(id)).toHaveLength(1);
    expect(await runsOf(body.sync_config_id)).toHaveLength(1);
  });

  it('of one configuration that cannot be started delays no other', async () => {
    const broken = await configure('hourly');
    const id = await configure('hourly');
    await platform.database.sql`
      update sync_configs set schedule = 'of a later release', next_run_at = ${new Date(0)} where id = ${broken}`;
    clock.advance(hour);
    await platform.running.syncSchedules.drain();
    expect(await runsOf(id)).toHaveLength(1);
  });
});

describe('runs that fail', () => {
  it('delay the next one twice as long each time, up to a day, until one succeeds', async () => {
    const id = await configure('*/15 * * * *');
    const delays: number[] = [];
    for (let failures = 1; failures <= 9; failures += 1) {
      await reachNextRun(id);
      await end(id, 'failed', 'The code host is unavailable.');
      const { next_run_at: next, failed_runs: failed } = await read(id);
      expect(failed).toBe(failures);
      delays.push((Date.parse(next) - clock.now().getTime()) / 60_000);
    }
    expect(delays).toEqual([15, 30, 60, 120, 240, 480, 960, 1440, 1440]);
    await reachNextRun(id);
    expect(await runsOf(id)).toHaveLength(10);
    await end(id, 'complete');
    const { next_run_at: next, failed_runs: failed } = await read(id);
    expect(failed).toBe(0);
    expect(Date.parse(next) - clock.now().getTime()).toBeLessThanOrEqual(15 * 60_000);
  });

  it.each([
    [
      'the configuration is changed',
      (id: string) => send('PATCH', `sync-configs/${id}`, { repositories: ['acme/web'] }),
    ],
    [
      'a test of its integration succeeds',
      (id: string) => platform.database.sql`
        update integrations set last_tested_at = ${clock.now()}, last_test_ok = true
        where id = (select integration_id from sync_configs where id = ${id})`,
    ],
  ])('do not delay it any more after %s', async (_what, change) => {
    const integration = await send('POST', 'integrations', { provider: 'host_a', name: 'GitHub', token: 'token' });
    const id = await configure('*/15 * * * *', { provider: 'host_a', integration_id: integration.body.id });
    for (let failures = 0; failures < 4; failures += 1) {
      await reachNextRun(id);
      await end(id, 'failed', 'The code host rejected the token.');
    }
    expect((await read(id)).failed_runs).toBe(4);
    clock.advance(1);
    await change(id);
    const { next_run_at: next, failed_runs: failed } = await read(id);
    expect(failed).toBe(0);
    expect(Date.parse(next) - clock.now().getTime()).toBeLessThanOrEqual(15 * 60_000);
  });

  it('do not keep people from starting one', async () => {
    const id = await configure('hourly');
    await reachNextRun(id);
    await end(id, 'failed', 'The code host is unavailable.');
    expect((await send('POST', `sync-configs/${id}/runs`)).status).toBe(202);
  });
});
