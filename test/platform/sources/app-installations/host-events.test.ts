import { createHmac, randomUUID } from 'node:crypto';
import type { Log } from '@plumbline/contract/contract-types';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { queueRequestedSyncs } from '../../../../src/platform/sources/sync-runs/queue-requested-syncs.js';
import type { Installation } from '../../../support/hosts/app-host.js';
import { hostARepository } from '../../../support/hosts/host-a.js';
import type { JsonReply, TestUser } from '../../../support/platform.js';
import { queueOf, type Queue } from '../sync-runs/jobs/queue.js';
import { startAppPlatform, type AppPlatform } from './app-platform.js';

const names = ['acme/api', 'acme/web'];

let parts: AppPlatform;
let owner: TestUser;
let queue: Queue;
let installation: Installation;
let integrationId: string;

/** SYNC_JOBS is 0: no run begins unless a test says so. */
beforeAll(async () => {
  parts = await startAppPlatform({ environment: { SYNC_RUNS_PER_ORGANIZATION: '2' } });
  parts.app.repositories = names.map((name) => hostARepository(name));
});

beforeEach(async () => {
  parts.app.host.fault = () => undefined;
  owner = await parts.platform.signUp();
  queue = queueOf(parts.platform, owner);
  installation = parts.app.install('acme', [...names]);
  integrationId = (await parts.connect(owner, installation)).id;
});

afterAll(() => parts.stop());

const about = (fullName: string, more: object = {}): object => ({
  ref: 'refs/heads/main',
  repository: { full_name: fullName, default_branch: 'main' },
  installation: { id: installation.id },
  ...more,
});

const configure = (repositories: readonly string[]): Promise<string> =>
  queue.configure({ provider: 'host_a', integration_id: integrationId, repositories });

const ignore = (): void => {};

/** What a server with free workers does. */
const queueNow = (warn: Log['warn'] = ignore): Promise<void> =>
  queueRequestedSyncs(parts.platform.database.sql, new Date(), 2, { debug: ignore, info: ignore, warn, error: ignore });

async function runsOf(configId: string): Promise<{ status: string; repositories: string[] }[]> {
  const rows = await parts.platform.database.sql<{ status: string; repositories: string[] }[]>`
    select status, repositories from sync_runs where sync_config_id = ${configId} order by created_at, id`;
  return [...rows];
}

/** Sets the state of the active run, as its worker does. */
async function set(configId: string, status: 'running' | 'complete'): Promise<void> {
  await parts.platform.database.sql`
    update sync_runs set status = ${status}, started_at = now(),
      finished_at = ${status === 'complete' ? new Date() : null}
    where sync_config_id = ${configId} and status in ('pending', 'running')`;
}

const outcome = (reply: JsonReply): unknown => (reply.status === 200 ? reply.body.outcome : reply.status);

describe('a change at the code host', () => {
  it.each([
    ['push', {}],
    ['pull_request', { action: 'synchronize', ref: undefined }],
    ['deployment', { action: 'created', ref: undefined }],
  ])('of the kind %s starts a sync of that repository', async (event, more) => {
    const id = await configure(['acme/*']);
    expect(outcome(await parts.deliver(event, about('acme/api', more)))).toBe('accepted');
    await queueNow();
    expect(await runsOf(id)).toEqual([{ status: 'pending', repositories: ['acme/api'] }]);
    const audit = await parts.platform.database.sql`
      select note, user_id from audit_log where action = 'SYNC_STARTED' and org_id = ${owner.orgId}`;
    expect([...audit]).toEqual([{ note: 'repositories changed at the code host, or are due', user_id: null }]);
  });

  it('that adds repositories to the installation starts a sync of those that are configured', async () => {
    const id = await configure(['acme/web', 'acme/new-*']);
    const added = [{ full_name: 'acme/new-one' }, { full_name: 'acme/other' }];
    const body = { action: 'added', installation: { id: installation.id }, repositories_added: added };
    expect(outcome(await parts.deliver('installation_repositories', body))).toBe('accepted');
    await queueNow();
    expect(await runsOf(id)).toMatchObject([{ repositories: ['acme/new-one'] }]);
  });

  it('starts a sync of each configuration that covers the repository, also by a token', async () => {
    const token = await queue.connect('host_a', `${parts.app.host.url}/api/v3`, 'token');
    const ids = [
      await configure(['acme/api']),
      await queue.configure({ provider: 'host_a', integration_id: token, repositories: ['acme/a*'] }),
      await configure(['acme/web']),
    ];
    await parts.deliver('push', about('acme/api'));
    await queueNow();
    expect((await Promise.all(ids.map(runsOf))).map((runs) => runs.length)).toEqual([1, 1, 0]);
  });

  it('starts the syncs of the other configurations where one cannot be queued', async () => {
    const { sql } = parts.platform.database;
    const [broken, other] = [await configure(['acme/api']), await configure(['acme/a*'])].sort();
    await sql.unsafe(`
      create function refuse_run() returns trigger language plpgsql as $$ begin raise exception 'refused'; end $$;
      create trigger refuse_run before insert on sync_runs
        for each row when (new.sync_config_id = '${broken}') execute function refuse_run()`);
    try {
      await parts.deliver('push', about('acme/api'));
      const warnings: object[] = [];
      await queueNow((fields) => warnings.push(fields));
      expect(await runsOf(String(other))).toMatchObject([{ repositories: ['acme/api'] }]);
      expect(await runsOf(String(broken))).toEqual([]);
      expect(warnings).toMatchObject([{ sync_config_id: broken, org_id: owner.orgId }]);
    } finally {
      await sql.unsafe('drop trigger refuse_run on sync_runs; drop function refuse_run');
    }
    await queueNow();
    expect(await runsOf(String(broken))).toMatchObject([{ repositories: ['acme/api'] }]);
  });

  it('concerns neither other organizations, nor inactive configurations, nor those of other hosts', async () => {
    const other = await parts.platform.signUp();
    const foreign = queueOf(parts.platform, other);
    const token = await foreign.connect('host_a', `${parts.app.host.url}/api/v3`, 'token');
    const ids = [
      await foreign.configure({ provider: 'host_a', integration_id: token, repositories: ['acme/*'] }),
      await queue.configure({
        ...{ provider: 'host_a', repositories: ['acme/*'] },
        integration_id: await queue.connect('host_a', 'https://elsewhere.example', 'token'),
      }),
      await configure(['acme/*']),
    ];
    const path = `/api/v1/admin/sync-configs/${ids[2]}`;
    await parts.platform.json('PATCH', path, { token: owner.accessToken, body: { is_active: false } });
    expect(outcome(await parts.deliver('push', about('acme/api')))).toBe('ignored');
    await queueNow();
    for (const id of ids) expect(await runsOf(id)).toEqual([]);
  });

  it.each([
    ['a push to another branch', 'push', { ref: 'refs/heads/topic' }],
    ['a push of a tag', 'push', { ref: 'refs/tags/v1' }],
    ['a comment', 'issue_comment', {}],
    ['an installation that is not connected', 'push', { installation: { id: 7 } }],
    ['no installation', 'push', { installation: null }],
    ['a repository without a name', 'push', { repository: {} }],
    ['a repository that nobody syncs', 'push', { repository: { full_name: 'other/thing' } }],
  ])('is ignored if it is %s', async (_what, event, more) => {
    const id = await configure(['acme/*']);
    expect(outcome(await parts.deliver(event, about('acme/api', more)))).toBe('ignored');
    await queueNow();
    expect(await runsOf(id)).toEqual([]);
  });

  it('is ignored if the configuration leaves the repository out', async () => {
    const id = await configure(['acme/*', '!acme/web']);
    expect(outcome(await parts.deliver('push', about('acme/web')))).toBe('ignored');
    expect(outcome(await parts.deliver('push', about('acme/api')))).toBe('accepted');
    await queueNow();
    expect(await runsOf(id)).toMatchObject([{ repositories: ['acme/api'] }]);
  });

  it.each([['[]'], ['null'], ['"text"'], ['7']])('is ignored if its body is %s', async (body) => {
    const path = `${parts.platform.url}/api/v1/host-events/github`;
    const reply = await parts.platform.fetch(path, { method: 'POST', headers: parts.app.signed('push', body), body });
    expect(await reply.json()).toEqual({ outcome: 'ignored' });
  });
});

describe('a burst of changes', () => {
  it('is served by one run that has not begun', async () => {
    const id = await configure(['acme/*']);
    await Promise.all(Array.from({ length: 20 }, () => parts.deliver('push', about('acme/api'))));
    await Promise.all([queueNow(), queueNow(), queueNow()]);
    await parts.deliver('push', about('acme/web'));
    await queueNow();
    expect(await runsOf(id)).toEqual([{ status: 'pending', repositories: names }]);
  });

  it('during a run is served by one run after it', async () => {
    const id = await configure(['acme/*']);
    await queue.start(id);
    await set(id, 'running');
    for (const name of [...names, ...names]) await parts.deliver('push', about(name));
    await queueNow();
    expect(await runsOf(id)).toMatchObject([{ status: 'running' }]);
    await set(id, 'complete');
    await queueNow();
    await queueNow();
    expect(await runsOf(id)).toEqual([
      { status: 'complete', repositories: ['acme/*'] },
      { status: 'pending', repositories: names },
    ]);
  });

  it('is served by a run of everything that has not begun', async () => {
    const id = await configure(['acme/*']);
    await queue.start(id);
    await parts.deliver('push', about('acme/api'));
    await queueNow();
    await set(id, 'complete');
    await queueNow();
    expect(await runsOf(id)).toEqual([{ status: 'complete', repositories: ['acme/*'] }]);
  });

  it('waits while the organization has as many runs as permitted', async () => {
    const busy = [await configure(['acme/web']), await configure(['acme/x'])];
    for (const each of busy) await queue.start(each);
    const id = await configure(['acme/api']);
    await parts.deliver('push', about('acme/api'));
    await queueNow();
    expect(await runsOf(id)).toEqual([]);
    await set(busy[0] ?? '', 'complete');
    await queueNow();
    expect(await runsOf(id)).toMatchObject([{ status: 'pending' }]);
  });
});

describe('a webhook is refused', () => {
  const body = JSON.stringify({ zen: 'Speak like a human.' });
  const sha1 = `sha1=${createHmac('sha1', 'webhook-secret-of-the-app').update(body).digest('hex')}`;

  it.each([
    ['without a signature', { 'X-Hub-Signature-256': '' }],
    ['with the signature of another secret', { 'X-Hub-Signature-256': `sha256=${'0'.repeat(64)}` }],
    ['with a SHA-1 signature only', { 'X-Hub-Signature-256': '', 'X-Hub-Signature': sha1 }],
    ['with a SHA-1 signature as SHA-256', { 'X-Hub-Signature-256': sha1 }],
    ['with a signature of another length', { 'X-Hub-Signature-256': 'sha256=00' }],
  ])('%s', async (_what, headers) => {
    const reply = await parts.platform.fetch(`${parts.platform.url}/api/v1/host-events/github`, {
      method: 'POST',
      headers: { ...parts.app.signed('push', body), ...headers },
      body,
    });
    expect(reply.status).toBe(403);
    expect(await reply.json()).toMatchObject({ type: '/problems/invalid-webhook-signature' });
  });

  it('with another body than the signed one, down to a blank', async () => {
    const signed = parts.app.signed('push', body);
    const reply = await parts.platform.fetch(`${parts.platform.url}/api/v1/host-events/github`, {
      method: 'POST',
      headers: signed,
      body: `${body} `,
    });
    expect(reply.status).toBe(403);
  });

  it('after many with wrong signatures from an address, whose right ones are not counted', async () => {
    const limited = await startAppPlatform({ environment: { HOST_EVENT_LIMIT: '3/hour' } });
    try {
      const wrong = { 'X-Hub-Signature-256': 'sha256=00' };
      const statuses: number[] = [];
      for (let n = 0; n < 5; n += 1) statuses.push((await limited.deliver('ping', {})).status);
      for (let n = 0; n < 4; n += 1) statuses.push((await limited.deliver('ping', {}, wrong)).status);
      expect(statuses).toEqual([200, 200, 200, 200, 200, 403, 403, 403, 429]);
    } finally {
      await limited.stop();
    }
  });
});

describe('a delivery', () => {
  it('takes effect once', async () => {
    const id = await configure(['acme/*']);
    const headers = { 'X-GitHub-Delivery': randomUUID() };
    expect(outcome(await parts.deliver('push', about('acme/api'), headers))).toBe('accepted');
    await queueNow();
    await set(id, 'complete');
    expect(outcome(await parts.deliver('push', about('acme/api'), headers))).toBe('repeated');
    await queueNow();
    expect(await runsOf(id)).toHaveLength(1);
  });

  it('of text beyond ASCII is checked byte by byte', async () => {
    await configure(['acme/*']);
    const body = about('acme/api', { head_commit: { message: 'Größe: 10 €, 👍' } });
    expect(outcome(await parts.deliver('push', body))).toBe('accepted');
  });
});

describe('an event of the installation', () => {
  const stateOf = async (): Promise<unknown> => {
    const path = '/api/v1/admin/integrations';
    const [integration] = (await parts.platform.json('GET', path, { token: owner.accessToken })).body.items;
    return [integration.is_active, integration.inactive_reason];
  };
  const deliver = (action: string): Promise<JsonReply> =>
    parts.deliver('installation', { action, installation: { id: installation.id } });

  it('suspends and resumes the integration', async () => {
    installation.suspendedAt = '2026-03-02T09:00:00Z';
    expect(outcome(await deliver('suspend'))).toBe('accepted');
    expect(await stateOf()).toEqual([false, 'suspended']);
    installation.suspendedAt = null;
    await deliver('unsuspend');
    expect(await stateOf()).toEqual([true, null]);
  });

  it('that comes late does not hide what is true at the host', async () => {
    await deliver('suspend');
    expect(await stateOf()).toEqual([true, null]);
  });

  it('makes the integration inactive when the app is removed', async () => {
    parts.app.installations.delete(installation.id);
    await deliver('deleted');
    expect(await stateOf()).toEqual([false, 'removed']);
  });

  it('asks the host to deliver it again when its state cannot be read, and is handled then', async () => {
    installation.suspendedAt = '2026-03-02T09:00:00Z';
    parts.app.host.fault = () => 'cut';
    expect(await deliver('suspend')).toMatchObject({ status: 502, body: { type: '/problems/code-host-failed' } });
    parts.app.host.fault = () => undefined;
    expect(outcome(await deliver('suspend'))).toBe('accepted');
    expect(await stateOf()).toEqual([false, 'suspended']);
  });
});

describe('an event that cannot be stored', () => {
  it('is an error that still reports the limits, and is handled when the host sends it again', async () => {
    const { sql } = parts.platform.database;
    const id = await configure(['acme/*']);
    const delivery = { 'X-GitHub-Delivery': randomUUID() };
    await sql`alter table host_events rename to elsewhere`;
    const failed = await parts.deliver('push', about('acme/api'), delivery);
    await sql`alter table elsewhere rename to host_events`;
    expect([failed.status, failed.body.type]).toEqual([500, '/problems/internal-error']);
    expect(failed.headers.get('RateLimit')).toMatch(/r=\d+;t=\d+/);
    expect(outcome(await parts.deliver('push', about('acme/api'), delivery))).toBe('accepted');
    await queueNow();
    expect(await runsOf(id)).toHaveLength(1);
  });
});
