import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { TestUser } from '../../../../support/platform.js';
import { redirectUri, startGitlabPlatform, type GitlabPlatform } from './gitlab-platform.js';

let parts: GitlabPlatform;
let owner: TestUser;

beforeAll(async () => {
  parts = await startGitlabPlatform();
});

beforeEach(async () => {
  parts.app.host.fault = () => undefined;
  parts.app.host.requests.length = 0;
  parts.app.grants.length = 0;
  owner = await parts.platform.signUp();
});

afterAll(() => parts.stop());

const living = (): number => parts.app.grants.filter(({ isRevoked }) => !isRevoked).length;

describe('connecting GitLab by the application', () => {
  it('leads to the page of the host with PKCE, the redirect address of this server, and reading as its only scope', async () => {
    const url = new URL(await parts.begin(owner));
    expect(url.origin + url.pathname).toBe(`${parts.app.host.url}/oauth/authorize`);
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      ...{ response_type: 'code', redirect_uri: redirectUri, scope: 'read_api', code_challenge_method: 'S256' },
    });
  });

  it('stores the tokens of the user, completes the onboarding, and is recorded', async () => {
    const callback = parts.app.authorize(await parts.begin(owner, { return_to: '/console/sources' }));
    const reply = await parts.finish(owner, callback);
    expect(reply).toMatchObject({
      status: 200,
      body: {
        ...{ outcome: 'connected', return_to: '/console/sources' },
        integration: {
          ...{ kind: 'app', provider: 'host_b', name: 'tanuki', account: 'tanuki', base_url: parts.app.host.url },
          ...{ is_active: true, inactive_reason: null },
        },
      },
    });
    expect(await parts.list(owner)).toEqual([reply.body.integration]);
    const token = owner.accessToken;
    const state = await parts.platform.json('GET', '/api/v1/auth/onboarding/state', { token });
    expect(state.body).toMatchObject({ next_step: 'complete', first_integration_connected: true });
    const audit = await parts.platform.database.sql`
      select action, note from audit_log where resource_id = ${reply.body.integration.id}`;
    expect([...audit]).toEqual([{ action: 'CREATE', note: 'host_b app tanuki' }]);
  });

  it('offers the projects of the user, and is tested', async () => {
    const { id } = await parts.connect(owner);
    const path = `/api/v1/admin/repositories?provider=host_b&integration_id=${id}`;
    const reply = await parts.platform.json('GET', path, { token: owner.accessToken });
    expect(reply.body.items.map(({ name }: { name: string }) => name)).toEqual(['acme/api', 'acme/web']);
    expect((await parts.test(owner, id)).body).toMatchObject({ success: true, error: null });
  });

  it('again by the same user keeps the integration, and by another one adds one', async () => {
    const first = await parts.connect(owner);
    expect(await parts.connect(owner)).toMatchObject({ id: first.id });
    expect((await parts.connect(owner, 'fox')).id).not.toBe(first.id);
    expect(await parts.list(owner)).toHaveLength(2);
  });

  it('in two organizations by the same user keeps their tokens apart', async () => {
    const other = await parts.platform.signUp();
    const [mine, theirs] = [await parts.connect(owner), await parts.connect(other)];
    expect((await parts.disconnect(owner, mine.id)).status).toBe(204);
    expect((await parts.test(other, theirs.id)).body.success).toBe(true);
  });

  it('is refused when the user has not agreed', async () => {
    const { searchParams } = new URL(await parts.begin(owner));
    expect(await parts.finish(owner, { state: searchParams.get('state') })).toMatchObject({
      status: 403,
      body: { type: '/problems/installation-refused' },
    });
  });

  it.each([
    ['cuts the connection', 'cut'],
    ['fails', { status: 502, body: 'Bad gateway' }],
    ['answers with a page', { status: 200, headers: { 'content-type': 'text/html' }, body: '<p>Sign in</p>' }],
    ['refuses the client', { status: 401, body: { error: 'invalid_client' } }],
    ['gives no refresh token', { status: 200, body: { access_token: 'x', token_type: 'bearer' } }],
  ] as const)('is 502 when the host %s', async (_what, fault) => {
    const callback = await parts.agreed(owner);
    parts.app.host.fault = ({ path }) => (path === '/oauth/token' ? fault : undefined);
    expect(await parts.finish(owner, callback)).toMatchObject({
      status: 502,
      body: { type: '/problems/code-host-failed' },
    });
    expect(await parts.list(owner)).toEqual([]);
  });

  it('is 502 when the host does not tell who the user is, and its tokens end', async () => {
    const callback = await parts.agreed(owner);
    parts.app.host.fault = ({ path }) => (path === '/api/v4/user' ? { status: 200, body: { id: 7 } } : undefined);
    expect((await parts.finish(owner, callback)).status).toBe(502);
    expect([parts.app.grants.length, living()]).toEqual([1, 0]);
  });

  it('whose verifier was sealed with another key has to start again, and asks the host for nothing', async () => {
    const callback = await parts.agreed(owner);
    await parts.platform.database.sql`
      update app_installation_starts set verifier_sealed = ${Buffer.from('another key has sealed this')}`;
    expect(await parts.finish(owner, callback)).toMatchObject({
      status: 400,
      body: { type: '/problems/invalid-installation-state' },
    });
    expect(parts.app.grants).toEqual([]);
  });

  it('beyond the maximum number of integrations is refused, and its tokens end', async () => {
    await parts.platform.database.sql`
      insert into integrations (org_id, provider, name, secret_sealed)
      select ${owner.orgId}, 'host_a', 'n' || n, '' from generate_series(1, 50) n`;
    expect(await parts.finish(owner, await parts.agreed(owner))).toMatchObject({
      status: 409,
      body: { type: '/problems/too-many-integrations' },
    });
    expect([parts.app.grants.length, living()]).toEqual([1, 0]);
  });
});

describe('disconnecting GitLab', () => {
  it('ends the tokens at the host', async () => {
    const { id } = await parts.connect(owner);
    expect(living()).toBe(1);
    expect((await parts.disconnect(owner, id)).status).toBe(204);
    expect(living()).toBe(0);
    expect(await parts.list(owner)).toEqual([]);
  });

  it('succeeds when the host is away, and the log says that the tokens live', async () => {
    const { id } = await parts.connect(owner);
    parts.app.host.fault = () => 'cut';
    expect((await parts.disconnect(owner, id)).status).toBe(204);
    expect(await parts.list(owner)).toEqual([]);
    expect(parts.platform.logLines.join('')).toMatch(/could not be revoked at the host/);
  });
});
