import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { HostRequest } from '../../../../support/hosts/server.js';
import type { JsonReply, TestUser } from '../../../../support/platform.js';
import { startTestPlatform } from '../../../../support/platform.js';
import { appBaseUrl, startGitlabPlatform, type GitlabPlatform } from './gitlab-platform.js';

let parts: GitlabPlatform;
let owner: TestUser;

/** Both servers have it, so that one reads what the other has stored. */
const SECRETS_KEY = Buffer.alloc(32, 7).toString('base64');

beforeAll(async () => {
  parts = await startGitlabPlatform({ environment: { SECRETS_KEY } });
});

beforeEach(async () => {
  parts.app.host.fault = () => undefined;
  parts.app.grants.length = 0;
  parts.app.lifetimeSeconds = 7200;
  owner = await parts.platform.signUp();
  parts.app.host.requests.length = 0;
});

afterAll(() => parts.stop());

const isRefresh = ({ path, body }: HostRequest): boolean =>
  path === '/oauth/token' && body.includes('grant_type=refresh_token');

const refreshes = (): number => parts.app.host.requests.filter(isRefresh).length;

/** Asks for the projects, for which the stored token is good enough. */
const ask = (id: string, platform = parts.platform): Promise<JsonReply> =>
  platform.json('GET', `/api/v1/admin/repositories?provider=host_b&integration_id=${id}`, { token: owner.accessToken });

/** The host answers no refresh until the result is called. */
function holdRefreshes(): () => void {
  let release = (): void => undefined;
  const held = new Promise<undefined>((resolve) => {
    release = () => {
      resolve(undefined);
    };
  });
  parts.app.host.fault = (request) => (isRefresh(request) ? held : undefined);
  return release;
}

async function waitingForLocks(): Promise<number> {
  const rows = await parts.platform.database.sql`
    select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  return rows.length;
}

describe('the tokens of GitLab', () => {
  it('are used until shortly before their end, and then exchanged for the next ones', async () => {
    parts.app.lifetimeSeconds = 400;
    const { id } = await parts.connect(owner);
    parts.platform.clock.advance(99);
    expect((await ask(id)).status).toBe(200);
    expect(refreshes()).toBe(0);
    parts.platform.clock.advance(2);
    expect([(await ask(id)).status, (await ask(id)).status]).toEqual([200, 200]);
    expect(refreshes()).toBe(1);
    parts.platform.clock.advance(101);
    expect((await ask(id)).status).toBe(200);
    expect(refreshes()).toBe(2);
  });

  it('are exchanged once when many requests need the next one, also at another server', async () => {
    const { platform, app } = parts;
    app.lifetimeSeconds = 400;
    const { id } = await parts.connect(owner);
    app.lifetimeSeconds = 7200;
    const second = await startTestPlatform({
      ...{ clock: platform.clock, databaseUri: platform.databaseUri },
      environment: { APP_BASE_URL: appBaseUrl, SECRETS_KEY, ...app.environment },
    });
    try {
      platform.clock.advance(101);
      const release = holdRefreshes();
      const servers = [platform, second, platform, second, platform, second];
      const asked = servers.map((server) => ask(id, server));
      // One server is at the host, the other one waits for the lock. Without a lock, both would be at the host.
      await expect.poll(async () => refreshes() + (await waitingForLocks())).toBe(2);
      release();
      const replies = await Promise.all(asked);
      expect(replies.map(({ status }) => status)).toEqual(servers.map(() => 200));
      expect(refreshes()).toBe(1);
      expect(app.grants.filter(({ isRevoked }) => !isRevoked)).toHaveLength(1);
      expect((await parts.test(owner, id)).body.success).toBe(true);
    } finally {
      await second.stop();
    }
  });

  it('keep no connections of the database from other requests while the host is slow', async () => {
    parts.app.lifetimeSeconds = 400;
    const { id } = await parts.connect(owner);
    parts.platform.clock.advance(101);
    const release = holdRefreshes();
    const asked = Array.from({ length: 20 }, () => ask(id));
    await expect.poll(refreshes).toBe(1);
    const { status } = await parts.platform.json('GET', '/api/v1/auth/me', { token: owner.accessToken });
    expect(status).toBe(200);
    release();
    expect(new Set((await Promise.all(asked)).map((reply) => reply.status))).toEqual(new Set([200]));
    expect(refreshes()).toBe(1);
  });

  it('that the host has ended make the integration inactive, until GitLab is connected again', async () => {
    const { id } = await parts.connect(owner);
    parts.app.revokeAll();
    const { body } = await parts.test(owner, id);
    expect(body).toMatchObject({ success: false, error: expect.stringMatching(/Connect GitLab again/) });
    expect(await parts.list(owner)).toMatchObject([{ id, is_active: false, inactive_reason: 'removed' }]);
    const again = await parts.connect(owner);
    expect(again).toMatchObject({ id, is_active: true, inactive_reason: null });
    expect((await parts.test(owner, id)).body.success).toBe(true);
    const audit = await parts.platform.database.sql`
      select note from audit_log where resource_id = ${id} and action = 'UPDATE' order by at, id`;
    expect(audit.map(({ note }) => String(note))).toContain('app removed at the code host');
  });

  it.each([
    ['is away', 'cut'],
    ['answers half', { status: 200, body: '{"access_token":"' }],
    ['fails', { status: 503, body: { error: 'temporarily_unavailable' } }],
    ['limits', { status: 429, headers: { 'retry-after': '60' }, body: 'Retry later' }],
    ['does not know the secret of the application', { status: 401, body: { error: 'invalid_client' } }],
  ] as const)('are kept when the host %s', async (_what, fault) => {
    const { id } = await parts.connect(owner);
    parts.app.host.fault = (request) => (isRefresh(request) ? fault : undefined);
    expect((await parts.test(owner, id)).body.success).toBe(false);
    expect(await parts.list(owner)).toMatchObject([{ id, is_active: true, inactive_reason: null }]);
    parts.app.host.fault = () => undefined;
    expect((await parts.test(owner, id)).body.success).toBe(true);
  });

  it('whose successors got lost on the way are reported as ended, because the host accepts them once', async () => {
    const { id } = await parts.connect(owner);
    let lost = 0;
    parts.app.host.fault = (request) => {
      if (!isRefresh(request) || lost > 0) return undefined;
      lost += 1;
      return 'cut in the middle';
    };
    expect((await parts.test(owner, id)).body.success).toBe(false);
    expect((await parts.test(owner, id)).body.error).toMatch(/Connect GitLab again/);
    expect(await parts.connect(owner)).toMatchObject({ id, is_active: true });
  });

  it('are neither in replies nor in the log, and encrypted in the database', async () => {
    const { platform, app } = parts;
    const callback = await parts.agreed(owner);
    const { body } = await parts.finish(owner, callback);
    const replies = [body, await parts.test(owner, body.integration.id), await parts.list(owner)];
    const begun = new URL(await parts.begin(owner)).searchParams.get('state') ?? '';
    const rows = await platform.database.sql`
      select row_to_json(i)::text as text from integrations i
      union all select row_to_json(s)::text from app_installation_starts s
      union all select row_to_json(a)::text from audit_log a`;
    const texts = [platform.logLines.join(''), JSON.stringify(replies), JSON.stringify(rows)];
    for (const secret of [...app.secrets, begun, callback.state]) {
      for (const text of texts) expect(text).not.toContain(secret);
    }
  });
});
