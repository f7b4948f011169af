import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { signUpWithOrganizationId } from '../../../support/organization-id.js';
import { startTestPlatform, type JsonReply, type TestPlatform, type TestUser } from '../../../support/platform.js';

const path = '/api/v1/admin/sync-configs';
const unknownId = '6c1f0f0e-8f0e-4a56-9f8b-0d8f2f9f3a10';

let platform: TestPlatform;
let owner: TestUser;
/** The owner of an organization that may read repositories on the server. */
let local: TestUser;

const localOrganization = randomUUID();

beforeAll(async () => {
  platform = await startTestPlatform({
    environment: { SYNC_LOCAL_ROOT: tmpdir(), SYNC_LOCAL_ORGANIZATIONS: localOrganization },
  });
  local = await signUpWithOrganizationId(platform, localOrganization);
});

beforeEach(async () => {
  owner = await platform.signUp();
});

afterAll(() => platform.stop());

function send(method: string, suffix: string, body?: unknown, by = owner): Promise<JsonReply> {
  return platform.json(method, `${path}${suffix}`, { token: by.accessToken, body });
}

let count = 0;

function create(change: object = {}, by = owner): Promise<JsonReply> {
  const config = {
    name: `config ${++count}`,
    provider: 'synthetic',
    targets: ['git', 'cicd'],
    repositories: ['a/*', 'b'],
  };
  return send('POST', '', { ...config, ...change }, by);
}

async function connect(provider: string, by = owner): Promise<string> {
  const body = { provider, name: `integration ${++count}`, token: 'token' };
  return String((await platform.json('POST', '/api/v1/admin/integrations', { token: by.accessToken, body })).body.id);
}

async function auditOf(id: string): Promise<unknown[]> {
  const rows = await platform.database.sql`
    select action, note from audit_log where resource_kind = 'SYNC_CONFIG' and resource_id = ${id} order by at`;
  return [...rows];
}

describe('creating a sync configuration', () => {
  it('answers with it and its location', async () => {
    const integrationId = await connect('host_a');
    const reply = await create({ name: ' All ', provider: 'host_a', integration_id: integrationId });
    expect(reply.status).toBe(201);
    expect(reply.headers.get('Location')).toBe(`${path}/${reply.body.id}`);
    expect(reply.body).toMatchObject({
      name: 'All',
      provider: 'host_a',
      integration_id: integrationId,
      is_active: true,
      prune: false,
    });
    expect(reply.body).toMatchObject({ targets: ['git', 'cicd'], repositories: ['a/*', 'b'], latest_run: null });
    expect((await send('GET', `/${reply.body.id}`)).body).toEqual(reply.body);
    expect(await auditOf(reply.body.id)).toEqual([{ action: 'CREATE', note: null }]);
  });

  it('allows every target of the synthetic source, and three of a local repository', async () => {
    const targets = ['git', 'prs', 'blame', 'cicd', 'deployments', 'incidents', 'issues'];
    expect((await create({ targets })).status).toBe(201);
    expect((await create({ provider: 'local', targets: targets.slice(0, 3) }, local)).status).toBe(201);
    const refused = await create({ provider: 'local', targets }, local);
    expect(refused.status).toBe(422);
    expect(refused.body.violations.map((each: { path: string }) => each.path)).toEqual([
      '/body/targets/3',
      '/body/targets/4',
      '/body/targets/5',
      '/body/targets/6',
    ]);
  });

  it('of repositories on the server is for organizations that the operator names', async () => {
    const refused = await create({ provider: 'local', targets: ['git'] });
    expect(refused.status).toBe(422);
    const message = 'must not be local: the server shares no directory with this organization';
    expect(refused.body.violations).toEqual([{ path: '/body/provider', rule: 'allowed', message }]);
    expect((await send('GET', '')).body.items).toEqual([]);
  });

  it.each([
    ['a code host without an integration', { provider: 'host_a' }, 'required'],
    ['an integration where none is needed', { integration_id: unknownId }, 'type'],
    ['an integration that does not exist', { provider: 'host_b', integration_id: unknownId }, 'exists'],
  ])('for %s is refused', async (_what, change, rule) => {
    const reply = await create(change);
    expect(reply.status).toBe(422);
    expect(reply.body.violations).toMatchObject([{ path: '/body/integration_id', rule }]);
  });

  it('that leaves out everything, or an unclear pattern, is refused; also in a change', async () => {
    const id = String((await create({ repositories: ['a/*', '!a/old-*'] })).body.id);
    for (const repositories of [['!a/*'], ['!a/*', '!b'], ['a/*', '!'], ['a/*', '!b c']]) {
      const refused = await create({ repositories });
      expect(refused.status).toBe(422);
      const path = `/body/repositories/${repositories[0]?.startsWith('!') === true ? 0 : 1}`;
      expect(refused.body.violations).toMatchObject([{ path, rule: 'pattern' }]);
      expect((await send('PATCH', `/${id}`, { repositories })).body.violations).toMatchObject([{ path }]);
    }
    expect((await send('GET', `/${id}`)).body.repositories).toEqual(['a/*', '!a/old-*']);
  });

  it('for an integration of another provider or organization is refused', async () => {
    const foreign = await connect('host_a', await platform.signUp());
    const other = await connect('host_b');
    for (const integrationId of [foreign, other]) {
      const reply = await create({ provider: 'host_a', integration_id: integrationId });
      expect(reply.body.violations).toMatchObject([{ path: '/body/integration_id', rule: 'exists' }]);
    }
    expect((await send('GET', '')).body.items).toEqual([]);
  });

  it('under a name in use is refused, also in simultaneous requests', async () => {
    const replies = await Promise.all(Array.from({ length: 24 }, () => create({ name: 'All' })));
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(1);
    const refused = replies.filter(({ status }) => status === 422);
    expect(refused).toHaveLength(23);
    expect(refused[0]?.body.violations).toMatchObject([{ path: '/body/name', rule: 'unique' }]);
    expect((await create({ name: 'All' }, await platform.signUp())).status).toBe(201);
  });
});

describe('the list of sync configurations', () => {
  it('is the oldest first, each with its latest run', async () => {
    const first = (await create()).body;
    platform.clock.advance(1);
    const second = (await create()).body;
    const run = (await send('POST', `/${first.id}/runs`)).body;
    const { items } = (await send('GET', '')).body;
    expect(items.map((each: { id: string }) => each.id)).toEqual([first.id, second.id]);
    const { id, status, error, created_at, started_at, finished_at } = run;
    expect(items[0].latest_run).toEqual({ id, status, error, created_at, started_at, finished_at });
    expect(items[1].latest_run).toBeNull();
  });
});

describe('changing a sync configuration', () => {
  it('changes the sent members only', async () => {
    const config = (await create()).body;
    platform.clock.advance(1);
    const reply = await send('PATCH', `/${config.id}`, { repositories: ['c'], is_active: false });
    expect(reply.status).toBe(200);
    const { updated_at } = reply.body;
    expect(reply.body).toEqual({ ...config, repositories: ['c'], is_active: false, updated_at });
    expect(updated_at > config.updated_at).toBe(true);
    expect(await auditOf(config.id)).toContainEqual({ action: 'UPDATE', note: 'is_active, repositories' });
    const renamed = await send('PATCH', `/${config.id}`, { name: ' Other ', targets: ['prs'] });
    expect(renamed.body).toMatchObject({ name: 'Other', targets: ['prs'], repositories: ['c'], prune: false });
    expect((await send('PATCH', `/${config.id}`, { prune: true })).body.prune).toBe(true);
    expect((await create({ prune: true })).body.prune).toBe(true);
  });

  it('to targets that the provider does not have is refused', async () => {
    const config = (await create({ provider: 'local', targets: ['git'] }, local)).body;
    const reply = await send('PATCH', `/${config.id}`, { targets: ['git', 'incidents'] }, local);
    expect(reply.body.violations).toMatchObject([{ path: '/body/targets/1', rule: 'enum' }]);
    expect((await send('GET', `/${config.id}`, undefined, local)).body.targets).toEqual(['git']);
  });

  it('to a name that is taken is refused', async () => {
    const [first, second] = [(await create()).body, (await create()).body];
    const reply = await send('PATCH', `/${second.id}`, { name: first.name });
    expect(reply.status).toBe(422);
    expect(reply.body.violations).toMatchObject([{ path: '/body/name', rule: 'unique' }]);
    expect(await auditOf(second.id)).toHaveLength(1);
  });
});

describe('deleting a sync configuration', () => {
  it('deletes its runs as well', async () => {
    const { id } = (await create()).body;
    const run = (await send('POST', `/${id}/runs`)).body;
    const refused = await send('DELETE', `/${id}`);
    expect(refused.status).toBe(409);
    expect(refused.body.type).toBe('/problems/sync-run-active');
    await send('POST', `/${id}/runs/${run.id}/cancel`);
    expect((await send('DELETE', `/${id}`)).status).toBe(204);
    expect(await platform.database.sql`select 1 from sync_runs where id = ${run.id}`).toHaveLength(0);
    expect(await auditOf(id)).toEqual([
      { action: 'CREATE', note: null },
      { action: 'DELETE', note: null },
    ]);
  });

  it('while runs are started leaves no run without its configuration', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { id } = (await create()).body;
      const start = (): Promise<JsonReply> => send('POST', `/${id}/runs`);
      const [deleted, ...started] = await Promise.all([send('DELETE', `/${id}`), start(), start(), start()]);
      const accepted = started.filter(({ status }) => status === 202).length;
      expect([deleted.status, accepted]).toEqual(accepted === 0 ? [204, 0] : [409, 1]);
    }
  });
});

it.each(['GET', 'PATCH', 'DELETE'])('%s of a configuration that does not exist answers 404', async (method) => {
  const reply = await send(method, `/${unknownId}`, method === 'PATCH' ? { is_active: false } : undefined);
  expect(reply.status).toBe(404);
  expect(reply.body.type).toBe('/problems/sync-config-not-found');
});

it('a configuration of another organization can be neither seen, changed, run nor deleted', async () => {
  const { id } = (await create()).body;
  const run = (await send('POST', `/${id}/runs`)).body;
  const before = (await send('GET', `/${id}`)).body;
  const stranger = await platform.signUp();
  expect((await send('GET', '', undefined, stranger)).body.items).toEqual([]);
  const attempts: [string, string, unknown?][] = [
    ['GET', `/${id}`],
    ['PATCH', `/${id}`, { is_active: false }],
    ['DELETE', `/${id}`],
    ['GET', `/${id}/runs`],
    ['POST', `/${id}/runs`],
    ['GET', `/${id}/runs/${run.id}`],
    ['POST', `/${id}/runs/${run.id}/cancel`],
  ];
  for (const [method, suffix, body] of attempts) {
    expect((await send(method, suffix, body, stranger)).body.type).toBe('/problems/sync-config-not-found');
  }
  // Nor through a configuration of one's own.
  const own = (await create({}, stranger)).body;
  const throughOwn = `/${own.id}/runs/${run.id}`;
  expect((await send('GET', throughOwn, undefined, stranger)).body.type).toBe('/problems/sync-run-not-found');
  expect((await send('POST', `${throughOwn}/cancel`, undefined, stranger)).body.type).toBe(
    '/problems/sync-run-not-found',
  );
  expect((await send('GET', `/${id}`)).body).toEqual(before);
});
