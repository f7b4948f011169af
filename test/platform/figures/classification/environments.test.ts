import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runStoreTask } from '../../../../src/platform/sources/store-tasks/run-task.js';
import { sync } from '../../../sync/harness.js';
import { startTestPlatform, type JsonReply, type TestPlatform, type TestUser } from '../../../support/platform.js';

let platform: TestPlatform;
let owner: TestUser;
beforeAll(async () => {
  platform = await startTestPlatform();
  owner = await platform.signUp();
  const options = { provider: 'synthetic', target: 'deployments', repoName: 'a/b', date: '2026-01-10', backfill: '90' };
  await sync({ ...options, db: platform.databaseUri, org: owner.orgId });
  await platform.database.sql`
    update deployments set environment = 'eu-' || (1 + place % 2)
    from (
      select deployment_id as id, row_number() over (order by deployment_id) as place
      from deployments where environment = 'staging'
    ) as staging
    where deployment_id = staging.id`;
  await platform.database.sql`
    update deployments set environment = null, started_at = null
    where deployment_id = (select min(deployment_id) from deployments)`;
});
afterAll(() => platform.stop());

function list(query = ''): Promise<JsonReply> {
  return platform.json('GET', `/api/v1/organizations/${owner.orgId}/environments${query}`, {
    token: owner.accessToken,
  });
}

async function production(query = ''): Promise<readonly string[]> {
  const { status, body } = await list(query);
  expect(status).toBe(200);
  const items = body.items as readonly { name: string; is_production: boolean }[];
  return items.filter((item) => item.is_production).map(({ name }) => name);
}

/** How many deployments the figures count as deployments to production. */
async function counted(): Promise<number> {
  const task = { kind: 'assign_teams', orgId: owner.orgId, store: platform.databaseUri } as const;
  await runStoreTask({ ...task, rulesFile: null, locks: null }, new AbortController().signal);
  const [row] = await platform.database.sql<{ count: number }[]>`
    select count(*)::integer as count from work_units where org_id = ${owner.orgId} and change_failed is not null`;
  return row?.count ?? 0;
}

async function deployedTo(...names: readonly string[]): Promise<number> {
  const [row] = await platform.database.sql<{ count: number }[]>`
    select count(*)::integer as count from deployments
    where coalesce(environment, '') = any (${[...names]}::text[]) and deployed_at is not null`;
  return row?.count ?? 0;
}

async function storeRules(file: string): Promise<void> {
  const path = `/api/v1/organizations/${owner.orgId}/rules`;
  expect(await platform.json('PUT', path, { token: owner.accessToken, body: { file } })).toMatchObject({ status: 200 });
}

function inProduction(count: number): { readonly is_production: boolean; readonly production_deployments: number } {
  return { is_production: count > 0, production_deployments: count };
}

describe('the environments of an organization', () => {
  it('are listed by name, with their deployments and whether they are production', async () => {
    const { body } = await list();
    const items = body.items as readonly { name: string; deployments: number; last_deployed_at: string | null }[];
    expect(items.map(({ name }) => name)).toEqual(['', 'eu-1', 'eu-2', 'production']);
    expect(items[0]).toEqual({ name: '', deployments: 1, last_deployed_at: null, ...inProduction(1) });
    const [stored] = await platform.database.sql<{ count: number; last: Date }[]>`
      select count(*)::integer as count, max(started_at) as last from deployments where environment = 'production'`;
    expect(items[3]).toEqual({
      name: 'production',
      deployments: stored?.count,
      last_deployed_at: stored?.last.toISOString(),
      ...inProduction(stored?.count ?? 0),
    });
  });

  it('are listed in pages', async () => {
    const names: string[] = [];
    for (let query: string | null = '?limit=1'; query !== null;) {
      const { body }: JsonReply = await list(query);
      names.push(...(body.items as readonly { name: string }[]).map(({ name }) => name));
      query = body.next_cursor === null ? null : `?limit=1&cursor=${String(body.next_cursor)}`;
    }
    expect(names).toEqual(['', 'eu-1', 'eu-2', 'production']);
    expect((await list('?cursor=%21')).status).toBe(422);
  });

  it('show what other names would make of them', async () => {
    expect(await production()).toEqual(['', 'production']);
    expect(await production('?production=eu-*')).toEqual(['', 'eu-1', 'eu-2']);
    expect(await production('?production=eu-*&production=!*-2')).toEqual(['', 'eu-1']);
  });

  it('are production by the rules, and the figures follow', async () => {
    expect(await counted()).toBe(await deployedTo('', 'production'));
    await storeRules("rules: []\nproduction: ['eu-*', '!*-2']\n");
    expect(await production()).toEqual(['', 'eu-1']);
    expect(await counted()).toBe(await deployedTo('', 'eu-1'));
    await storeRules('rules: []');
    expect(await production()).toEqual(['', 'production']);
    expect(await counted()).toBe(await deployedTo('', 'production'));
  });

  it('can be production in part, by tier, branch and job', async () => {
    const { sql } = platform.database;
    await sql`
      update deployments set release_ref = 'release/1' where deployment_id in (
        select deployment_id from deployments where environment = 'eu-1' order by deployment_id limit 2)`;
    await sql`update deployments set tier = 'production', job = 'deploy-eu' where environment = 'eu-2'`;
    const counts = async (query: string): Promise<unknown> =>
      ((await list(query)).body.items as readonly { name: string; production_deployments: number }[]).flatMap(
        ({ name, production_deployments: count }) => (count === 0 ? [] : [[name, count]]),
      );
    const [eu2] = await sql<{ count: number }[]>`
      select count(*)::integer as count from deployments where environment = 'eu-2'`;
    expect(await counts('?production=branch:release/*')).toEqual([['eu-1', 2]]);
    expect(await counts('?production=job:deploy-*')).toEqual([['eu-2', eu2?.count]]);
    expect(await counts('?production=tier:production&production=!branch:main')).toEqual([]);
    await storeRules("rules: []\nproduction: ['branch:release/*']\n");
    expect(await production()).toEqual(['eu-1']);
    const [deployed] = await sql<{ count: number }[]>`
      select count(*)::integer as count from deployments where release_ref = 'release/1' and deployed_at is not null`;
    expect(await counted()).toBe(deployed?.count);
  });

  it('of other organizations are not listed', async () => {
    const { orgId, accessToken } = await platform.signUp();
    const { body } = await platform.json('GET', `/api/v1/organizations/${orgId}/environments`, { token: accessToken });
    expect(body.items).toEqual([]);
  });
});
