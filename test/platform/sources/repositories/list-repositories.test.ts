import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { randomUUID } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { startTestPlatform, type JsonReply, type TestPlatform, type TestUser } from '../../../support/platform.js';
import { signUpWithOrganizationId } from '../../../support/organization-id.js';
import { json, startCodeHostDouble, type CodeHostDouble } from '../integrations/code-host-double.js';

/** The organization that may read local repositories. */
const localOrganization = randomUUID();

let platform: TestPlatform;
let local: TestUser;
let owner: TestUser;
let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'plumbline-repositories-'));
  for (const path of [
    'api/.git',
    'group/web/.git',
    'group/bare.git/objects',
    'group/bare.git/refs',
    '.hidden/x/.git',
  ]) {
    await mkdir(join(root, path), { recursive: true });
  }
  await mkdir(join(root, 'group/bare.git/HEAD'));
  await mkdir(join(root, 'api/inner/.git'), { recursive: true });
  await mkdir(join(root, 'a/b/c/d/deep/.git'), { recursive: true });
  await symlink(join(root, 'api'), join(root, 'link'));
  platform = await startTestPlatform({
    environment: { SYNC_LOCAL_ROOT: root, SYNC_LOCAL_ORGANIZATIONS: localOrganization.toUpperCase() },
  });
  local = await signUpWithOrganizationId(platform, localOrganization);
});
beforeEach(async () => {
  owner = await platform.signUp();
});
afterAll(async () => {
  await platform.stop();
  await rm(root, { recursive: true, force: true });
});

function list(query: Readonly<Record<string, string>>, by = owner): Promise<JsonReply> {
  const path = `/api/v1/admin/repositories?${new URLSearchParams(query).toString()}`;
  return platform.json('GET', path, { token: by.accessToken });
}

const names = ({ body }: JsonReply): string[] => body.items.map(({ name }: { name: string }) => name);

async function connect(
  provider: 'host_a' | 'host_b' | 'gitea' | 'jira',
): Promise<CodeHostDouble & { readonly integrationId: string }> {
  const host = await startCodeHostDouble();
  onTestFinished(() => host.stop());
  const body = { provider, name: 'main', token: 'quiet-token', base_url: host.url };
  const reply = await platform.json('POST', '/api/v1/admin/integrations', { token: owner.accessToken, body });
  expect(reply.status).toBe(201);
  return { ...host, integrationId: String(reply.body.id) };
}

/** Answers as host_a: pages of a hundred, with a link to the next one. */
function pagesOf(all: readonly string[]): RequestListener {
  return (request, response) => {
    const page = Number(new URL(request.url ?? '', 'http://host').searchParams.get('page'));
    const items = all.slice((page - 1) * 100, page * 100).map((name) => ({ full_name: name, private: true }));
    const link = page * 100 < all.length ? { link: '<https://host.test/next>; rel="next"' } : {};
    json(200, items, link)(request, response);
  };
}

describe('synthetic repositories', () => {
  it('are listed, searched and paged', async () => {
    const all = await list({ provider: 'synthetic' });
    expect(all.body.items).toContainEqual({ name: 'acme/api', is_private: null, is_archived: null });
    expect(names(await list({ provider: 'synthetic', query: 'SHOP' }))).toEqual(['acme/web-shop']);
    const first = await list({ provider: 'synthetic', limit: '3' });
    const second = await list({ provider: 'synthetic', cursor: first.body.next_cursor });
    expect([...names(first), ...names(second)]).toEqual(names(all));
    expect(second.body.next_cursor).toBeNull();
  });
});

describe('repositories on the server', () => {
  it('are those below the open folder, without hidden folders, links and nested repositories', async () => {
    expect(names(await list({ provider: 'local' }, local))).toEqual(['api', 'group/bare.git', 'group/web']);
  });

  it('are empty for every organization that the operator does not name', async () => {
    expect((await list({ provider: 'local' })).body).toEqual({ items: [], next_cursor: null });
    const { accessToken: token, orgId } = await platform.signUp();
    await platform.database.sql`update organizations set name = ${localOrganization} where id = ${orgId}`;
    const reply = await platform.json('GET', '/api/v1/admin/repositories?provider=local', { token });
    expect(reply.body).toEqual({ items: [], next_cursor: null });
  });

  it('are announced at the start to be for nobody if the operator names no organization', async () => {
    const unnamed = await startTestPlatform({ environment: { SYNC_LOCAL_ROOT: root } });
    onTestFinished(() => unnamed.stop());
    expect(unnamed.logLines.join('\n')).toContain('name them in SYNC_LOCAL_ORGANIZATIONS');
    expect(platform.logLines.join('\n')).not.toContain('SYNC_LOCAL_ORGANIZATIONS');
  });

  it('are empty if no folder is open', async () => {
    const closed = await startTestPlatform();
    onTestFinished(() => closed.stop());
    const { accessToken: token } = await closed.signUp();
    const reply = await closed.json('GET', '/api/v1/admin/repositories?provider=local', { token });
    expect(reply.body).toEqual({ items: [], next_cursor: null });
  });
});

describe('repositories of a code host', () => {
  const many = Array.from({ length: 250 }, (_, index) => `acme/service-${String(index).padStart(3, '0')}`);

  it('are those that the token can see, page by page', async () => {
    const { integrationId, answer, requests } = await connect('host_a');
    answer(pagesOf(many));
    const seen: string[] = [];
    for (let cursor = ''; ;) {
      const query = { provider: 'host_a', integration_id: integrationId, limit: '120' };
      const reply = await list(cursor === '' ? query : { ...query, cursor });
      expect(reply.status).toBe(200);
      seen.push(...names(reply));
      if (reply.body.next_cursor === null) break;
      cursor = reply.body.next_cursor;
    }
    expect(seen).toEqual(many);
    expect(requests[0]).toMatchObject({ authorization: 'Bearer quiet-token', path: expect.stringMatching(/^\/user/) });
  });

  it('are those of the owner of the token at a Gitea', async () => {
    const { integrationId, answer, requests } = await connect('gitea');
    answer(json(200, [{ full_name: 'acme/api', private: true, archived: false }]));
    const reply = await list({ provider: 'gitea', integration_id: integrationId });
    expect(reply.body).toEqual({
      items: [{ name: 'acme/api', is_private: true, is_archived: false }],
      next_cursor: null,
    });
    expect(requests[0]).toMatchObject({ path: '/api/v1/user/repos?limit=50&page=1' });
  });

  it('are the projects that the token may browse at a Jira, by their keys', async () => {
    const { integrationId, answer, requests } = await connect('jira');
    answer(
      json(200, [
        { key: 'SHOP', name: 'Web shop', isPrivate: true },
        { key: 'OPS', name: 'Operations' },
      ]),
    );
    const reply = await list({ provider: 'jira', integration_id: integrationId });
    expect(reply.body).toEqual({
      items: [
        { name: 'SHOP', is_private: true, is_archived: null },
        { name: 'OPS', is_private: null, is_archived: null },
      ],
      next_cursor: null,
    });
    expect(requests[0]).toMatchObject({ path: '/rest/api/2/project' });
  });

  it('are searched by their names', async () => {
    const { integrationId, answer } = await connect('host_a');
    answer(pagesOf(many));
    const reply = await list({ provider: 'host_a', integration_id: integrationId, query: 'Service-24' });
    expect(names(reply)).toHaveLength(10);
    expect(reply.body.items[0]).toEqual({ name: 'acme/service-240', is_private: true, is_archived: null });
  });

  it('are searched on five pages of the host at a time', async () => {
    const { integrationId, answer, requests } = await connect('host_a');
    const far = [...Array.from({ length: 620 }, (_, index) => `acme/other-${index}`), 'acme/wanted'];
    answer(pagesOf(far));
    const query = { provider: 'host_a', integration_id: integrationId, query: 'wanted' };
    const first = await list(query);
    expect([first.body.items, requests.length]).toEqual([[], 5]);
    expect(names(await list({ ...query, cursor: first.body.next_cursor }))).toEqual(['acme/wanted']);
  });

  it('are searched by the host if it supports that', async () => {
    const { integrationId, answer, requests } = await connect('host_b');
    const project = { path_with_namespace: 'acme/api', visibility: 'internal', archived: true };
    answer(json(200, [project, { path_with_namespace: 'acme/other', description: 'an API' }]));
    const reply = await list({ provider: 'host_b', integration_id: integrationId, query: 'api' });
    expect(reply.body).toEqual({
      items: [{ name: 'acme/api', is_private: true, is_archived: true }],
      next_cursor: null,
    });
    expect(requests[0]?.path).toMatch(/^\/api\/v4\/projects\?membership=true.*&search=api$/);
  });

  it.each([
    ['refuses the token', json(401, {}), 'The code host rejected the token.'],
    ['is something else', json(200, { hello: 'world' }), /cannot be reached, or does not respond like GitHub/],
    ['fails', json(500, {}), /cannot be reached, or does not respond like GitHub/],
    ['lists what has no name', json(200, [{ id: 1 }]), /cannot be reached, or does not respond like GitHub/],
  ])('are refused with the reason where the host %s', async (_what, listener, message) => {
    const { integrationId, answer } = await connect('host_a');
    answer(listener);
    const reply = await list({ provider: 'host_a', integration_id: integrationId });
    expect(reply).toMatchObject({ status: 502, body: { type: '/problems/code-host-failed' } });
    expect(reply.body.message).toMatch(message);
    expect(reply.headers.get('RateLimit-Policy')).toContain('"repositories"');
    expect(JSON.stringify(reply.body)).not.toContain('quiet-token');
  });

  it('get the same message for a host in a network that is not allowed', async () => {
    const closed = await startTestPlatform({ environment: { INTEGRATION_NETWORKS: '' } });
    onTestFinished(() => closed.stop());
    const { accessToken: token } = await closed.signUp();
    const host = await startCodeHostDouble();
    onTestFinished(() => host.stop());
    const body = { provider: 'host_a', name: 'main', token: 'x', base_url: host.url.replace('127.0.0.1', 'localhost') };
    const { id } = (await closed.json('POST', '/api/v1/admin/integrations', { token, body })).body;
    const path = `/api/v1/admin/repositories?provider=host_a&integration_id=${id}`;
    const reply = await closed.json('GET', path, { token });
    expect(reply.body.message).toMatch(/cannot be reached, or does not respond like GitHub/);
    expect(host.requests).toEqual([]);
  });
});

describe('a request for repositories', () => {
  it('names an integration of the organization and the provider, for code hosts alone', async () => {
    const { integrationId } = await connect('host_a');
    const stranger = await platform.signUp();
    const refused = [
      await list({ provider: 'host_a' }),
      await list({ provider: 'local', integration_id: integrationId }),
      await list({ provider: 'host_b', integration_id: integrationId }),
      await list({ provider: 'host_a', integration_id: integrationId }, stranger),
    ];
    for (const { status, body } of refused) {
      expect([status, body.violations[0].path]).toEqual([422, '/query/integration_id']);
    }
  });

  it('is refused for a cursor that no page issued', async () => {
    const reply = await list({ provider: 'local', cursor: 'nonsense' });
    expect(reply.body.violations).toMatchObject([{ path: '/query/cursor' }]);
  });

  it('is counted per user', async () => {
    const limited = await startTestPlatform({ environment: { SYNC_REPOSITORIES_LIMIT: '2/hour' } });
    onTestFinished(() => limited.stop());
    const path = '/api/v1/admin/repositories?provider=synthetic';
    const [one, other] = [await limited.signUp(), await limited.signUp()];
    const statuses: number[] = [];
    for (const by of [one, one, one, other]) {
      statuses.push((await limited.json('GET', path, { token: by.accessToken })).status);
    }
    expect(statuses).toEqual([200, 200, 429, 200]);
  });
});
