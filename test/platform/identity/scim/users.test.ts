/** Users that an identity provider creates, changes, disables and deletes by SCIM 2.0. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestPlatform, type JsonReply, type TestPlatform, type TestUser } from '../../../support/platform.js';
import { createServiceToken } from '../../../support/service-token.js';
import { invite } from '../onboarding/requests.js';
import { createScimClient, errorSchema, filtered, userSchema, type ScimClient } from './scim-client.js';

let platform: TestPlatform;
let owner: TestUser;
let scim: ScimClient;
beforeAll(async () => {
  platform = await startTestPlatform();
  owner = await platform.signUp();
  scim = await createScimClient(platform, owner);
});
afterAll(() => platform.stop());

function newAddress(): string {
  return `${randomUUID()}@example.com`;
}

async function create(userName: string, others: object = {}): Promise<JsonReply> {
  return scim('POST', '/Users', { schemas: [userSchema], userName, ...others });
}

function me(user: TestUser): Promise<JsonReply> {
  return platform.json('GET', '/api/v1/auth/me', { token: user.accessToken });
}

async function memberAddresses(): Promise<string[]> {
  const path = `/api/v1/organizations/${owner.orgId}/members?limit=200`;
  const { body } = await platform.json('GET', path, { token: owner.accessToken });
  return body.items.map((item: { email: string }) => item.email);
}

async function acceptInvite(user: TestUser): Promise<JsonReply> {
  const { body } = await platform.json('GET', '/api/v1/auth/me/invites', { token: user.accessToken });
  const invite = body.items.find((item: { org_id: string }) => item.org_id === owner.orgId);
  const path = `/api/v1/auth/me/invites/${String(invite?.id ?? randomUUID())}/accept`;
  return platform.json('POST', path, { token: user.accessToken });
}

/** Gives an account another address, which both mailboxes confirm. */
async function changeAddress({ email, accessToken: token, password }: TestUser, to: string): Promise<void> {
  const body = { new_email: to, current_password: password };
  expect((await platform.json('POST', '/api/v1/auth/change-email', { token, body })).status).toBe(202);
  for (const address of [email, to]) {
    const { token: confirmation } = await platform.lastMail(address);
    await platform.json('POST', '/api/v1/auth/change-email/verify', { body: { token: confirmation } });
  }
  expect((await platform.json('GET', '/api/v1/auth/me', { token })).body).toMatchObject({ email: to });
}

/** Somebody who has accepted the invite of a user that the provider has created. */
async function createAndJoin(): Promise<{ readonly person: TestUser; readonly id: string }> {
  const email = newAddress();
  const { id } = (await create(email)).body as { id: string };
  const person = await platform.signUp({ email, organization: null });
  const accepted = await acceptInvite(person);
  expect(accepted.status).toBe(200);
  return { person: { ...person, accessToken: String(accepted.body.tokens.access_token) }, id };
}

function disable(id: string): Promise<JsonReply> {
  return scim.patch(`/Users/${id}`, { op: 'replace', value: { active: false } });
}

describe('Creating a user', () => {
  test('invites the address without a mail, and the person joins by accepting', async () => {
    const email = newAddress();
    const name = { formatted: 'Robin Miles', givenName: 'Robin', familyName: 'Miles' };
    const emails = [{ value: email, type: 'work', primary: true }];
    const created = await create(email, { externalId: '00u1', name, emails, active: true });
    expect(created.status).toBe(201);
    expect(created.body).toMatchObject({ userName: email, externalId: '00u1', name, emails, active: true, groups: [] });
    expect(created.headers.get('Location')).toBe(created.body.meta.location);
    await platform.running.mails.drain();
    expect(platform.mailbox.to(email)).toEqual([]);
    expect(await memberAddresses()).not.toContain(email);

    const person = await platform.signUp({ email, organization: null });
    expect((await acceptInvite(person)).body).toMatchObject({ role: 'member', org_id: owner.orgId });
    expect(await memberAddresses()).toContain(email);
    const { body } = await scim('GET', `/Users/${created.body.id}`);
    expect(body).toMatchObject({ id: created.body.id, userName: email, active: true });
  });

  test('reveals nothing about accounts, and changes none', async () => {
    const known = await platform.signUp();
    const replies = await Promise.all([
      create(known.email, { displayName: 'X' }),
      create(newAddress(), { displayName: 'X' }),
    ]);
    const [one, other] = replies.map(({ status, body }) => ({ status, keys: Object.keys(body), active: body.active }));
    expect(one).toEqual(other);
    expect((await me(known)).body).toMatchObject({ full_name: null, org_id: known.orgId });
    expect(await memberAddresses()).not.toContain(known.email);
  });

  test('is refused for a name or an address that another user has, whatever its case', async () => {
    const email = newAddress();
    expect((await create(email)).status).toBe(201);
    for (const [userName, others] of [
      [email.toUpperCase(), {}],
      ['robin', { emails: [{ value: email }] }],
      [owner.email, {}],
    ] as const) {
      const refused = await create(userName, others);
      expect(refused.status).toBe(409);
      expect(refused.headers.get('Content-Type')).toBe('application/scim+json');
      expect(refused.body).toMatchObject({ schemas: [errorSchema], status: '409', scimType: 'uniqueness' });
    }
  });

  test('succeeds once when two requests arrive at the same time', async () => {
    const email = newAddress();
    const replies = await Promise.all([create(email), create(email), create(email)]);
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
  });

  test.each<[string, object]>([
    ['no userName', { externalId: '1' }],
    ['no address', { userName: 'robin' }],
    ['a number as userName', { userName: 7 }],
    ['another value than true and false as active', { userName: 'a@example.com', active: 'perhaps' }],
    ['a name that is text', { userName: 'a@example.com', name: 'Robin' }],
    ['a long name', { userName: 'a@example.com', displayName: 'x'.repeat(501) }],
  ])('is refused with %s', async (_what, body) => {
    const refused = await scim('POST', '/Users', { schemas: [userSchema], ...body });
    expect([refused.status, refused.body.scimType]).toEqual([400, 'invalidValue']);
  });

  test('of somebody who is not active invites nobody', async () => {
    const email = newAddress();
    expect((await create(email, { active: false })).body.active).toBe(false);
    const person = await platform.signUp({ email, organization: null });
    expect((await acceptInvite(person)).status).toBe(404);
  });
});

describe('Disabling a member', () => {
  test('ends the access at once, and enabling brings the membership back with its role', async () => {
    const member = await platform.signUp({ invitedBy: owner, role: 'viewer' });
    const { body } = await scim('GET', filtered('/Users', `userName eq "${member.email}"`));
    const [{ id }] = body.Resources;
    const disabled = await scim.patch(`/Users/${id}`, { op: 'replace', value: { active: false } });
    expect([disabled.status, disabled.body.active]).toEqual([200, false]);
    expect(await memberAddresses()).not.toContain(member.email);
    const path = `/api/v1/organizations/${owner.orgId}/members`;
    expect((await platform.json('GET', path, { token: member.accessToken })).status).toBe(401);

    const enabled = await scim.patch(`/Users/${id}`, { op: 'replace', value: { active: true } });
    expect(enabled.body.active).toBe(true);
    const members = await platform.json('GET', path, { token: owner.accessToken });
    const again = members.body.items.find((item: { email: string }) => item.email === member.email);
    expect(again).toMatchObject({ role: 'viewer', user_id: member.userId });
  });

  test('never makes an owner again', async () => {
    const second = await platform.signUp({ invitedBy: owner, role: 'owner' });
    const off = await scim.patch(`/Users/${second.userId}`, { op: 'replace', path: 'active', value: 'False' });
    expect([off.status, off.body.active]).toEqual([200, false]);
    expect((await scim.patch(`/Users/${second.userId}`, { op: 'replace', path: 'active', value: 'True' })).status).toBe(
      200,
    );
    const path = `/api/v1/organizations/${owner.orgId}/members`;
    const { body } = await platform.json('GET', path, { token: owner.accessToken });
    const member = body.items.find((item: { email: string }) => item.email === second.email);
    expect(member.role).toBe('admin');
  });

  test('does not let the provider bring back who has joined again by an invite, and was removed by an admin', async () => {
    const person = await platform.signUp({ organization: null });
    await invite(platform, owner, person.email, 'admin');
    await acceptInvite(person);
    await scim.patch(`/Users/${person.userId}`, { op: 'replace', value: { active: false } });
    await invite(platform, owner, person.email, 'viewer');
    expect((await acceptInvite(person)).body.role).toBe('viewer');
    const path = `/api/v1/organizations/${owner.orgId}/members/${person.userId}`;
    expect((await platform.json('DELETE', path, { token: owner.accessToken })).status).toBe(200);
    expect((await scim('GET', `/Users/${person.userId}`)).status).toBe(404);
    const enabled = await scim.patch(`/Users/${person.userId}`, { op: 'replace', value: { active: true } });
    expect(enabled.status).toBe(404);
    expect(await memberAddresses()).not.toContain(person.email);
  });

  test('is refused for the last owner, in every way', async () => {
    const last = await platform.signUp();
    const client = await createScimClient(platform, last);
    const path = `/Users/${last.userId}`;
    const replies = [
      await client('DELETE', path),
      await client('PUT', path, { schemas: [userSchema], userName: last.email, active: false }),
      await client.patch(path, { op: 'replace', value: { active: false } }),
    ];
    expect(replies.map(({ status }) => status)).toEqual([409, 409, 409]);
    expect(replies.map(({ body }) => body.detail)).toEqual(Array(3).fill(expect.stringContaining('last owner')));
    expect((await me(last)).body.role).toBe('owner');
  });

  test('ends the invite of a person who has not joined, and enabling renews it', async () => {
    const email = newAddress();
    const { id } = (await create(email)).body;
    const person = await platform.signUp({ email, organization: null });
    await scim.patch(`/Users/${id}`, { op: 'replace', value: { active: false } });
    expect((await acceptInvite(person)).status).toBe(404);
    await scim.patch(`/Users/${id}`, { op: 'replace', value: { active: true } });
    expect((await acceptInvite(person)).status).toBe(200);
  });

  test('is in the audit log with the token as the actor', async () => {
    const member = await platform.signUp({ invitedBy: owner });
    await scim.patch(`/Users/${member.userId}`, { op: 'replace', value: { active: false } });
    const records = await platform.database.sql`
      select action, service_token_id, user_id from audit_log where resource_id = ${member.userId} and user_id is null`;
    const actor = { service_token_id: scim.tokenId, user_id: null };
    expect(records).toEqual(
      expect.arrayContaining([
        { action: 'MEMBER_REMOVED', ...actor },
        { action: 'UPDATE', ...actor },
      ]),
    );
  });
});

describe('Deleting a user', () => {
  test('ends the membership and keeps the account', async () => {
    const member = await platform.signUp({ invitedBy: owner });
    expect((await scim('DELETE', `/Users/${member.userId}`)).status).toBe(204);
    expect(await memberAddresses()).not.toContain(member.email);
    expect((await scim('GET', `/Users/${member.userId}`)).status).toBe(404);
    const login = { email: member.email, password: member.password };
    expect((await platform.json('POST', '/api/v1/auth/login', { body: login })).status).toBe(200);
  });

  test('is possible once', async () => {
    const { id } = (await create(newAddress())).body;
    expect((await scim('DELETE', `/Users/${id}`)).status).toBe(204);
    const again = await scim('DELETE', `/Users/${id}`);
    expect([again.status, again.body]).toEqual([
      404,
      { schemas: [errorSchema], status: '404', detail: 'The organization has no such user.' },
    ]);
  });
});

describe('Replacing a user', () => {
  test('changes what is stored, and never the account', async () => {
    const member = await platform.signUp({ invitedBy: owner });
    const body = { schemas: [userSchema], userName: newAddress(), externalId: 'e1', displayName: 'Robin', title: 'Dr' };
    const replaced = await scim('PUT', `/Users/${member.userId}`, body);
    expect(replaced.status).toBe(200);
    expect(replaced.body).toMatchObject({
      userName: body.userName,
      externalId: 'e1',
      displayName: 'Robin',
      active: true,
    });
    expect(replaced.body).not.toHaveProperty('title');
    expect((await me(member)).body).toMatchObject({ email: member.email, full_name: null });
    const bare = await scim('PUT', `/Users/${member.userId}`, { schemas: [userSchema], userName: body.userName });
    expect(bare.body).not.toHaveProperty('externalId');
  });

  test('moves the invite of a person who has not joined to the new address', async () => {
    const [former, next] = [newAddress(), newAddress()];
    const { id } = (await create(former)).body;
    await scim('PUT', `/Users/${id}`, { schemas: [userSchema], userName: next });
    const people = await Promise.all([former, next].map((email) => platform.signUp({ email, organization: null })));
    const replies = await Promise.all(people.map(acceptInvite));
    expect(replies.map(({ status }) => status)).toEqual([404, 200]);
  });

  test('is refused with the name of another user, and for an unknown one', async () => {
    const email = newAddress();
    await create(email);
    const { id } = (await create(newAddress())).body;
    const body = { schemas: [userSchema], userName: email };
    expect((await scim('PUT', `/Users/${id}`, body)).body.scimType).toBe('uniqueness');
    expect((await scim('PUT', `/Users/${randomUUID()}`, body)).status).toBe(404);
    expect((await scim('PUT', `/Users/nobody`, body)).status).toBe(404);
    expect((await scim('PUT', `/Users/${id}`, { userName: 'x' })).status).toBe(400);
  });
});

describe('A member who was removed by an admin', () => {
  test('is not a user any more, and can be created again, by invite', async () => {
    const member = await platform.signUp({ invitedBy: owner });
    await scim('PUT', `/Users/${member.userId}`, { schemas: [userSchema], userName: member.email, externalId: 'x' });
    const path = `/api/v1/organizations/${owner.orgId}/members/${member.userId}`;
    expect((await platform.json('DELETE', path, { token: owner.accessToken })).status).toBe(200);
    expect((await scim('GET', `/Users/${member.userId}`)).status).toBe(404);
    expect((await create(member.email)).status).toBe(201);
    expect(await memberAddresses()).not.toContain(member.email);
  });

  test('is not a user any more, also if the provider had created the user', async () => {
    const { person, id } = await createAndJoin();
    const path = `/api/v1/organizations/${owner.orgId}/members/${person.userId}`;
    expect((await platform.json('DELETE', path, { token: owner.accessToken })).status).toBe(200);
    expect((await scim('GET', `/Users/${id}`)).status).toBe(404);
    expect((await create(person.email)).status).toBe(201);
  });

  test('leaves the name and the address to another user, who gets them by PUT or PATCH', async () => {
    const changes: ((id: string, email: string) => Promise<JsonReply>)[] = [
      (id, userName) => scim('PUT', `/Users/${id}`, { schemas: [userSchema], userName }),
      (id, userName) => scim.patch(`/Users/${id}`, { op: 'replace', value: { userName } }),
      (id, value) => scim.patch(`/Users/${id}`, { op: 'replace', value: { emails: [{ value, primary: true }] } }),
    ];
    for (const change of changes) {
      const { person } = await createAndJoin();
      const { id } = (await create(newAddress())).body as { id: string };
      expect((await change(id, person.email)).status).toBe(409);
      const path = `/api/v1/organizations/${owner.orgId}/members/${person.userId}`;
      expect((await platform.json('DELETE', path, { token: owner.accessToken })).status).toBe(200);
      const changed = await change(id, person.email);
      expect(changed.status).toBe(200);
      expect([changed.body.userName, changed.body.emails[0].value]).toContain(person.email);
    }
  });

  test('is not brought back by the provider, which had said before that the user is not active', async () => {
    const email = newAddress();
    const { id } = (await create(email, { active: false })).body;
    const person = await platform.signUp({ email, invitedBy: owner });
    expect((await scim('GET', `/Users/${id}`)).body.active).toBe(true);
    const path = `/api/v1/organizations/${owner.orgId}/members/${person.userId}`;
    expect((await platform.json('DELETE', path, { token: owner.accessToken })).status).toBe(200);
    expect((await scim.patch(`/Users/${id}`, { op: 'replace', value: { active: true } })).status).toBe(404);
    expect(await memberAddresses()).not.toContain(email);
  });
});

describe('A user with the address of a member whom the provider knows by another address', () => {
  test('is not that member', async () => {
    const member = await platform.signUp({ invitedBy: owner });
    await scim('PUT', `/Users/${member.userId}`, { schemas: [userSchema], userName: newAddress() });
    const { id } = (await create(member.email)).body;
    expect((await scim.patch(`/Users/${id}`, { op: 'replace', value: { displayName: 'Kim' } })).status).toBe(200);
    expect((await disable(id)).body.active).toBe(false);
    expect(await memberAddresses()).toContain(member.email);
    expect((await disable(member.userId)).status).toBe(200);
    expect(await memberAddresses()).not.toContain(member.email);
  });
});

describe('A person who has changed the address of the account after joining', () => {
  test.each<[string, (id: string) => Promise<JsonReply>, number]>([
    ['disabling', disable, 200],
    ['deleting', (id) => scim('DELETE', `/Users/${id}`), 204],
  ])('loses the membership by %s the user', async (_what, end, status) => {
    const { person, id } = await createAndJoin();
    const changed = newAddress();
    await changeAddress(person, changed);
    expect((await scim('GET', `/Users/${id}`)).body).toMatchObject({ id, userName: person.email, active: true });
    expect((await end(id)).status).toBe(status);
    expect(await memberAddresses()).not.toContain(changed);
    const path = `/api/v1/organizations/${owner.orgId}/members`;
    expect((await platform.json('GET', path, { token: person.accessToken })).status).toBe(401);
  });

  test('to that of a user and then to another one loses the membership with the user', async () => {
    const person = await platform.signUp({ invitedBy: owner });
    const [known, changed] = [newAddress(), newAddress()];
    const { id } = (await create(known)).body;
    await changeAddress(person, known);
    await changeAddress({ ...person, email: known }, changed);
    expect((await disable(id)).status).toBe(200);
    expect(await memberAddresses()).not.toContain(changed);
  });

  describe('after a server of an earlier release has admitted the person', () => {
    const forget = (id: string): Promise<unknown> =>
      platform.database.sql`update scim_users set user_id = null where id = ${id}`;

    test('loses the membership with the user', async () => {
      const { person, id } = await createAndJoin();
      await forget(id);
      const changed = newAddress();
      await changeAddress(person, changed);
      expect((await disable(id)).status).toBe(200);
      expect(await memberAddresses()).not.toContain(changed);
    });

    test('loses it also if a mail has given the former address back', async () => {
      const person = await platform.signUp({ organization: null });
      const changed = newAddress();
      await changeAddress(person, changed);
      const { token } = await platform.lastMail(person.email);
      const { id } = (await create(changed)).body;
      expect((await acceptInvite(person)).status).toBe(200);
      await forget(id);
      const secured = await platform.json('POST', '/api/v1/auth/secure-account', { body: { token } });
      expect(secured.status).toBe(200);
      expect(await memberAddresses()).toContain(person.email);
      expect((await disable(id)).status).toBe(200);
      expect(await memberAddresses()).not.toContain(person.email);
    });
  });

  test('finds what is stored in the export, and deletes it with the account', async () => {
    const { person, id } = await createAndJoin();
    await changeAddress(person, newAddress());
    const request = { token: person.accessToken, body: { current_password: person.password } };
    const { body } = await platform.json('POST', '/api/v1/auth/account-export', request);
    expect(body.provisioned_users).toMatchObject([{ org_id: owner.orgId, email: person.email }]);
    expect((await platform.json('POST', '/api/v1/auth/account-deletion', request)).status).toBe(200);
    expect(await platform.database.sql`select from scim_users where id = ${id}`).toHaveLength(0);
  });
});

describe('What a provider has stored about a person', () => {
  test('is in the export of the account, and goes with it', async () => {
    const [member, invited] = [await platform.signUp({ invitedBy: owner }), await platform.signUp()];
    await scim('PUT', `/Users/${member.userId}`, { userName: member.email, externalId: 'e7' });
    await create(invited.email, { displayName: 'Kim' });
    const password = { current_password: member.password };
    for (const [user, stored] of [
      [member, { org_id: owner.orgId, user_name: member.email, external_id: 'e7', active: true }],
      [invited, { org_id: owner.orgId, email: invited.email, display_name: 'Kim' }],
    ] as const) {
      const request = { token: user.accessToken, body: password };
      const { body } = await platform.json('POST', '/api/v1/auth/account-export', request);
      expect(body.provisioned_users).toMatchObject([stored]);
      const deleted = await platform.json('POST', '/api/v1/auth/account-deletion', request);
      expect(deleted.status).toBe(200);
      const rows = await platform.database.sql`select from scim_users where email = ${user.email}`;
      expect(rows).toHaveLength(0);
    }
  });
});

describe('The token of an identity provider', () => {
  test('is created and rotated by owners alone', async () => {
    const admin = await platform.signUp({ invitedBy: owner, role: 'admin' });
    const path = `/api/v1/organizations/${owner.orgId}/service-tokens`;
    const body = { name: 'Okta', scopes: ['scim:write'], expires_in_days: 30 };
    const refused = await platform.json('POST', path, { token: admin.accessToken, body });
    expect([refused.status, refused.body.required_role]).toEqual([403, 'owner']);
    const rotation = { overlap_seconds: 0 };
    const rotate = (user: TestUser): Promise<JsonReply> =>
      platform.json('POST', `${path}/${scim.tokenId}/rotate`, { token: user.accessToken, body: rotation });
    expect((await rotate(admin)).body.required_role).toBe('owner');
  });

  test('reads the users of its organization only', async () => {
    const stranger = await platform.signUp();
    expect((await scim('GET', `/Users/${stranger.userId}`)).status).toBe(404);
    expect((await scim.patch(`/Users/${stranger.userId}`, { op: 'replace', value: { active: false } })).status).toBe(
      404,
    );
    const all = await scim('GET', '/Users?count=200');
    expect(JSON.stringify(all.body)).not.toContain(stranger.email);
  });

  test('needs the scope', async () => {
    const other = await createServiceToken(platform, owner, ['members:read']);
    const refused = await platform.json('GET', '/scim/v2/Users', { token: other.token });
    expect(refused.status).toBe(403);
    expect(refused.body).toMatchObject({ schemas: [errorSchema], status: '403' });
    const anonymous = await platform.json('GET', '/scim/v2/Users');
    expect([anonymous.status, anonymous.headers.get('Content-Type')]).toEqual([401, 'application/scim+json']);
  });
});
