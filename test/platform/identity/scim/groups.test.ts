/** Groups of an identity provider, and the roles and teams that an admin lets them give. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestPlatform, type JsonReply, type TestPlatform, type TestUser } from '../../../support/platform.js';
import { acceptInvite, invite } from '../onboarding/requests.js';
import { createScimClient, filtered, groupSchema, userSchema, type ScimClient } from './scim-client.js';

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

async function createGroup(displayName: string, members: readonly string[] = []): Promise<JsonReply> {
  const all = members.map((value) => ({ value }));
  return scim('POST', '/Groups', { schemas: [groupSchema], displayName, members: all });
}

function map(id: string, role: string | null, teamId: string | null = null, user = owner): Promise<JsonReply> {
  const body = { role, team_id: teamId };
  return platform.json('PATCH', `${organization()}/provisioned-groups/${id}`, { token: user.accessToken, body });
}

async function roleOf(user: TestUser): Promise<string | null> {
  const { body } = await platform.json('GET', '/api/v1/auth/me', { token: user.accessToken });
  return body.role ?? null;
}

async function membersOf(team: string): Promise<string[]> {
  const { body } = await platform.json('GET', `${organization()}/teams/${team}`, { token: owner.accessToken });
  return [...body.members].sort();
}

describe('A group', () => {
  test('has members, which its users name as well', async () => {
    const member = await platform.signUp({ invitedBy: owner });
    const invited = (await scim('POST', '/Users', { schemas: [userSchema], userName: `${randomUUID()}@example.com` }))
      .body;
    const created = await createGroup('Readers', [member.userId, invited.id]);
    expect(created.status).toBe(201);
    expect(created.headers.get('Location')).toBe(created.body.meta.location);
    const { body } = await scim('GET', `/Groups/${created.body.id}`);
    expect(body.members.map((each: { value: string }) => each.value).sort()).toEqual(
      [member.userId, invited.id].sort(),
    );
    const user = await scim('GET', `/Users/${member.userId}`);
    expect(user.body.groups).toEqual([{ value: created.body.id, display: 'Readers' }]);
    const found = await scim('GET', filtered('/Groups', `members.value eq "${member.userId}"`));
    expect(found.body.Resources.map((each: { id: string }) => each.id)).toEqual([created.body.id]);
    const brief = await scim('GET', `/Groups/${created.body.id}?excludedAttributes=members`);
    expect(brief.body).not.toHaveProperty('members');
  });

  test.each<[string, (member: TestUser) => Promise<JsonReply>]>([
    ['a new group', ({ userId }) => createGroup(randomUUID(), [userId])],
    [
      'a group that there was',
      async ({ userId }) => {
        const { id } = (await createGroup(randomUUID())).body as { id: string };
        return scim.patch(`/Groups/${id}`, { op: 'add', path: 'members', value: [{ value: userId }] });
      },
    ],
  ])('adds a member with the former address of somebody who was removed: %s', async (_which, add) => {
    const [former, current] = [`${randomUUID()}@example.com`, `${randomUUID()}@example.com`];
    const removed = await platform.signUp({ email: former, invitedBy: owner });
    await scim('PUT', `/Users/${removed.userId}`, { schemas: [userSchema], userName: former, externalId: 'x' });
    const path = `${organization()}/members/${removed.userId}`;
    expect((await platform.json('DELETE', path, { token: owner.accessToken })).status).toBe(200);
    await platform.database.sql`update users set email = ${current} where id = ${removed.userId}`;
    const member = await platform.signUp({ email: former, invitedBy: owner });
    const { status, body } = await add(member);
    expect([200, 201]).toContain(status);
    expect(body.members).toMatchObject([{ value: member.userId }]);
  });

  test('has a name that no other group has', async () => {
    await createGroup('Unique');
    expect((await createGroup('UNIQUE')).body).toMatchObject({ status: '409', scimType: 'uniqueness' });
    const { id } = (await createGroup('Another')).body;
    expect((await scim('PUT', `/Groups/${id}`, { displayName: 'Unique' })).status).toBe(409);
    expect((await scim.patch(`/Groups/${id}`, { op: 'replace', value: { displayName: 'unique' } })).status).toBe(409);
  });

  test.each<[string, object]>([
    ['without a name', { members: [] }],
    ['with a member that is not an id', { displayName: 'X1', members: [{ value: 'robin' }] }],
    ['with an unknown member', { displayName: 'X2', members: [{ value: randomUUID() }] }],
    ['with a number as the name', { displayName: 7 }],
    ['with a long name', { displayName: 'x'.repeat(501) }],
  ])('is refused %s', async (_what, body) => {
    const { id } = (await createGroup(`Valid ${randomUUID()}`)).body;
    for (const reply of [await scim('POST', '/Groups', body), await scim('PUT', `/Groups/${id}`, body)]) {
      expect([reply.status, reply.body.scimType]).toEqual([400, 'invalidValue']);
    }
  });

  test('has at most 10,000 members', async () => {
    const members = Array.from({ length: 10_001 }, () => ({ value: randomUUID() }));
    const reply = await scim('POST', '/Groups', { displayName: 'Everybody', members });
    expect([reply.status, reply.body.scimType]).toEqual([400, 'tooMany']);
  });

  test('is unknown to other organizations, and after its deletion', async () => {
    const { id } = (await createGroup('Passing')).body;
    const stranger = await createScimClient(platform, await platform.signUp());
    for (const [client, path] of [
      [stranger, `/Groups/${id}`],
      [scim, `/Groups/${randomUUID()}`],
      [scim, '/Groups/nothing'],
    ] as const) {
      expect((await client('GET', path)).status).toBe(404);
      expect((await client('PUT', path, { displayName: 'Taken over' })).status).toBe(404);
      expect((await client.patch(path, { op: 'remove', path: 'members' })).status).toBe(404);
      expect((await client('DELETE', path)).status).toBe(404);
    }
    expect((await scim('DELETE', `/Groups/${id}`)).status).toBe(204);
    expect((await scim('GET', `/Groups/${id}`)).status).toBe(404);
  });

  test.each([
    'value co "a"',
    'value ne "a"',
    'value pr',
    'display eq "a"',
    'value eq "a" or value eq "b"',
    'value eq 1',
    'not (value eq "a")',
  ])('refuses to remove members by the filter %s', async (filter) => {
    const { id } = (await createGroup(`Filtered ${randomUUID()}`, [owner.userId])).body;
    const reply = await scim.patch(`/Groups/${id}`, { op: 'remove', path: `members[${filter}]` });
    expect([reply.status, reply.body.scimType]).toEqual([400, 'invalidFilter']);
    expect((await scim('GET', `/Groups/${id}`)).body.members).toHaveLength(1);
  });

  test('loses nobody when two requests change it at the same time', async () => {
    const people = await Promise.all([1, 2, 3].map(() => platform.signUp({ invitedBy: owner })));
    const { id } = (await createGroup('Busy')).body;
    const add = (user: TestUser): Promise<JsonReply> =>
      scim.patch(`/Groups/${id}`, { op: 'add', path: 'members', value: [{ value: user.userId }] });
    const replies = await Promise.all(people.map(add));
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect((await scim('GET', `/Groups/${id}`)).body.members).toHaveLength(3);
  });
});

describe('A group that an admin has mapped to a role', () => {
  test('gives it to its members, and takes it away again', async () => {
    const member = await platform.signUp({ invitedBy: owner });
    const { id } = (await createGroup('Admins', [member.userId])).body;
    expect(await roleOf(member)).toBe('member');
    expect((await map(id, 'admin')).body).toMatchObject({ id, role: 'admin', member_count: 1 });
    expect(await roleOf(member)).toBe('admin');
    const viewers = (await createGroup('Viewers', [member.userId])).body.id;
    await map(viewers, 'viewer');
    expect(await roleOf(member)).toBe('admin');
    const filter = `members[value eq "${member.userId}"]`;
    await scim.patch(`/Groups/${id}`, { op: 'remove', path: filter });
    expect(await roleOf(member)).toBe('viewer');
    await scim('DELETE', `/Groups/${viewers}`);
    expect(await roleOf(member)).toBe('member');
  });

  test('never changes an owner', async () => {
    const { id } = (await createGroup('All', [owner.userId])).body;
    await map(id, 'viewer');
    expect(await roleOf(owner)).toBe('owner');
  });

  test('gives it to people who have not joined yet, and to those who come back', async () => {
    const email = `${randomUUID()}@example.com`;
    const { id } = (await scim('POST', '/Users', { schemas: [userSchema], userName: email })).body;
    const group = (await createGroup('Early', [id])).body.id;
    await map(group, 'viewer');
    const person = await platform.signUp({ email, organization: null });
    const invites = await platform.json('GET', '/api/v1/auth/me/invites', { token: person.accessToken });
    const [invite] = invites.body.items;
    expect(invite.role).toBe('viewer');
    const path = `/api/v1/auth/me/invites/${String(invite.id)}/accept`;
    expect((await platform.json('POST', path, { token: person.accessToken })).body.role).toBe('viewer');
    await scim.patch(`/Users/${id}`, { op: 'replace', value: { active: false } });
    await map(group, 'admin');
    await scim.patch(`/Users/${id}`, { op: 'replace', value: { active: true } });
    const members = await platform.json('GET', `${organization()}/members?limit=200`, { token: owner.accessToken });
    const again = members.body.items.find((each: { email: string }) => each.email === email);
    expect(again.role).toBe('admin');
  });

  test('gives it to people who join by the invite of an admin, except to owners', async () => {
    const { id } = (await createGroup(`Viewers ${randomUUID()}`)).body;
    expect((await map(id, 'viewer')).status).toBe(200);
    for (const [invited, joined] of [
      ['admin', 'viewer'],
      ['member', 'viewer'],
      ['owner', 'owner'],
    ] as const) {
      const person = await platform.signUp({ organization: null });
      const user = await scim('POST', '/Users', { schemas: [userSchema], userName: person.email });
      await scim.patch(`/Groups/${id}`, { op: 'add', path: 'members', value: [{ value: user.body.id }] });
      const { token } = await invite(platform, owner, person.email, invited);
      const accepted = await acceptInvite(platform, person.accessToken, token);
      expect(accepted).toMatchObject({ status: 200, body: { role: joined } });
      const members = await platform.json('GET', `${organization()}/members?limit=200`, { token: owner.accessToken });
      expect(members.body.items).toContainEqual(expect.objectContaining({ user_id: person.userId, role: joined }));
    }
  });

  test('is mapped by admins, to roles below owner, in their organization', async () => {
    const { id } = (await createGroup('Mapped')).body;
    const [admin, member] = [
      await platform.signUp({ invitedBy: owner, role: 'admin' }),
      await platform.signUp({ invitedBy: owner }),
    ];
    expect((await map(id, 'viewer', null, admin)).status).toBe(200);
    expect((await map(id, 'viewer', null, member)).status).toBe(403);
    expect((await map(id, 'owner')).status).toBe(422);
    expect((await map(id, null, 'nobody')).body.violations).toEqual([
      { path: '/body/team_id', rule: 'exists', message: 'is not the id of a team' },
    ]);
    expect((await map(randomUUID(), 'viewer')).status).toBe(404);
    const listed = await platform.json('GET', `${organization()}/provisioned-groups?limit=1`, {
      token: admin.accessToken,
    });
    expect(listed.body.items).toMatchObject([{ id, display_name: 'Mapped', role: 'viewer' }]);
    expect(listed.body.next_cursor).not.toBeNull();
  });
});

describe('A group that an admin has mapped to a team', () => {
  test('keeps the addresses of its members in the list of the team, beside those of others', async () => {
    const [one, two] = [await platform.signUp({ invitedBy: owner }), await platform.signUp({ invitedBy: owner })];
    const team = { id: 'core', members: ['grace'] };
    await platform.json('POST', `${organization()}/teams`, { token: owner.accessToken, body: team });
    const { id } = (await createGroup('Core', [one.userId])).body;
    expect((await map(id, null, 'core')).status).toBe(200);
    expect(await membersOf('core')).toEqual([one.email, 'grace'].sort());
    await scim.patch(`/Groups/${id}`, { op: 'replace', path: 'members', value: [{ value: two.userId }] });
    expect(await membersOf('core')).toEqual([two.email, 'grace'].sort());
    await scim('DELETE', `/Groups/${id}`);
    expect(await membersOf('core')).toEqual(['grace']);
  });

  test('takes the addresses of those who are not active or members any more out of the list', async () => {
    const [disabled, removed, kept] = [
      await platform.signUp({ invitedBy: owner }),
      await platform.signUp({ invitedBy: owner }),
      await platform.signUp({ invitedBy: owner }),
    ];
    const team = { id: 'leavers', members: ['grace'] };
    await platform.json('POST', `${organization()}/teams`, { token: owner.accessToken, body: team });
    const { id } = (await createGroup('Leavers', [disabled.userId, removed.userId, kept.userId])).body;
    await map(id, null, 'leavers');
    expect(await membersOf('leavers')).toEqual(['grace', disabled.email, removed.email, kept.email].sort());
    await scim.patch(`/Users/${disabled.userId}`, { op: 'replace', value: { active: false } });
    expect(await membersOf('leavers')).toEqual(['grace', removed.email, kept.email].sort());
    await platform.json('DELETE', `${organization()}/members/${removed.userId}`, { token: owner.accessToken });
    expect(await membersOf('leavers')).toEqual(['grace', kept.email].sort());
    await scim.patch(`/Users/${disabled.userId}`, { op: 'replace', value: { active: true } });
    expect(await membersOf('leavers')).toEqual(['grace', disabled.email, kept.email].sort());
  });

  test('leaves the entry of a person whom somebody has entered as well', async () => {
    const [one, two] = [await platform.signUp({ invitedBy: owner }), await platform.signUp({ invitedBy: owner })];
    const team = { id: 'both', members: [one.email] };
    await platform.json('POST', `${organization()}/teams`, { token: owner.accessToken, body: team });
    const { id } = (await createGroup('Both', [one.userId, two.userId])).body;
    await map(id, null, 'both');
    expect(await membersOf('both')).toEqual([one.email, two.email].sort());
    await map(id, null, null);
    expect(await membersOf('both')).toEqual([one.email]);
  });
});
