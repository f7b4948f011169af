/** Requests of an identity provider that arrive at the same time as others. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestPlatform, type JsonReply, type TestPlatform, type TestUser } from '../../../support/platform.js';
import { createScimClient, type ScimClient } from './scim-client.js';

let platform: TestPlatform;
let owner: TestUser;
let scim: ScimClient;
beforeAll(async () => {
  platform = await startTestPlatform();
  owner = await platform.signUp();
  scim = await createScimClient(platform, owner);
});
afterAll(() => platform.stop());

const organization = (): string => `/api/v1/organizations/${owner.orgId}`;

async function createGroup(members: readonly TestUser[], mapping: object): Promise<string> {
  const body = { displayName: randomUUID(), members: members.map(({ userId }) => ({ value: userId })) };
  const { id } = (await scim('POST', '/Groups', body)).body;
  const path = `${organization()}/provisioned-groups/${String(id)}`;
  expect((await platform.json('PATCH', path, { token: owner.accessToken, body: mapping })).status).toBe(200);
  return id;
}

function add(groupId: string, user: TestUser): Promise<JsonReply> {
  return scim.patch(`/Groups/${groupId}`, { op: 'add', path: 'members', value: [{ value: user.userId }] });
}

async function createTeam(id: string): Promise<void> {
  const body = { id, members: ['grace'] };
  await platform.json('POST', `${organization()}/teams`, { token: owner.accessToken, body });
}

async function membersOf(team: string): Promise<string[]> {
  const { body } = await platform.json('GET', `${organization()}/teams/${team}`, { token: owner.accessToken });
  return [...body.members].sort();
}

async function memberAddresses(): Promise<string[]> {
  const { body } = await platform.json('GET', `${organization()}/members?limit=200`, { token: owner.accessToken });
  return body.items.map((item: { email: string }) => item.email);
}

/** Ends the access of a user, in each of the ways that SCIM has. */
const ends = {
  disabled: (id: string) => scim.patch(`/Users/${id}`, { op: 'replace', path: 'active', value: false }),
  deleted: (id: string) => scim('DELETE', `/Users/${id}`),
};

describe('A user who accepts the invite at the same time', () => {
  test.each(['disabled', 'deleted'] as const)('has no access after being %s', async (end) => {
    for (let round = 0; round < 5; round += 1) {
      const email = `${randomUUID()}@example.com`;
      const { id } = (await scim('POST', '/Users', { userName: email })).body;
      const person = await platform.signUp({ email, organization: null });
      const invites = await platform.json('GET', '/api/v1/auth/me/invites', { token: person.accessToken });
      const path = `/api/v1/auth/me/invites/${String(invites.body.items[0].id)}/accept`;
      const [accepted, ended] = await Promise.all([
        platform.json('POST', path, { token: person.accessToken }),
        ends[end](id),
      ]);
      expect([200, 404]).toContain(accepted.status);
      expect(ended.status).toBe(end === 'disabled' ? 200 : 204);
      if (end === 'disabled') expect(ended.body.active).toBe(false);
      expect(await memberAddresses()).not.toContain(email);
      const now = await scim('GET', `/Users/${id}`);
      expect(end === 'disabled' ? now.body.active : now.status).toBe(end === 'disabled' ? false : 404);
    }
  });
});

describe('Users who are added to a group while it is deleted', () => {
  test('keep neither its role nor a place in its team', async () => {
    const people = [await platform.signUp({ invitedBy: owner }), await platform.signUp({ invitedBy: owner })];
    await createTeam('leaving');
    for (let round = 0; round < 5; round += 1) {
      const id = await createGroup([], { role: 'admin', team_id: 'leaving' });
      const [deleted, ...added] = await Promise.all([
        scim('DELETE', `/Groups/${id}`),
        ...people.map((person) => add(id, person)),
      ]);
      expect(deleted.status).toBe(204);
      for (const { status } of added) expect([200, 404]).toContain(status);
      for (const person of people) {
        const { body } = await platform.json('GET', '/api/v1/auth/me', { token: person.accessToken });
        expect(body.role).toBe('member');
      }
      expect(await membersOf('leaving')).toEqual(['grace']);
    }
  });
});

describe('A team of a group that requests change at the same time', () => {
  test('has the members of the group afterwards', async () => {
    const people = await Promise.all([1, 2, 3, 4].map(() => platform.signUp({ invitedBy: owner })));
    await createTeam('busy');
    const id = await createGroup([], { role: null, team_id: 'busy' });
    const remove = ({ userId }: TestUser): Promise<JsonReply> =>
      scim.patch(`/Groups/${id}`, { op: 'remove', path: `members[value eq "${userId}"]` });
    for (let round = 0; round < 5; round += 1) {
      await Promise.all(people.flatMap((person) => [add(id, person), remove(person)]));
      const { body } = await scim('GET', `/Groups/${id}`);
      const ids = new Set(body.members.map(({ value }: { value: string }) => value));
      const members = people.filter(({ userId }) => ids.has(userId));
      expect(await membersOf('busy')).toEqual(['grace', ...members.map(({ email }) => email)].sort());
      await Promise.all(people.map(remove));
      expect(await membersOf('busy')).toEqual(['grace']);
    }
  });
});
