import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { startTestPlatform, type JsonReply, type TestPlatform, type TestUser } from '../../../support/platform.js';

const unknownId = '6c1f0f0e-8f0e-4a56-9f8b-0d8f2f9f3a10';

let platform: TestPlatform;
let owner: TestUser;
let path: string;

beforeAll(async () => {
  platform = await startTestPlatform();
});

beforeEach(async () => {
  owner = await platform.signUp();
  const body = { name: 'All', provider: 'synthetic', targets: ['git'], repositories: ['*'] };
  const config = await platform.json('POST', '/api/v1/admin/sync-configs', { token: owner.accessToken, body });
  path = `/api/v1/admin/sync-configs/${config.body.id}`;
});

afterAll(() => platform.stop());

function send(method: string, suffix: string, body?: unknown): Promise<JsonReply> {
  return platform.json(method, `${path}${suffix}`, { token: owner.accessToken, body });
}

const start = (): Promise<JsonReply> => send('POST', '/runs');
const cancel = (id: string): Promise<JsonReply> => send('POST', `/runs/${id}/cancel`);

/** What a worker does with a run. */
async function work(id: string, status: string, change: { progress?: object; error?: string } = {}): Promise<void> {
  const ended = status !== 'pending' && status !== 'running';
  await platform.database.sql`
    update sync_runs set status = ${status}, started_at = now(), finished_at = ${ended ? new Date() : null},
      progress = ${JSON.stringify(change.progress ?? {})}::text::jsonb, error = ${change.error ?? null}
    where id = ${id}`;
}

describe('starting a run', () => {
  it('puts it in the queue, and says where to follow it', async () => {
    const reply = await start();
    expect(reply.status).toBe(202);
    expect(reply.headers.get('Location')).toBe(`${path}/runs/${reply.body.id}`);
    expect(reply.body).toMatchObject({ status: 'pending', requested_by: owner.userId, started_at: null });
    expect(reply.body.progress).toEqual({
      repositories_total: null,
      repositories_done: 0,
      repositories_failed: 0,
      records: 0,
    });
    expect((await send('GET', `/runs/${reply.body.id}`)).body).toEqual(reply.body);
    const records = await platform.database.sql`
      select action, user_id, org_id from audit_log where resource_kind = 'SYNC_RUN' and resource_id = ${reply.body.id}`;
    expect([...records]).toEqual([{ action: 'SYNC_STARTED', user_id: owner.userId, org_id: owner.orgId }]);
  });

  it('is refused while one is pending or running, and possible again afterwards', async () => {
    const { id } = (await start()).body;
    expect((await start()).body.type).toBe('/problems/sync-run-active');
    await work(id, 'running');
    const refused = await start();
    expect(refused.status).toBe(409);
    await work(id, 'complete');
    expect((await start()).status).toBe(202);
  });

  it('of one configuration succeeds once of simultaneous requests', async () => {
    const statuses = (await Promise.all(Array.from({ length: 24 }, start))).map(({ status }) => status).sort();
    expect(statuses).toEqual([202, ...Array<number>(23).fill(409)]);
  });

  it('is refused beyond the maximum of the organization, also for requests at once', async () => {
    const limited = await startTestPlatform({ environment: { SYNC_RUNS_PER_ORGANIZATION: '3' } });
    onTestFinished(() => limited.stop());
    const [full, other] = [await limited.signUp(), await limited.signUp()];
    const configs = '/api/v1/admin/sync-configs';
    const configure = async (name: string, { accessToken: token }: TestUser): Promise<string> => {
      const body = { name, provider: 'synthetic', targets: ['git'], repositories: ['*'] };
      return (await limited.json('POST', configs, { token, body })).body.id;
    };
    const startOf = (id: string, { accessToken: token }: TestUser): Promise<JsonReply> =>
      limited.json('POST', `${configs}/${id}/runs`, { token });
    const ids: string[] = [];
    for (let index = 0; index < 8; index += 1) ids.push(await configure(`config ${index}`, full));
    const replies = await Promise.all(ids.map((id) => startOf(id, full)));
    expect(replies.map(({ status }) => status).sort()).toEqual([202, 202, 202, 409, 409, 409, 409, 409]);
    const [active = '', waiting = ''] = [202, 409].map((s) => ids[replies.findIndex(({ status }) => status === s)]);
    expect((await startOf(waiting, full)).body).toMatchObject({
      type: '/problems/too-many-sync-runs',
      message: expect.stringMatching(/^3 runs of the organization are pending or running/),
    });
    expect((await startOf(active, full)).body.type).toBe('/problems/sync-run-active');
    expect((await startOf(await configure('theirs', other), other)).status).toBe(202);
    const run = replies.find(({ status }) => status === 202)?.body.id;
    await limited.json('POST', `${configs}/${active}/runs/${run}/cancel`, { token: full.accessToken });
    expect((await startOf(waiting, full)).status).toBe(202);
  });

  it('of a configuration that is switched off is refused', async () => {
    await send('PATCH', '', { is_active: false });
    const reply = await start();
    expect(reply.status).toBe(409);
    expect(reply.body.type).toBe('/problems/sync-config-inactive');
  });
});

describe('reading runs', () => {
  it('shows the progress that the worker stored', async () => {
    const { id } = (await start()).body;
    await work(id, 'partial', { progress: { repositories_total: 2, records: 7 }, error: 'b: 404' });
    const { body } = await send('GET', `/runs/${id}`);
    expect(body).toMatchObject({ status: 'partial', error: 'b: 404' });
    expect(body.progress).toEqual({ repositories_total: 2, repositories_done: 0, repositories_failed: 0, records: 7 });
  });

  it('lists the newest first, page by page, without duplicates when one is added between pages', async () => {
    const ids: string[] = [];
    for (let index = 0; index < 5; index += 1) {
      ids.unshift(String((await start()).body.id));
      await work(ids[0] ?? '', 'complete');
      platform.clock.advance(1);
    }
    const first = (await send('GET', '/runs?limit=2')).body;
    await start();
    const second = (await send('GET', `/runs?limit=2&cursor=${first.next_cursor}`)).body;
    const third = (await send('GET', `/runs?limit=2&cursor=${second.next_cursor}`)).body;
    const seen = [first, second, third].flatMap(({ items }) => items).map(({ id }: { id: string }) => id);
    expect(seen).toEqual(ids);
    expect(third.next_cursor).toBeNull();
  });

  it('refuses a cursor that it did not issue', async () => {
    expect((await send('GET', '/runs?cursor=nonsense')).body.violations).toMatchObject([{ path: '/query/cursor' }]);
  });

  it('answers 404 for a run, or a configuration, that does not exist', async () => {
    expect((await send('GET', `/runs/${unknownId}`)).body.type).toBe('/problems/sync-run-not-found');
    path = `/api/v1/admin/sync-configs/${unknownId}`;
    expect((await send('GET', `/runs/${unknownId}`)).body.type).toBe('/problems/sync-config-not-found');
    expect((await send('GET', '/runs')).body.type).toBe('/problems/sync-config-not-found');
    expect((await start()).body.type).toBe('/problems/sync-config-not-found');
  });
});

describe('cancelling a run', () => {
  it.each(['pending', 'running'])('that is %s ends it', async (status) => {
    const { id } = (await start()).body;
    await work(id, status);
    const reply = await cancel(id);
    expect(reply.status).toBe(200);
    expect(reply.body).toMatchObject({ id, status: 'cancelled' });
    expect(reply.body.finished_at).not.toBeNull();
    expect((await start()).status).toBe(202);
    const records = await platform.database.sql`
      select 1 from audit_log where action = 'SYNC_CANCELLED' and resource_id = ${id}`;
    expect(records).toHaveLength(1);
  });

  it.each(['partial', 'complete', 'failed', 'cancelled'])('that is %s is refused', async (status) => {
    const { id } = (await start()).body;
    await work(id, status);
    const reply = await cancel(id);
    expect(reply.status).toBe(409);
    expect(reply.body.type).toBe('/problems/sync-run-not-active');
  });

  it('succeeds once of simultaneous requests', async () => {
    const { id } = (await start()).body;
    const statuses = (await Promise.all(Array.from({ length: 20 }, () => cancel(id))))
      .map(({ status }) => status)
      .sort();
    expect(statuses).toEqual([200, ...Array<number>(19).fill(409)]);
  });

  it('that does not exist answers 404', async () => {
    expect((await cancel(unknownId)).body.type).toBe('/problems/sync-run-not-found');
    path = `/api/v1/admin/sync-configs/${unknownId}`;
    expect((await cancel(unknownId)).body.type).toBe('/problems/sync-config-not-found');
  });
});
