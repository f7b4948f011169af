import { randomUUID } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { queueRequestedSyncs } from '../../../../../src/platform/sources/sync-runs/queue-requested-syncs.js';
import { startTestPlatform, type JsonReply, type TestUser } from '../../../../support/platform.js';
import { queueOf, type Queue } from '../../sync-runs/jobs/queue.js';
import { startGitlabPlatform, type GitlabPlatform } from './gitlab-platform.js';

let parts: GitlabPlatform;
let owner: TestUser;
let queue: Queue;
let integrationId: string;

/** SYNC_JOBS is 0: no run begins unless a test says so. */
beforeAll(async () => {
  parts = await startGitlabPlatform();
});

beforeEach(async () => {
  owner = await parts.platform.signUp();
  queue = queueOf(parts.platform, owner);
  integrationId = (await parts.connect(owner)).id;
});

afterAll(() => parts.stop());

/** A path that no other test has: events concern all organizations. */
const newPath = (): string => `acme/backend/${randomUUID()}`;

const about = (path: string, more: object = {}): object => ({
  ...{ object_kind: 'push', ref: 'refs/heads/main' },
  project: { path_with_namespace: path, default_branch: 'main' },
  ...more,
});

async function deliver(body: object, headers = parts.app.delivered('Push Hook'), at = parts): Promise<JsonReply> {
  const reply = await at.platform.fetch(`${at.platform.url}/api/v1/host-events/gitlab`, {
    ...{ method: 'POST', headers, body: JSON.stringify(body) },
  });
  return { status: reply.status, body: await reply.json(), headers: reply.headers };
}

const outcome = (reply: JsonReply): unknown => (reply.status === 200 ? reply.body.outcome : reply.body.type);

/** The repositories of the runs that follow. */
async function runsOf(configId: string): Promise<unknown[]> {
  await queueRequestedSyncs(parts.platform.database.sql, new Date(), 20, pino({ level: 'silent' }));
  const rows = await parts.platform.database.sql`
    select repositories from sync_runs where sync_config_id = ${configId} order by created_at, id`;
  return rows.map(({ repositories }) => repositories as unknown);
}

const configure = (path: string, id = integrationId): Promise<string> =>
  queue.configure({ provider: 'host_b', integration_id: id, repositories: [path] });

describe('a change at GitLab', () => {
  it.each([
    ['a push to the default branch', {}],
    ['a merge request', { object_kind: 'merge_request', ref: undefined }],
    ['a deployment', { object_kind: 'deployment', ref: 'feature' }],
  ])('by %s starts a sync of the project', async (_what, more) => {
    const path = newPath();
    const id = await configure(path);
    expect(outcome(await deliver(about(path, more)))).toBe('accepted');
    expect(await runsOf(id)).toEqual([[path]]);
  });

  it('starts one of each configuration that reads from this GitLab, also by a token, and of no other', async () => {
    const { platform, app } = parts;
    const path = newPath();
    const hosts = [app.host.url, `${app.host.url}/`, `${app.host.url}/api/v4`, 'https://gitlab.example.com', null];
    const ids = [await configure(path)];
    for (const [n, base_url] of hosts.entries()) {
      const body = { provider: 'host_b', name: `token ${n}`, token: 'glpat-x', base_url };
      const token = owner.accessToken;
      const { body: integration } = await platform.json('POST', '/api/v1/admin/integrations', { token, body });
      ids.push(await configure(path, integration.id));
    }
    expect(outcome(await deliver(about(path)))).toBe('accepted');
    const counts: number[] = [];
    for (const id of ids) counts.push((await runsOf(id)).length);
    expect(counts).toEqual([1, 1, 1, 1, 0, 0]);
  });

  it.each([
    ['a push to another branch', { ref: 'refs/heads/feature' }],
    ['a tag', { object_kind: 'tag_push', ref: 'refs/tags/v1' }],
    ['a comment', { object_kind: 'note' }],
    ['a project without a path', { project: { default_branch: 'main' } }],
    ['a project whose path is none', { project: { path_with_namespace: 'a b', default_branch: 'main' } }],
    ['nothing', { object_kind: undefined, project: null }],
  ])('is ignored by %s', async (_what, more) => {
    const path = newPath();
    const id = await configure(path);
    expect(outcome(await deliver(about(path, more)))).toBe('ignored');
    expect(await runsOf(id)).toEqual([]);
  });

  it('is ignored if no configuration reads the project', async () => {
    expect(outcome(await deliver(about(newPath())))).toBe('ignored');
  });

  it('takes effect with the id of an event that has caused it, and once', async () => {
    const paths = [newPath(), newPath()];
    for (const path of paths) await configure(path);
    const headers = parts.app.delivered('Push Hook');
    const outcomes: unknown[] = [];
    for (const path of [...paths, ...paths]) outcomes.push(outcome(await deliver(about(path), headers)));
    expect(outcomes).toEqual(['accepted', 'accepted', 'repeated', 'repeated']);
  });

  it('takes effect once by its idempotency key, whatever the id of the event is', async () => {
    const path = newPath();
    await configure(path);
    const keys = [randomUUID(), randomUUID()];
    const eventId = randomUUID();
    const send = async (key: string | undefined, id: string): Promise<unknown> => {
      const proof = { ...parts.app.delivered('Push Hook'), 'X-Gitlab-Event-UUID': id };
      return outcome(await deliver(about(path), { ...proof, ...(key !== undefined && { 'Idempotency-Key': key }) }));
    };
    expect([
      await send(keys[0], eventId),
      await send(keys[0], randomUUID()),
      await send(keys[1], eventId),
      await send('not a UUID', eventId),
      await send(undefined, eventId),
    ]).toEqual(['accepted', 'repeated', 'accepted', 'accepted', 'repeated']);
  });

  it('takes effect once, by the id of the event', async () => {
    const path = newPath();
    const id = await configure(path);
    const headers = parts.app.delivered('Push Hook');
    expect([outcome(await deliver(about(path), headers)), outcome(await deliver(about(path), headers))]).toEqual([
      'accepted',
      'repeated',
    ]);
    expect(await runsOf(id)).toHaveLength(1);
  });
});

describe('a webhook of GitLab is refused', () => {
  const refused = '/problems/invalid-webhook-signature';

  it.each([
    ['without a token', {}],
    ['with another token', { 'X-Gitlab-Token': 'webhook-token-of-gitlaB' }],
    ['with a part of the token', { 'X-Gitlab-Token': 'webhook-token-of' }],
  ])('%s', async (_what, proof) => {
    const { 'X-Gitlab-Token': _token, ...others } = parts.app.delivered('Push Hook');
    expect(outcome(await deliver(about(newPath()), { ...others, ...proof }))).toBe(refused);
  });

  it.each([
    ['X-Gitlab-Event-UUID', 'none'],
    ['webhook-timestamp', 'yesterday'],
  ])('with another %s than GitLab sends', async (name, value) => {
    const headers = { ...parts.app.delivered('Push Hook'), [name]: value };
    expect(outcome(await deliver(about(newPath()), headers))).toBe('/problems/validation-failed');
  });

  it('after many with wrong tokens from an address, whose right ones are not counted', async () => {
    const limited = await startGitlabPlatform({ environment: { HOST_EVENT_LIMIT: '3/hour' } });
    try {
      const statuses: number[] = [];
      const send = async (token?: string): Promise<void> => {
        const headers = limited.app.delivered('Push Hook', token);
        statuses.push((await deliver(about(newPath()), headers, limited)).status);
      };
      for (let n = 0; n < 5; n += 1) await send();
      for (let n = 0; n < 4; n += 1) await send('wrong');
      expect(statuses).toEqual([200, 200, 200, 200, 200, 403, 403, 403, 429]);
    } finally {
      await limited.stop();
    }
  });

  it('by a server without a webhook secret', async () => {
    const platform = await startTestPlatform({
      environment: { ...parts.app.environment, GITLAB_APP_WEBHOOK_SECRET: '' },
    });
    try {
      const headers = parts.app.delivered('Push Hook');
      expect(outcome(await deliver(about(newPath()), headers, { ...parts, platform }))).toBe(
        '/problems/app-not-configured',
      );
    } finally {
      await platform.stop();
    }
  });

  it('by an error that still reports the limits, when it cannot be stored, and handled when it comes again', async () => {
    const { sql } = parts.platform.database;
    const path = newPath();
    await configure(path);
    const headers = parts.app.delivered('Push Hook');
    await sql`alter table host_events rename to elsewhere`;
    const failed = await deliver(about(path), headers);
    await sql`alter table elsewhere rename to host_events`;
    expect([failed.status, failed.body.type]).toEqual([500, '/problems/internal-error']);
    expect(failed.headers.get('RateLimit')).toMatch(/r=\d+;t=\d+/);
    expect(outcome(await deliver(about(path), headers))).toBe('accepted');
  });
});

describe('a webhook with a signing token', () => {
  const secret = `whsec_${Buffer.alloc(32, 3).toString('base64')}`;
  const refused = '/problems/invalid-webhook-signature';
  let signing: GitlabPlatform;
  beforeAll(async () => {
    signing = await startGitlabPlatform({ environment: { GITLAB_APP_WEBHOOK_SECRET: secret } });
  });
  afterAll(() => signing.stop());

  const body = about('acme/größe');

  /** As GitLab signs it. */
  const signed = (id: string, at: Date, by = secret): Record<string, string> => ({
    ...{ 'Content-Type': 'application/json', 'X-Gitlab-Event': 'Push Hook', 'X-Gitlab-Event-UUID': randomUUID() },
    ...{ 'webhook-id': id, 'webhook-timestamp': String(Math.floor(at.getTime() / 1000)) },
    'webhook-signature': new Webhook(by).sign(id, at, JSON.stringify(body)),
  });

  const send = async (headers: Record<string, string>, sent = body): Promise<unknown> =>
    outcome(await deliver(sent, headers, signing));

  it('is accepted, also beside signatures by other tokens, and once by its id', async () => {
    const user = await signing.platform.signUp();
    const { id } = await signing.connect(user);
    const config = { provider: 'host_b', integration_id: id, repositories: ['acme/größe'] } as const;
    await queueOf(signing.platform, user).configure(config);
    const [first, now] = [signed(randomUUID(), signing.platform.clock.now()), signing.platform.clock.now()];
    const both = `v1,${'A'.repeat(43)}= ${first['webhook-signature'] ?? ''}`;
    expect(await send({ ...first, 'webhook-signature': both })).toBe('accepted');
    // GitLab sends it again with another UUID and time, and the same id.
    expect(await send(signed(first['webhook-id'] ?? '', now))).toBe('repeated');
  });

  it('is refused with another body, id, time, key, or version, and with the token instead', async () => {
    const now = signing.platform.clock.now();
    const good = signed(randomUUID(), now);
    expect(await send(good, about('acme/other'))).toBe(refused);
    expect(await send({ ...good, 'webhook-id': randomUUID() })).toBe(refused);
    const later = String(Number(good['webhook-timestamp']) + 1);
    expect(await send({ ...good, 'webhook-timestamp': later })).toBe(refused);
    const other = `whsec_${Buffer.alloc(32, 4).toString('base64')}`;
    expect(await send(signed(randomUUID(), now, other))).toBe(refused);
    const v2 = (good['webhook-signature'] ?? '').replace('v1,', 'v2,');
    expect(await send({ ...good, 'webhook-signature': v2 })).toBe(refused);
    expect(await send({ ...signing.app.delivered('Push Hook', secret) })).toBe(refused);
  });

  it.each([-301, 301])('is refused %i seconds from now', async (seconds) => {
    const at = new Date(signing.platform.clock.now().getTime() + seconds * 1000);
    expect(await send(signed(randomUUID(), at))).toBe(refused);
  });
});
