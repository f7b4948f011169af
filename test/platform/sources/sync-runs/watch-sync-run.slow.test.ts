import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { unwrap } from '../../../../sdk/src/index.js';
import { createPlatformClient, watchSyncRun, type PlatformClient, type Schemas } from '../../../../sdk/src/platform.js';
import type { ClientOptions } from '../../../../sdk/src/client-options.js';
import { systemTiming } from '../../../../sdk/src/retry.js';
import { cuttingFetch } from '../../../support/cutting-fetch.js';
import { startTestPlatform, type TestPlatform, type TestUser } from '../../../support/platform.js';
import { createServiceToken } from '../../../support/service-token.js';
import { holdExecutions, queueOf, type HeldExecutions, type Queue } from './jobs/queue.js';

type Run = Schemas['SyncRun'];

let platform: TestPlatform;
let owner: TestUser;
let queue: Queue;
let held: HeldExecutions;
let params: { sync_config_id: string; run_id: string };
beforeEach(async () => {
  held = holdExecutions();
  platform = await startTestPlatform({ executeSync: held.execute, environment: { SYNC_JOBS: '1' } });
  owner = await platform.signUp();
  queue = queueOf(platform, owner);
  const config = await queue.configure({ repositories: ['acme/api'] });
  params = { sync_config_id: config, run_id: await queue.start(config) };
});
afterEach(async () => {
  held.release();
  await platform.stop();
});

const clientOf = (token = owner.accessToken, options: Partial<ClientOptions> = {}): PlatformClient =>
  createPlatformClient({ baseUrl: platform.url, token, fetch: platform.fetch, ...options });

async function watch(client = clientOf(), signal?: AbortSignal): Promise<AsyncIterator<Run>> {
  const data = unwrap(await watchSyncRun(client, { params, signal }));
  if (data === undefined) throw new Error('the run has ended');
  return data[Symbol.asyncIterator]();
}

async function rest(runs: AsyncIterator<Run>): Promise<Run[]> {
  const all: Run[] = [];
  for (let next = await runs.next(); next.done !== true; next = await runs.next()) all.push(next.value);
  return all;
}

const raw = (id: string | null, token = owner.accessToken): Promise<Response> =>
  platform.fetch(`${platform.url}/api/v1/admin/sync-configs/${params.sync_config_id}/runs/${params.run_id}/events`, {
    headers: { Authorization: `Bearer ${token}`, ...(id !== null && { 'Last-Event-ID': id }) },
  });

describe('A run that is watched', () => {
  it('is followed to its end', async () => {
    const runs = await watch();
    const first = await runs.next();
    expect(first).toMatchObject({ done: false, value: { id: params.run_id, progress: { records: 0 } } });
    held.release();
    const later = await rest(runs);
    const last = later.at(-1);
    expect(last).toEqual(await queue.read(params.sync_config_id, params.run_id));
    expect(last?.status).toBe('complete');
    const states = [first.value, ...later].map((each) => JSON.stringify(each));
    expect(new Set(states).size).toBe(states.length);
  });

  it('loses and repeats nothing when each connection is lost after one event', async () => {
    const opened: (string | null)[] = [];
    const timing = { ...systemTiming, sleep: () => Promise.resolve() }; // the pauses have tests of the SDK
    const runs = await watch(clientOf(owner.accessToken, { fetch: cuttingFetch(platform.fetch, opened), timing }));
    const first = await runs.next();
    held.release();
    const all = [first.value, ...(await rest(runs))];
    expect(all.at(-1)).toEqual(await queue.read(params.sync_config_id, params.run_id));
    expect(new Set(all.map((each) => JSON.stringify(each))).size).toBe(all.length);
    // One connection for each event, and each but the first one resumes.
    expect(opened).toEqual([null, ...Array<unknown>(all.length - 1).fill(expect.any(String))]);
  });

  it('is over once the last event was received', async () => {
    held.release();
    await queue.until(params.sync_config_id, params.run_id, 'complete');
    const whole = await (await raw(null)).text();
    const [, id = ''] = /^id: (.*)$/m.exec(whole) ?? [];
    expect(whole.match(/^data:/gm)).toHaveLength(1);
    expect((await raw(id)).status).toBe(204);
    expect((await raw('another')).status).toBe(200);
  });

  it('is seen by service tokens with the scope, and by nobody of another organization', async () => {
    const { token } = await createServiceToken(platform, owner, ['sync:read']);
    const runs = await watch(clientOf(token));
    expect((await runs.next()).value).toMatchObject({ id: params.run_id });
    await runs.return?.();
    const stranger = await platform.signUp();
    expect(await watchSyncRun(clientOf(stranger.accessToken), { params })).toMatchObject({ ok: false, status: 404 });
  });
});

describe('A stream ends', () => {
  const opened = async (token?: string): Promise<{ readonly end: Promise<string> }> => {
    const reply = await raw(null, token);
    expect(reply.status).toBe(200);
    return { end: reply.text() };
  };

  it('after 5 minutes, and the caller may open the next one', async () => {
    const { end } = await opened();
    platform.clock.advance(300);
    expect((await end).match(/^data:/gm)).toHaveLength(1);
    expect((await raw(null)).status).toBe(200);
  });

  it('when its caller is removed from the organization', async () => {
    const admin = await platform.signUp({ invitedBy: owner, role: 'admin' });
    const { end } = await opened(admin.accessToken);
    const path = `/api/v1/organizations/${owner.orgId}/members/${admin.userId}`;
    expect((await platform.json('DELETE', path, { token: owner.accessToken })).status).toBe(200);
    held.release(); // the later states of the run are not sent
    expect(await end).not.toContain('"complete"');
    expect((await raw(null, admin.accessToken)).status).toBe(401);
  });

  it('when its caller loses the role, without a change of the run', async () => {
    const admin = await platform.signUp({ invitedBy: owner, role: 'admin' });
    const { end } = await opened(admin.accessToken);
    const path = `/api/v1/organizations/${owner.orgId}/members/${admin.userId}`;
    const reply = await platform.json('PATCH', path, { token: owner.accessToken, body: { role: 'member' } });
    expect(reply.status).toBe(200);
    expect((await end).match(/^data:/gm)).toHaveLength(1);
    expect((await raw(null, admin.accessToken)).status).toBe(403);
  });

  it('when its service token is revoked, without a change of the run', async () => {
    const { token, id } = await createServiceToken(platform, owner, ['sync:read']);
    const { end } = await opened(token);
    const path = `/api/v1/organizations/${owner.orgId}/service-tokens/${id}`;
    expect((await platform.json('DELETE', path, { token: owner.accessToken })).status).toBe(204);
    expect((await end).match(/^data:/gm)).toHaveLength(1);
    expect((await raw(null, token)).status).toBe(401);
  });
});

it('A caller has at most 10 streams, and one that leaves frees its place', async () => {
  const stops = Array.from({ length: 10 }, () => new AbortController());
  for (const { signal } of stops) await (await watch(clientOf(), signal)).next();
  const refused = await watchSyncRun(clientOf(), { params });
  expect(refused).toMatchObject({ ok: false, status: 409, problem: { type: '/problems/too-many-streams' } });
  const other = await platform.signUp({ invitedBy: owner, role: 'admin' });
  const theirs = await watch(clientOf(other.accessToken));
  expect((await theirs.next()).done).toBe(false);
  await theirs.return?.();

  stops[0]?.abort();
  await expect.poll(async () => (await watchSyncRun(clientOf(), { params })).status).toBe(200);
  for (const stop of stops) stop.abort();
});

it('An organization has at most 50 streams, and one that ends frees its place', async () => {
  const stops: AbortController[] = [];
  const open = async (token: string): Promise<void> => {
    const stop = new AbortController();
    stops.push(stop);
    await (await watch(clientOf(token), stop.signal)).next();
  };
  for (let index = 0; index < 5; index += 1) {
    const { token } = await createServiceToken(platform, owner, ['sync:read'], { name: `agent ${index}` });
    await Promise.all(Array.from({ length: 10 }, () => open(token)));
  }
  const refused = await watchSyncRun(clientOf(), { params });
  expect(refused).toMatchObject({ ok: false, status: 409, problem: { type: '/problems/too-many-streams' } });
  expect(refused).toMatchObject({ problem: { message: expect.stringContaining('Your organization has 50') } });

  stops[0]?.abort();
  await expect.poll(async () => (await watchSyncRun(clientOf(), { params })).status).toBe(200);
  for (const stop of stops) stop.abort();
});

it('A server that stops ends its streams, and another one continues them', async () => {
  const { databaseUri, clock, mailbox } = platform;
  const leaving = await startTestPlatform({ databaseUri, clock, mailbox });
  let target = leaving.url;
  const moved = (url: string, init: RequestInit): Promise<Response> =>
    platform.fetch(url.replace(platform.url, target), init);
  const runs = await watch(clientOf(owner.accessToken, { fetch: moved }));
  expect((await runs.next()).value).toMatchObject({ id: params.run_id });
  target = platform.url;
  await leaving.stop();
  held.release();
  expect((await rest(runs)).at(-1)).toMatchObject({ id: params.run_id, status: 'complete' });
});
