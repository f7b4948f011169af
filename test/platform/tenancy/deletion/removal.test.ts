/** The background work removes an organization when its deletion is due. */
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startTestPlatform, type JsonReply, type TestPlatform, type TestUser } from '../../../support/platform.js';
import { createServiceToken } from '../../../support/service-token.js';
import { login, me, refresh } from '../../identity/auth/requests.js';
import { connectIntegration, onboardingState } from '../../identity/onboarding/requests.js';
import { eventually, executeWithoutSleep, queueOf } from '../../sources/sync-runs/jobs/queue.js';
import { mark, takeBack } from './requests.js';

let platform: TestPlatform;

beforeAll(async () => {
  platform = await startTestPlatform({ environment: { SYNC_JOBS: '2' }, executeSync: executeWithoutSleep });
});
afterAll(() => platform.stop());

const week = 7 * 86_400;

/** One round of a server, or of several at once. */
async function round(servers = [platform]): Promise<void> {
  await Promise.all(servers.map(({ running }) => running.organizationRemoval.drain()));
}

/** Starts another server on the database, which also sends mails: sign up before. @returns both servers */
async function bothServers(): Promise<TestPlatform[]> {
  const { databaseUri, mailbox, clock } = platform;
  const second = await startTestPlatform({ databaseUri, mailbox, clock });
  onTestFinished(() => second.stop());
  return [platform, second];
}

async function exists(orgId: string): Promise<boolean> {
  return (await platform.database.sql`select 1 from organizations where id = ${orgId}`).length > 0;
}

/** Lets rounds of the servers run until the organization is gone. */
async function removed(orgId: string, servers = [platform]): Promise<void> {
  await eventually(async () => {
    await round(servers);
    return exists(orgId);
  }).toBe(false);
}

/** The number of rows that name the organization, in every table that can. */
async function rowsOf(orgId: string): Promise<Record<string, number>> {
  const { sql } = platform.database;
  const tables = await sql<{ table: string; key: string }[]>`
    select table_name as table, column_name as key from information_schema.columns
    where table_schema = 'public' and column_name in ('org_id', 'repo_id') order by table_name`;
  const repositories = await sql<{ id: string }[]>`select id from repos where org_id = ${orgId}`;
  const ids = [orgId, ...repositories.map(({ id }) => id)];
  const counts: Record<string, number> = {};
  for (const { table, key } of tables) {
    const [row] = await sql<{ count: number }[]>`
      select count(*)::int as count from ${sql(table)} where ${sql(key)}::text in ${sql(ids)}`;
    if (row !== undefined && row.count > 0) counts[table] = row.count;
  }
  return counts;
}

function put(by: TestUser, path: string, body: unknown, method = 'PUT'): Promise<JsonReply> {
  return platform.json(method, `/api/v1/organizations/${by.orgId}/${path}`, { token: by.accessToken, body });
}

/** Gives an organization something of everything that it can have. */
async function fill(owner: TestUser): Promise<void> {
  const queue = queueOf(platform, owner);
  const config = await queue.configure({ targets: ['git', 'prs'], repositories: ['acme/api', 'acme/web'] });
  await queue.until(config, await queue.start(config), 'complete');
  await connectIntegration(platform, owner.orgId);
  await createServiceToken(platform, owner, ['members:read']);
  expect((await put(owner, 'teams', { id: 'core', name: 'Core', members: ['ada@example.com'] }, 'POST')).status).toBe(
    201,
  );
  await platform.database.sql`
    insert into author_files (org_id, authors) values (${owner.orgId}, 'authors: []')`;
  await platform.database.sql`
    with hook as (
      insert into webhooks (id, org_id, url, events, sealed_secret)
      values (gen_random_uuid(), ${owner.orgId}, 'https://hooks.example', array['member.joined'], '')
      returning id
    )
    insert into webhook_deliveries (webhook_id, event_id, event, subject, data, created_at, available_at, failed_at)
    select id, gen_random_uuid(), 'member.joined', 'x', '{}', now(), now(), now()
    from hook, generate_series(1, 1500)`;
}

describe('an organization whose deletion is due', () => {
  it(
    'is removed with everything that it stored, by one of two servers, and nothing of another one',
    { timeout: 120_000 },
    async () => {
      const owner = await platform.signUp({ organization: 'Gone' });
      const neighbour = await platform.signUp();
      await fill(owner);
      await fill(neighbour);
      const kept = await rowsOf(neighbour.orgId);
      const before = await rowsOf(owner.orgId);
      expect(Object.keys(before)).toEqual(
        expect.arrayContaining(['git_commits', 'work_units', 'team_files', 'webhooks']),
      );

      const servers = await bothServers();
      await mark(platform, owner);
      platform.clock.advance(week - 60);
      await round(servers);
      expect((await rowsOf(owner.orgId))['git_commits']).toBe(before['git_commits']);
      platform.clock.advance(61);
      await removed(owner.orgId, servers);

      const { audit_log: records, ...rest } = await rowsOf(owner.orgId);
      expect(rest).toEqual({});
      expect(records).toBeGreaterThan(0);
      const deletions = await platform.database.sql`
      select resource_kind, resource_id, user_id, note from audit_log where org_id = ${owner.orgId} and action = 'DELETE'`;
      expect([...deletions]).toEqual([
        { resource_kind: 'ORGANIZATION', resource_id: owner.orgId, user_id: null, note: 'Gone' },
      ]);
      const { audit_log: _records, ...keptNow } = await rowsOf(neighbour.orgId);
      const { audit_log: _earlier, ...keptBefore } = kept;
      expect(keptNow).toEqual(keptBefore);
    },
  );

  it('ends the access of its members, whose sessions continue outside of it', { timeout: 60_000 }, async () => {
    const owner = await platform.signUp();
    const member = await platform.signUp({ invitedBy: owner });
    await mark(platform, owner);
    platform.clock.advance(week + 1);
    const fresh = (await login(platform, member.email)).body;
    await removed(owner.orgId);
    expect((await me(platform, String(fresh.access_token))).status).toBe(401);
    const next = await refresh(platform, String(fresh.refresh_token));
    expect(next).toMatchObject({ status: 200, body: { user: { org_id: null } } });
    expect((await onboardingState(platform, String(next.body.access_token))).body.next_step).toBe('workspace');
  });

  it('leads its members to another organization of theirs with the next log-in', { timeout: 60_000 }, async () => {
    const owner = await platform.signUp();
    const body = { name: 'Other' };
    const { id } = (await platform.json('POST', '/api/v1/organizations', { token: owner.accessToken, body })).body;
    await mark(platform, owner);
    platform.clock.advance(week + 1);
    await removed(owner.orgId);
    expect((await login(platform, owner.email)).body.user.org_id).toBe(id);
  });

  it(
    'is either removed or taken back where both happen at once, never half of both',
    { timeout: 120_000 },
    async () => {
      const owners = [];
      for (let attempt = 0; attempt < 6; attempt += 1) owners.push(await platform.signUp());
      const servers = await bothServers();
      const { sql } = platform.database;
      for (const owner of owners) {
        await mark(platform, owner);
        await sql`update organization_deletions set due_at = ${platform.clock.now()} where org_id = ${owner.orgId}`;
        const [reply] = await Promise.all([takeBack(platform, owner), round(servers)]);
        const members = await sql`select 1 from memberships where org_id = ${owner.orgId}`;
        expect(members).toHaveLength(reply.status === 204 ? 1 : 0);
        await round(servers);
        if (reply.status === 204) expect(await exists(owner.orgId)).toBe(true);
        else await removed(owner.orgId, servers);
      }
    },
  );

  it('cannot be taken back by a superuser once its removal has begun', async () => {
    const owner = await platform.signUp();
    await platform.database.sql`update users set is_superuser = true where id = ${owner.userId}`;
    await mark(platform, owner);
    await platform.database.sql`
      update organization_deletions set started_at = now() where org_id = ${owner.orgId}`;
    expect(await takeBack(platform, owner)).toMatchObject({ status: 404 });
    await platform.database.sql`delete from organization_deletions where org_id = ${owner.orgId}`;
  });
});
