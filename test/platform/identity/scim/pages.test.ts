/** Pages of users and groups that have many references to each other. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestPlatform, type TestPlatform, type TestUser } from '../../../support/platform.js';
import { createScimClient, filtered, type ScimClient } from './scim-client.js';

let platform: TestPlatform;
let owner: TestUser;
let scim: ScimClient;
beforeAll(async () => {
  platform = await startTestPlatform();
  owner = await platform.signUp();
  scim = await createScimClient(platform, owner);
});
afterAll(() => platform.stop());

/** Stores users and groups, every user in every group, without the thousands of requests that they would take. */
async function store(mark: string, users: number, groups: number): Promise<void> {
  const { sql } = platform.database;
  await sql`
    insert into scim_users (org_id, user_name, email, external_id, active, created_at, updated_at)
    select ${owner.orgId}, ${mark} || n || '@example.com', ${mark} || n || '@example.com', ${mark}, true, now(), now()
    from generate_series(1, ${users}) as n`;
  await sql`
    insert into scim_groups (org_id, display_name, external_id, created_at, updated_at)
    select ${owner.orgId}, ${mark} || n, ${mark}, now(), now() from generate_series(1, ${groups}) as n`;
  await sql`
    insert into scim_group_members (org_id, group_id, person_id)
    select ${owner.orgId}, g.id, u.id from scim_groups g, scim_users u
    where g.org_id = ${owner.orgId} and g.external_id = ${mark} and u.external_id = ${mark}`;
}

test.each([
  { path: '/Groups', references: 'members', mark: 'large-groups', users: 4000, groups: 3, pages: [2, 1], each: 4000 },
  { path: '/Users', references: 'groups', mark: 'many-groups', users: 11, groups: 1000, pages: [10, 1], each: 1000 },
])(
  'A page of $path holds at most 10,000 $references',
  async ({ path, references, mark, users, groups, pages, each }) => {
    await store(mark, users, groups);
    const filter = `externalId eq "${mark}"`;
    const total = path === '/Groups' ? groups : users;
    const ids = new Set<string>();
    let startIndex = 1;
    for (const length of pages) {
      const { body } = await scim('GET', filtered(path, filter, { startIndex: String(startIndex), count: '200' }));
      expect(body).toMatchObject({ totalResults: total, startIndex, itemsPerPage: length });
      for (const resource of body.Resources) {
        ids.add(resource.id);
        expect(resource[references]).toHaveLength(each);
      }
      startIndex += length;
    }
    expect(ids.size).toBe(total);
    const brief = await scim('GET', filtered(path, filter, { count: '200', excludedAttributes: references }));
    expect(brief.body.itemsPerPage).toBe(total);
  },
);
