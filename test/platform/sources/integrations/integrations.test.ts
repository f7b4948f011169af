import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { startTestPlatform, type JsonReply, type TestPlatform, type TestUser } from '../../../support/platform.js';
import { json, startCodeHostDouble, type CodeHostDouble } from './code-host-double.js';

const token = 'ghp_the-secret-of-this-test';
const path = '/api/v1/admin/integrations';

let platform: TestPlatform;
let host: CodeHostDouble;
let owner: TestUser;

beforeAll(async () => {
  [platform, host] = await Promise.all([startTestPlatform(), startCodeHostDouble()]);
});

beforeEach(async () => {
  host.answer(json(200, { login: 'someone', username: 'someone' }));
  owner = await platform.signUp();
});

afterAll(async () => {
  await Promise.all([platform.stop(), host.stop()]);
});

function connect(body: object = {}, by = owner): Promise<JsonReply> {
  const whole = { provider: 'host_a', name: 'main', token, base_url: host.url, ...body };
  return platform.json('POST', path, { token: by.accessToken, body: whole });
}

function list(by = owner): Promise<JsonReply> {
  return platform.json('GET', path, { token: by.accessToken });
}

function test(id: string, by = owner): Promise<JsonReply> {
  return platform.json('POST', `${path}/${id}/test`, { token: by.accessToken });
}

function disconnect(id: string, by = owner): Promise<JsonReply> {
  return platform.json('DELETE', `${path}/${id}`, { token: by.accessToken });
}

function configure(integrationId: string, name: string): Promise<JsonReply> {
  const body = { name, provider: 'host_a', integration_id: integrationId, targets: ['git'], repositories: ['a/*'] };
  return platform.json('POST', '/api/v1/admin/sync-configs', { token: owner.accessToken, body });
}

async function auditOf(id: string): Promise<unknown[]> {
  const rows = await platform.database.sql`
    select action, status, note, user_id from audit_log
    where resource_kind = 'INTEGRATION' and resource_id = ${id} order by at`;
  return [...rows];
}

describe('connecting', () => {
  it('needs the address of a Gitea, which has no public installation, and tests the token there', async () => {
    const refused = await connect({ provider: 'gitea', base_url: null });
    expect(refused.status).toBe(422);
    expect(refused.body.violations).toMatchObject([{ path: '/body/base_url', rule: 'required' }]);
    const reply = await connect({ provider: 'gitea' });
    expect(reply.status).toBe(201);
    host.requests.length = 0;
    expect((await test(String(reply.body.id))).body).toMatchObject({ success: true });
    expect(host.requests.map(({ path: asked }) => asked)).toEqual(['/api/v1/user']);
  });

  it.each([
    [
      'of a user of Jira Cloud, with the email address',
      'ada@example.com:secret',
      /^Basic YWRhQGV4YW1wbGUuY29tOnNlY3JldA==$/,
    ],
    ['of a Jira Data Center', 'personal', /^Bearer personal$/],
  ])('tests the token %s', async (name, secret, authorization) => {
    const reply = await connect({ provider: 'jira', name, token: secret });
    expect(reply.status).toBe(201);
    host.requests.length = 0;
    host.answer(json(200, { displayName: 'Ada' }));
    expect((await test(String(reply.body.id))).body).toMatchObject({ success: true });
    expect(host.requests).toMatchObject([
      { path: '/rest/api/2/myself', authorization: expect.stringMatching(authorization) },
    ]);
  });

  it('answers with the integration, untested', async () => {
    const reply = await connect({ provider: 'host_b', name: ' self-hosted ' });
    expect(reply.status).toBe(201);
    expect(reply.body).toMatchObject({ org_id: owner.orgId, provider: 'host_b', name: 'self-hosted' });
    expect(reply.body).toMatchObject({ base_url: host.url, is_active: true, last_test_succeeded: null });
    expect((await list()).body.items).toEqual([reply.body]);
    expect(await auditOf(reply.body.id)).toEqual([
      { action: 'CREATE', status: 'success', note: 'host_b', user_id: owner.userId },
    ]);
  });

  it.each([' a-token', 'a-token ', 'a token', 'a-token\n', 'a-tokén'])(
    'refuses a token that no code host issues: %j',
    async (wrong) => {
      expect(await connect({ token: wrong })).toMatchObject({
        status: 422,
        body: { violations: [{ path: '/body/token', rule: 'pattern' }] },
      });
    },
  );

  it('keeps the token sealed for this integration, and shows it nowhere', async () => {
    host.answer(json(401, { message: `bad credentials: ${token}` }));
    const first = await connect();
    const second = await connect({ name: 'second' });
    const replies = [first, second, await list(), await test(first.body.id), await list(), await connect()];
    expect(JSON.stringify(replies.map(({ body }) => body))).not.toContain(token);
    expect(platform.logLines.join('')).not.toContain(token);

    const rows = await platform.database.sql`
      select row_to_json(i)::text as integration, secret_sealed from integrations i where org_id = ${owner.orgId}`;
    for (const row of rows) expect(String(row['integration'])).not.toContain(token);
    for (const row of rows) expect(Buffer.from(row['secret_sealed'] as Uint8Array).includes(token)).toBe(false);
    const audit = await platform.database.sql`select row_to_json(a)::text from audit_log a`;
    expect(JSON.stringify(audit)).not.toContain(token);
    // A sealed token that is put into another row opens for nobody.
    await platform.database.sql`
      update integrations set secret_sealed = (select secret_sealed from integrations where id = ${first.body.id})
      where id = ${second.body.id}`;
    expect((await test(second.body.id)).body.error).toContain('Connect the integration again');
  });

  it('completes the onboarding of the organization', async () => {
    const state = (): Promise<JsonReply> =>
      platform.json('GET', '/api/v1/auth/onboarding/state', { token: owner.accessToken });
    expect((await state()).body.next_step).toBe('integration');
    await connect();
    expect((await state()).body.next_step).toBe('complete');
  });

  it('under a name that the provider has already is refused, but not for another provider or organization', async () => {
    expect((await connect()).status).toBe(201);
    const again = await connect();
    expect(again.status).toBe(409);
    expect(again.body.type).toBe('/problems/integration-exists');
    expect((await connect({ provider: 'host_b' })).status).toBe(201);
    expect((await connect({}, await platform.signUp())).status).toBe(201);
  });

  it('of one name at once happens once', async () => {
    const replies = await Promise.all(Array.from({ length: 24 }, () => connect()));
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(replies.filter(({ status }) => status === 409)).toHaveLength(23);
  });

  it('is refused beyond the maximum of the organization, also for requests at once', async () => {
    const limited = await startTestPlatform({ environment: { INTEGRATIONS_PER_ORGANIZATION: '3' } });
    onTestFinished(() => limited.stop());
    const [full, other] = [await limited.signUp(), await limited.signUp()];
    const add = (name: string, { accessToken }: TestUser): Promise<JsonReply> =>
      limited.json('POST', path, { token: accessToken, body: { provider: 'host_a', name, token } });
    const replies = await Promise.all(Array.from({ length: 12 }, (_, index) => add(`one ${index}`, full)));
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 201, 201, ...Array<number>(9).fill(409)]);
    const refused = await add('another', full);
    expect(refused.body).toMatchObject({
      type: '/problems/too-many-integrations',
      message: 'The organization has 3 integrations, which is the maximum. Disconnect one first.',
    });
    expect((await add('mine', other)).status).toBe(201);
    const { items } = (await limited.json('GET', path, { token: full.accessToken })).body;
    await limited.json('DELETE', `${path}/${items[0].id}`, { token: full.accessToken });
    expect((await add('another', full)).status).toBe(201);
  });

  it.each(['http://169.254.169.254/', 'https://user:password@github.example.com', 'https://[fe80::1]/'])(
    'to %s is refused',
    async (baseUrl) => {
      const reply = await connect({ base_url: baseUrl });
      expect(reply.status).toBe(422);
      expect(reply.body.violations).toMatchObject([{ path: '/body/base_url', rule: 'format' }]);
      expect(JSON.stringify(reply.body)).not.toContain('password@');
    },
  );
});

describe('testing', () => {
  it('asks the host with the token, and keeps that it succeeded', async () => {
    const { id } = (await connect()).body;
    const reply = await test(id);
    expect(reply.status).toBe(200);
    expect(reply.body).toMatchObject({ success: true, error: null });
    expect(host.requests.at(-1)).toEqual({ path: '/user', authorization: `Bearer ${token}` });
    const [integration] = (await list()).body.items;
    expect(integration).toMatchObject({ last_tested_at: reply.body.tested_at, last_test_succeeded: true });
    expect(await auditOf(id)).toContainEqual({
      action: 'INTEGRATION_TESTED',
      status: 'success',
      note: null,
      user_id: owner.userId,
    });
  });

  it('of a token that the host refuses answers 200 with the reason, and keeps it', async () => {
    host.answer(json(401, {}));
    const { id } = (await connect()).body;
    const error = 'The code host rejected the token.';
    expect((await test(id)).body).toMatchObject({ success: false, error });
    const [integration] = (await list()).body.items;
    expect(integration).toMatchObject({ last_test_succeeded: false, last_test_error: error });
    host.answer(json(200, { login: 'someone' }));
    await test(id);
    expect((await list()).body.items[0]).toMatchObject({ last_test_succeeded: true, last_test_error: null });
  });

  it('is limited per user, and calls no host beyond the limit', async () => {
    const limited = await startTestPlatform({ environment: { INTEGRATION_TEST_LIMIT: '5/hour' } });
    onTestFinished(() => limited.stop());
    const [first, second] = [await limited.signUp(), await limited.signUp()];
    const ids: string[] = [];
    for (const { accessToken } of [first, second]) {
      const body = { provider: 'host_a', name: 'main', token, base_url: host.url };
      ids.push((await limited.json('POST', path, { token: accessToken, body })).body.id);
    }
    const ask = (index: number, { accessToken }: TestUser): Promise<JsonReply> =>
      limited.json('POST', `${path}/${ids[index]}/test`, { token: accessToken });
    const asked = host.requests.length;
    const replies = await Promise.all(Array.from({ length: 20 }, () => ask(0, first)));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(5);
    expect(replies.filter(({ status }) => status === 429)).toHaveLength(15);
    expect(host.requests).toHaveLength(asked + 5);
    const refused = await ask(0, first);
    expect(refused.body.type).toBe('/problems/rate-limited');
    expect(refused.headers.get('RateLimit-Policy')).toBe('"integration-test";q=5;w=3600');
    expect(refused.headers.get('Retry-After')).toMatch(/^\d+$/);
    expect((await ask(1, second)).status).toBe(200);
  });

  it('of an integration that is disconnected meanwhile answers 404', async () => {
    const { id } = (await connect()).body;
    host.answer((request, response) => {
      void disconnect(id).then(() => {
        json(200, { login: 'someone' })(request, response);
      });
    });
    expect((await test(id)).body.type).toBe('/problems/integration-not-found');
  });
});

describe('disconnecting', () => {
  it('deletes the integration with its secret', async () => {
    const { id } = (await connect()).body;
    expect((await disconnect(id)).status).toBe(204);
    expect((await list()).body.items).toEqual([]);
    expect(await platform.database.sql`select 1 from integrations where id = ${id}`).toHaveLength(0);
    expect((await auditOf(id)).map((each) => (each as { action: string }).action)).toEqual(['CREATE', 'DELETE']);
    expect((await disconnect(id)).body.type).toBe('/problems/integration-not-found');
  });

  it('is refused while a sync configuration uses it', async () => {
    const { id } = (await connect()).body;
    const config = await configure(id, 'all');
    const refused = await disconnect(id);
    expect(refused.status).toBe(409);
    expect(refused.body.type).toBe('/problems/integration-in-use');
    const configPath = `/api/v1/admin/sync-configs/${config.body.id}`;
    expect((await platform.json('DELETE', configPath, { token: owner.accessToken })).status).toBe(204);
    expect((await disconnect(id)).status).toBe(204);
  });

  it('while configurations are created leaves none without its integration', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { id } = (await connect()).body;
      const calls = Array.from({ length: 6 }, (_, index) => configure(id, `config ${round} ${index}`));
      const [disconnected, ...configured] = await Promise.all([disconnect(id), ...calls]);
      const created = configured.filter(({ status }) => status === 201).length;
      expect(disconnected.status).toBe(created === 0 ? 204 : 409);
      expect(configured.every(({ status }) => status === 201 || status === 422)).toBe(true);
      await platform.database.sql`delete from sync_configs where org_id = ${owner.orgId}`;
      if (created > 0) await disconnect(id);
    }
  });
});

it('an integration of another organization can be neither seen, tested nor disconnected', async () => {
  const { id } = (await connect()).body;
  const stranger = await platform.signUp();
  const asked = host.requests.length;
  expect((await list(stranger)).body.items).toEqual([]);
  expect((await test(id, stranger)).body.type).toBe('/problems/integration-not-found');
  expect((await disconnect(id, stranger)).body.type).toBe('/problems/integration-not-found');
  expect(host.requests).toHaveLength(asked);
  expect((await list()).body.items).toHaveLength(1);
});
