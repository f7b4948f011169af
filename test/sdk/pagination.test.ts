import { expect, it } from 'vitest';
import * as problems from '../../generated/problems.js';
import { paginate, PlumblineError } from '../../sdk/src/index.js';
import { createPlatformClient, listMembers, type PlatformClient, type Schemas } from '../../sdk/src/platform.js';
import { startPlatform, type PlatformServer } from './platform-server.js';

const params = { org_id: 'b6d3a7c8-1e2f-4b5a-8c9d-3e4f5a6b7c03' };

it('yields the items of all pages, with the query of the first', async () => {
  const { client, queries } = await membersIn([1, 2], [3], []);
  const emails: string[] = [];
  for await (const member of paginate(listMembers, client, { params, query: { limit: 2 } })) emails.push(member.email);
  expect(emails).toEqual(['m1@example.com', 'm2@example.com', 'm3@example.com']);
  expect(queries).toEqual([{ limit: 2 }, { limit: 2, cursor: 'page-1' }, { limit: 2, cursor: 'page-2' }]);
});

it('does not request a page before it is needed', async () => {
  const { client, server } = await membersIn([1, 2], [3]);
  for await (const member of paginate(listMembers, client, { params })) if (member.email.startsWith('m2')) break;
  expect(server.count('listMembers')).toBe(1);
});

it('starts at a given cursor', async () => {
  const { client, queries } = await membersIn([1], [2]);
  const members: Schemas['Member'][] = [];
  for await (const member of paginate(listMembers, client, { params, query: { cursor: 'page-1' } }))
    members.push(member);
  expect(members).toHaveLength(1);
  expect(queries).toEqual([{ cursor: 'page-1', limit: 50 }]);
});

it('throws when a page is refused', async () => {
  const server = await startPlatform({
    handlers: { listMembers: () => problems.organizationMismatch({ message: 'Another organization.' }) },
  });
  const members = paginate(listMembers, clientOf(server), { params });
  await expect(members.pages().next()).rejects.toBeInstanceOf(PlumblineError);
  await expect(members.toArray({ limit: 1 })).rejects.toBeInstanceOf(PlumblineError);
});

it('yields pages that say whether another one follows', async () => {
  const { client } = await membersIn([1, 2], [3]);
  const seen: [number, boolean][] = [];
  for await (const { items, hasNext } of paginate(listMembers, client, { params }).pages()) {
    seen.push([items.length, hasNext]);
  }
  expect(seen).toEqual([
    [2, true],
    [1, false],
  ]);
});

it.each([
  [0, 0, 0],
  [1, 1, 1],
  [2, 2, 1],
  [3, 3, 2],
  [9, 4, 2],
])('returns the first items, at most %i, and requests only the pages that it needs', async (limit, items, requests) => {
  const { client, server } = await membersIn([1, 2], [3, 4]);
  expect(await paginate(listMembers, client, { params }).toArray({ limit })).toHaveLength(items);
  expect(server.count('listMembers')).toBe(requests);
});

it.each([Number.NaN, 2.5, -1])('refuses %d as the number of items', async (limit) => {
  const { client } = await membersIn([1]);
  await expect(paginate(listMembers, client, { params }).toArray({ limit })).rejects.toBeInstanceOf(TypeError);
});

it('starts again with each use', async () => {
  const { client } = await membersIn([1, 2], [3]);
  const members = paginate(listMembers, client, { params });
  expect(await members.toArray({ limit: 5 })).toEqual(await members.toArray({ limit: 5 }));
});

/** A server with the given pages of members, by number. */
async function membersIn(
  ...pages: number[][]
): Promise<{ client: PlatformClient; server: PlatformServer; queries: unknown[] }> {
  const queries: unknown[] = [];
  const server = await startPlatform({
    handlers: {
      listMembers: ({ query }) => {
        queries.push({ ...query });
        const index = Number(query.cursor?.replace('page-', '') ?? 0);
        const next_cursor = index + 1 < pages.length ? `page-${index + 1}` : null;
        return { status: 200, body: { items: (pages[index] ?? []).map(member), next_cursor } };
      },
    },
  });
  return { client: clientOf(server), server, queries };
}

function clientOf({ url }: PlatformServer): PlatformClient {
  const client = createPlatformClient({ baseUrl: url });
  void client.tokens.set({ access_token: 'access-1' });
  return client;
}

function member(n: number): Schemas['ListedMember'] {
  return {
    user_id: `3b0f6c1e-52a4-4c0e-8d6f-6a1f9c2f7b0${n}`,
    email: `m${n}@example.com`,
    full_name: null,
    role: 'member',
    joined_at: '2026-03-02T09:15:00.000Z',
    mfa_resettable: false,
  };
}
