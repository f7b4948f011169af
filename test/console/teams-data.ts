import { expect } from 'vitest';
import type { TestPlatform, TestUser } from '../support/platform.js';

/** Teams of several kinds, of which the work is assigned already. */
export async function prepareTeams(platform: TestPlatform, owner: TestUser): Promise<void> {
  const path = `/api/v1/organizations/${owner.orgId}/teams`;
  const people = Array.from({ length: 9 }, (_, index) => `engineer-${index + 1}@engineering.example.com`);
  const teams = [
    { id: 'web', name: 'Web and mobile', members: people, repositories: ['example/web', 'example/mobile-*'] },
    { id: 'payments', repositories: ['example/pay-*'] },
    { id: 'platform/operations', name: 'Operations', members: ['grace', 'linus'] },
  ];
  for (const body of teams) {
    const reply = await platform.json('POST', path, { token: owner.accessToken, body });
    expect(reply.status, JSON.stringify(reply.body)).toBe(201);
  }
  await platform.database.sql`delete from store_tasks where org_id = ${owner.orgId}`;
}
