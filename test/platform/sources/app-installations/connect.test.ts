import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hostARepository } from '../../../support/hosts/host-a.js';
import type { JsonReply, TestUser } from '../../../support/platform.js';
import { startTestPlatform } from '../../../support/platform.js';
import { startAppPlatform, type AppPlatform } from './app-platform.js';

const whole = ['acme/api', 'acme/web'];

let parts: AppPlatform;
let owner: TestUser;

beforeAll(async () => {
  parts = await startAppPlatform();
  parts.app.repositories = [...whole, 'acme/secret'].map((name) => hostARepository(name));
});

beforeEach(async () => {
  parts.app.host.fault = () => undefined;
  parts.app.host.requests.length = 0;
  owner = await parts.platform.signUp();
});

afterAll(() => parts.stop());

const list = async (user: TestUser): Promise<JsonReply['body'][]> =>
  (await parts.platform.json('GET', '/api/v1/admin/integrations', { token: user.accessToken })).body.items;

const test = (user: TestUser, id: string): Promise<JsonReply> =>
  parts.platform.json('POST', `/api/v1/admin/integrations/${id}/test`, { token: user.accessToken });

const disconnect = (user: TestUser, id: string): Promise<JsonReply> =>
  parts.platform.json('DELETE', `/api/v1/admin/integrations/${id}`, { token: user.accessToken });

/** A second session of a user. */
async function logInAgain({ email, password }: TestUser): Promise<Pick<TestUser, 'accessToken'>> {
  const reply = await parts.platform.json('POST', '/api/v1/auth/login', { body: { email, password } });
  return { accessToken: String(reply.body.access_token) };
}

describe('connecting by the app', () => {
  it('leads to the page of the app at the host, and back to the page of the console', async () => {
    const { platform, app } = parts;
    const body = { return_to: '/console/onboarding' };
    const begun = await platform.json('POST', '/api/v1/admin/app-installations', { token: owner.accessToken, body });
    expect(begun.status).toBe(200);
    expect(begun.body.url).toMatch(`${app.host.url}/github-apps/plumbline-test/installations/new?state=`);
    const state = new URL(begun.body.url).searchParams.get('state');
    const { id } = app.install('acme', whole);
    const back = { state, code: app.codeOf('octo'), installation_id: String(id), setup_action: 'install' };
    const connected = await parts.finish(owner, back);
    expect(connected).toMatchObject({
      status: 200,
      body: {
        outcome: 'connected',
        return_to: '/console/onboarding',
        integration: {
          ...{ kind: 'app', provider: 'host_a', name: 'acme', account: 'acme', base_url: `${app.host.url}/api/v3` },
          ...{ is_active: true, inactive_reason: null },
        },
      },
    });
    expect(await list(owner)).toEqual([connected.body.integration]);
    const onboarding = await platform.json('GET', '/api/v1/auth/onboarding/state', { token: owner.accessToken });
    expect(onboarding.body).toMatchObject({ next_step: 'complete', first_integration_connected: true });
    const audit = await platform.database.sql`
      select action, note, user_id from audit_log where resource_id = ${connected.body.integration.id}`;
    expect([...audit]).toEqual([{ action: 'CREATE', note: 'host_a app acme', user_id: owner.userId }]);
  });

  it('begins with a fresh proof only', async () => {
    const { platform } = parts;
    await platform.database.sql`
      update refresh_tokens set family_created_at = family_created_at - interval '11 minutes'
      where user_id = ${owner.userId}`;
    const path = '/api/v1/admin/app-installations';
    const reply = await platform.json('POST', path, { token: owner.accessToken, body: {} });
    expect(reply).toMatchObject({ status: 403, body: { type: '/problems/recent-login-required' } });
  });

  it('offers the repositories of the installation', async () => {
    const { id } = await parts.connect(owner, parts.app.install('acme', whole));
    const path = `/api/v1/admin/repositories?provider=host_a&integration_id=${id}`;
    const reply = await parts.platform.json('GET', path, { token: owner.accessToken });
    expect(reply.body.items.map(({ name }: { name: string }) => name)).toEqual(whole);
  });

  it('uses its token until its end while the host gives no new one', async () => {
    const { clock } = parts.platform;
    const { id } = await parts.connect(owner, parts.app.install('acme', whole));
    const path = `/api/v1/admin/repositories?provider=host_a&integration_id=${id}`;
    const ask = async (): Promise<number> =>
      (await parts.platform.json('GET', path, { token: owner.accessToken })).status;
    const { sql } = parts.platform.database;
    const endsIn = (seconds: number): Promise<unknown> => sql`
      update integrations set token_expires_at = ${new Date(clock.now().getTime() + seconds * 1000)} where id = ${id}`;
    parts.app.host.fault = (request) => (request.path.endsWith('/access_tokens') ? 'cut' : undefined);
    await endsIn(240);
    expect(await ask()).toBe(200);
    expect((await test(owner, id)).body.success).toBe(false); // which needs a new one
    await endsIn(0);
    expect(await ask()).toBe(502);
    parts.app.host.fault = () => undefined;
    expect(await ask()).toBe(200);
  });

  it('is tested with a new token of the installation', async () => {
    const integration = await parts.connect(owner, parts.app.install('acme', whole));
    parts.app.endTokens();
    expect((await test(owner, integration.id)).body).toMatchObject({ success: true, error: null });
  });

  it('connects an installation that the account has already, by the name of the account', async () => {
    parts.app.install('Quiet-Rivers', whole);
    const body = { account: 'quiet-rivers' };
    const begun = await parts.platform.json('POST', '/api/v1/admin/app-installations', {
      token: owner.accessToken,
      body,
    });
    expect(begun.body.url).toMatch(`${parts.app.host.url}/login/oauth/authorize?client_id=`);
    const state = new URL(begun.body.url).searchParams.get('state');
    const reply = await parts.finish(owner, { state, code: parts.app.codeOf('octo') });
    expect(reply.body.integration).toMatchObject({ account: 'Quiet-Rivers' });
  });

  it('connects nothing when an owner at the host has only been asked', async () => {
    const state = await parts.begin(owner);
    const reply = await parts.finish(owner, { state, setup_action: 'request' });
    expect(reply).toMatchObject({ status: 200, body: { outcome: 'requested', integration: null } });
    expect(await list(owner)).toEqual([]);
  });

  it('again, of the same installation, keeps the integration', async () => {
    const installation = parts.app.install('acme', whole);
    const first = await parts.connect(owner, installation);
    expect(await parts.connect(owner, installation)).toMatchObject({ id: first.id });
    expect(await list(owner)).toHaveLength(1);
  });

  it('after a removal at the host continues the integration of the same account', async () => {
    const removed = parts.app.install('acme', whole);
    const first = await parts.connect(owner, removed);
    parts.app.installations.delete(removed.id);
    expect((await test(owner, first.id)).body.error).toMatch(/removed at the code host/);
    expect(await list(owner)).toMatchObject([{ id: first.id, is_active: false, inactive_reason: 'removed' }]);
    const again = await parts.connect(owner, parts.app.install('acme', whole));
    expect(again).toMatchObject({ id: first.id, is_active: true, inactive_reason: null });
  });

  it('gives the integration another name beside a token of the name of the account', async () => {
    const body = { provider: 'host_a', name: 'acme', token: 'a-token' };
    const path = '/api/v1/admin/integrations';
    await parts.platform.json('POST', path, { token: owner.accessToken, body });
    expect(await parts.connect(owner, parts.app.install('acme', whole))).toMatchObject({ name: 'acme (app)' });
    const { id } = parts.app.install('acme', whole);
    const back = { state: await parts.begin(owner), code: parts.app.codeOf('octo'), installation_id: String(id) };
    expect(await parts.finish(owner, back)).toMatchObject({
      status: 409,
      body: { type: '/problems/integration-exists' },
    });
  });

  it('tries a failed request to the host again', async () => {
    let failures = 0;
    parts.app.host.fault = ({ path }) => {
      if (!path.endsWith('/access_tokens') || failures > 0) return undefined;
      failures += 1;
      return { status: 502, body: 'Bad gateway' };
    };
    await parts.connect(owner, parts.app.install('acme', whole));
    expect(failures).toBe(1);
  });

  it.each(['/login/oauth/access_token', '/user/installations', '/access_tokens', '/repositories'])(
    'fails when the host does not answer %s',
    async (path) => {
      const { id } = parts.app.install('acme', whole);
      parts.app.host.fault = (request) => (request.path.endsWith(path) ? 'cut' : undefined);
      const back = { state: await parts.begin(owner), code: parts.app.codeOf('octo'), installation_id: String(id) };
      expect(await parts.finish(owner, back)).toMatchObject({
        status: 502,
        body: { type: '/problems/code-host-failed' },
      });
      expect(await list(owner)).toEqual([]);
    },
  );

  it('is refused beyond the maximum number of integrations', async () => {
    const { platform } = parts;
    await platform.database.sql`
      insert into integrations (org_id, provider, name, secret_sealed)
      select ${owner.orgId}, 'host_a', 'n' || n, '' from generate_series(1, 50) n`;
    const { id } = parts.app.install('acme', whole);
    const back = { state: await parts.begin(owner), code: parts.app.codeOf('octo'), installation_id: String(id) };
    expect(await parts.finish(owner, back)).toMatchObject({
      status: 409,
      body: { type: '/problems/too-many-integrations' },
    });
  });
});

describe('an installation belongs to one organization', () => {
  it('and another one that connects it is refused, until the first disconnects', async () => {
    const installation = parts.app.install('acme', whole);
    const first = await parts.connect(owner, installation);
    const other = await parts.platform.signUp();
    const back = async (): Promise<object> => ({
      state: await parts.begin(other),
      code: parts.app.codeOf('octo'),
      installation_id: String(installation.id),
    });
    expect(await parts.finish(other, await back())).toMatchObject({
      status: 409,
      body: { type: '/problems/installation-claimed' },
    });
    expect(await list(other)).toEqual([]);
    expect((await disconnect(owner, first.id)).status).toBe(204);
    expect((await parts.finish(other, await back())).status).toBe(200);
  });

  it('also when several connect it at once', async () => {
    const installation = parts.app.install('acme', whole);
    const users = await Promise.all(Array.from({ length: 6 }, () => parts.platform.signUp()));
    const replies = await Promise.all(
      users.map(async (user) => {
        const code = parts.app.codeOf('octo');
        return parts.finish(user, { state: await parts.begin(user), code, installation_id: String(installation.id) });
      }),
    );
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409]);
  });
});

describe('an attacker', () => {
  const refused = { status: 400, body: { type: '/problems/invalid-installation-state' } };
  const foreign = { status: 403, body: { type: '/problems/installation-refused' } };

  /** What the host sends a browser back with, for an installation of the user `octo`. */
  const backWith = (state: string): object => {
    const { id } = parts.app.install('acme', whole);
    return { state, code: parts.app.codeOf('octo'), installation_id: String(id) };
  };

  it('gets nowhere with an invented state', async () => {
    expect(await parts.finish(owner, backWith('an-invented-state'))).toMatchObject(refused);
  });

  it('cannot use a state twice', async () => {
    const back = backWith(await parts.begin(owner));
    expect((await parts.finish(owner, back)).status).toBe(200);
    expect(await parts.finish(owner, { ...back, code: parts.app.codeOf('octo') })).toMatchObject(refused);
  });

  it('cannot use a state after 10 minutes', async () => {
    const { platform } = parts;
    const back = backWith(await parts.begin(owner));
    platform.clock.advance(601);
    expect(await parts.finish(owner, back)).toMatchObject(refused);
    platform.clock.advance(-601);
  });

  it('cannot finish in the session of a victim, whose state ends with the attempt', async () => {
    const attacker = await parts.platform.signUp();
    const state = await parts.begin(attacker);
    expect(await parts.finish(owner, backWith(state))).toMatchObject(refused);
    expect(await parts.finish(attacker, backWith(state))).toMatchObject(refused);
    expect([...(await list(owner)), ...(await list(attacker))]).toEqual([]);
  });

  it('cannot use a state in another session of the same user', async () => {
    const back = backWith(await parts.begin(owner));
    expect(await parts.finish({ ...owner, ...(await logInAgain(owner)) }, back)).toMatchObject(refused);
  });

  it('cannot connect the installation of others by its id', async () => {
    const { id } = parts.app.install('victim', whole, 'victim');
    const back = { state: await parts.begin(owner), code: parts.app.codeOf('mallory'), installation_id: String(id) };
    expect(await parts.finish(owner, back)).toMatchObject(foreign);
    expect(await list(owner)).toEqual([]);
  });

  it('cannot connect an installation of which they can read a part only', async () => {
    const installation = parts.app.install('victim', [...whole, 'acme/secret'], 'victim');
    installation.readers['mallory'] = ['acme/api'];
    const back = {
      state: await parts.begin(owner),
      code: parts.app.codeOf('mallory'),
      installation_id: String(installation.id),
    };
    expect(await parts.finish(owner, back)).toMatchObject(foreign);
    expect(await list(owner)).toEqual([]);
  });

  it.each([
    ['an invented code', () => ({ code: 'invented' })],
    ['no code', () => ({})],
  ])('gets nowhere with %s', async (_what, code) => {
    const { id } = parts.app.install('acme', whole);
    const back = { state: await parts.begin(owner), installation_id: String(id), ...code() };
    expect(await parts.finish(owner, back)).toMatchObject(foreign);
  });

  it('cannot use a code of the host twice', async () => {
    const { id } = parts.app.install('acme', whole);
    const code = parts.app.codeOf('octo');
    const back = async (): Promise<object> => ({ state: await parts.begin(owner), code, installation_id: String(id) });
    expect((await parts.finish(owner, await back())).status).toBe(200);
    expect(await parts.finish(owner, await back())).toMatchObject(foreign);
  });

  it('cannot finish after losing the role of an admin', async () => {
    const { platform } = parts;
    const admin = await platform.signUp({ invitedBy: owner, role: 'admin' });
    const back = backWith(await parts.begin(admin));
    const path = `/api/v1/organizations/${owner.orgId}/members/${admin.userId}`;
    await platform.json('PATCH', path, { token: owner.accessToken, body: { role: 'member' } });
    expect(await parts.finish(admin, back)).toMatchObject({
      status: 403,
      body: { type: '/problems/insufficient-role' },
    });
    expect(await list(owner)).toEqual([]);
  });

  it.each([
    'https://evil.example/console',
    '//evil.example',
    '/console/../evil',
    '/console//evil.example',
    '/\\evil.example',
    '/console/x#https://evil.example',
    '/console/onboarding?next=https://evil.example',
    '/login/oauth/authorize',
    'javascript:alert(1)',
    '/console/%2F%2Fevil.example',
    '/console%5Cevil.example',
    '/console/\t/evil.example',
    '/console/\n',
    '/console/／evil.example',
    ' /console',
    'HTTPS://evil.example/console',
    '/console/onboarding?next=%2F%2Fevil.example',
  ])('cannot have the console lead to %s', async (returnTo) => {
    const body = { return_to: returnTo };
    const reply = await parts.platform.json('POST', '/api/v1/admin/app-installations', {
      token: owner.accessToken,
      body,
    });
    expect(reply.status).toBe(422);
  });

  it('finds neither keys, nor tokens, nor codes, nor states in the log, in replies, or unencrypted in the database', async () => {
    const { platform, app } = parts;
    const state = await parts.begin(owner);
    const replies = [await parts.finish(owner, backWith(state)), { body: await list(owner) }];
    const { id } = (await list(owner))[0] ?? {};
    replies.push(await test(owner, id));
    const rows = await platform.database.sql`
      select row_to_json(i)::text as text from integrations i
      union all select row_to_json(s)::text from app_installation_starts s
      union all select row_to_json(a)::text from audit_log a`;
    const texts = [platform.logLines.join(''), JSON.stringify(replies), JSON.stringify(rows)];
    for (const secret of [...app.secrets, state]) for (const text of texts) expect(text).not.toContain(secret);
  });
});

describe('a suspended installation', () => {
  it('is shown as inactive, and becomes active when a test finds it usable', async () => {
    const installation = parts.app.install('acme', whole);
    const { id } = await parts.connect(owner, installation);
    installation.suspendedAt = '2026-03-02T09:00:00Z';
    expect((await test(owner, id)).body).toMatchObject({
      success: false,
      error: expect.stringMatching(/suspended at the code host/),
    });
    expect(await list(owner)).toMatchObject([{ is_active: false, inactive_reason: 'suspended' }]);
    installation.suspendedAt = null;
    expect((await test(owner, id)).body.success).toBe(true);
    expect(await list(owner)).toMatchObject([{ is_active: true, inactive_reason: null }]);
    const audit = await parts.platform.database.sql`
      select note from audit_log where resource_id = ${id} and action = 'UPDATE' order by at, id`;
    expect(audit.map(({ note }) => String(note)).sort()).toEqual([
      'app suspended at the code host',
      'app usable again at the code host',
    ]);
  });

  it('cannot be connected', async () => {
    const installation = parts.app.install('acme', whole);
    installation.suspendedAt = '2026-03-02T09:00:00Z';
    const code = parts.app.codeOf('octo');
    const back = { state: await parts.begin(owner), code, installation_id: String(installation.id) };
    expect(await parts.finish(owner, back)).toMatchObject({
      status: 403,
      body: { message: expect.stringMatching(/suspended/) },
    });
  });
});

describe('a server without an app', () => {
  it('refuses both steps and events of a host', async () => {
    const platform = await startTestPlatform();
    try {
      const user = await platform.signUp();
      const post = (path: string, body: object, headers = {}): Promise<JsonReply> =>
        platform.json('POST', path, { token: user.accessToken, body, headers });
      const none = { status: 409, body: { type: '/problems/app-not-configured' } };
      expect(await post('/api/v1/admin/app-installations', {})).toMatchObject(none);
      expect(await post('/api/v1/admin/app-installations/connect', { state: 'x' })).toMatchObject(none);
      const headers = parts.app.signed('push', '{}');
      expect(await post('/api/v1/host-events/github', {}, headers)).toMatchObject(none);
    } finally {
      await platform.stop();
    }
  });
});
