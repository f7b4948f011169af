/**
 * The requests that Okta and Microsoft Entra ID send, as they publish them: Okta's "SCIM 2.0 SPEC Test" and "SCIM Provisioning
 * Integration" (developer.okta.com), Microsoft's "Develop and plan provisioning for a SCIM endpoint" and the cases of its SCIM
 * Validator (learn.microsoft.com).
 */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestPlatform, type JsonReply, type TestPlatform, type TestUser } from '../../../support/platform.js';
import { createScimClient, errorSchema, filtered, groupSchema, userSchema, type ScimClient } from './scim-client.js';

let platform: TestPlatform;
let owner: TestUser;
let scim: ScimClient;
beforeAll(async () => {
  platform = await startTestPlatform();
  owner = await platform.signUp();
  scim = await createScimClient(platform, owner);
});
afterAll(() => platform.stop());

const listSchema = 'urn:ietf:params:scim:api:messages:2.0:ListResponse';

async function createUser(others: object = {}): Promise<JsonReply['body']> {
  const userName = `${randomUUID()}@example.com`;
  const emails = [{ value: userName, type: 'work', primary: true }];
  const reply = await scim('POST', '/Users', { schemas: [userSchema], userName, emails, active: true, ...others });
  expect(reply.status).toBe(201);
  return reply.body;
}

describe('Okta', () => {
  test('reads the users, and finds that a random one does not exist', async () => {
    const { body } = await scim('GET', '/Users?count=1&startIndex=1');
    expect(body).toMatchObject({ schemas: [listSchema], startIndex: 1, itemsPerPage: 1 });
    expect(body.totalResults).toBeGreaterThan(0);
    const [first] = body.Resources;
    expect(first).toMatchObject({
      userName: expect.any(String),
      active: expect.any(Boolean),
      emails: [{ value: expect.any(String) }],
    });
    expect((await scim('GET', `/Users/${first.id}`)).body.id).toBe(first.id);
    const unknown = await scim('GET', '/Users/00919288221112222');
    expect([unknown.status, unknown.body.schemas, unknown.body.detail]).toEqual([
      404,
      [errorSchema],
      expect.any(String),
    ]);
    const found = await scim(
      'GET',
      filtered('/Users', `userName eq "nobody@atko.com"`, { count: '100', startIndex: '1' }),
    );
    expect(found.body).toMatchObject({ schemas: [listSchema], totalResults: 0 });
  });

  test('creates a user once, and finds it by the name in every case', async () => {
    const body = {
      schemas: [userSchema],
      userName: `Runscope.${randomUUID()}@Atko.com`,
      name: { givenName: 'Runscope', familyName: 'Test' },
      emails: [{ primary: true, value: `runscope.${randomUUID()}@atko.com`, type: 'work' }],
      displayName: 'Runscope Test',
      locale: 'en-US',
      externalId: '00ujl29u0le5T6Aj10h7',
      groups: [],
      password: '1mz050nq',
      active: true,
    };
    const created = await scim('POST', '/Users', body);
    expect(created.status).toBe(201);
    expect(created.body).toMatchObject({ active: true, name: body.name, userName: body.userName });
    expect(JSON.stringify(created.body)).not.toContain(body.password);
    expect((await scim('POST', '/Users', body)).status).toBe(409);
    const found = await scim('GET', filtered('/Users', `userName eq "${body.userName.toUpperCase()}"`));
    expect(found.body.Resources).toHaveLength(1);
  });

  test('updates by PUT of the whole user, and disables and enables by PATCH', async () => {
    const user = await createUser();
    const put = await scim('PUT', `/Users/${user.id}`, {
      ...user,
      name: { givenName: 'Another', familyName: 'Test' },
      active: true,
    });
    expect([put.status, put.body.name.givenName]).toEqual([200, 'Another']);
    for (const active of [false, true]) {
      const patched = await scim.patch(`/Users/${user.id}`, { op: 'replace', value: { active } });
      expect([patched.status, patched.body.active]).toEqual([200, active]);
    }
    const off = await scim('PUT', `/Users/${user.id}`, { ...user, active: false });
    expect([off.status, off.body.active]).toEqual([200, false]);
  });

  test('pushes a group: creates, renames with its id, adds and removes members', async () => {
    const user = await createUser();
    const created = await scim('POST', '/Groups', { schemas: [groupSchema], displayName: 'Test SCIMv2', members: [] });
    expect([created.status, created.body.members]).toEqual([201, []]);
    const { id } = created.body;
    const renamed = await scim.patch(`/Groups/${id}`, {
      op: 'replace',
      value: { id, displayName: 'Test SCIMv2 renamed' },
    });
    expect(renamed.body.displayName).toBe('Test SCIMv2 renamed');
    const value = [{ value: user.id, display: user.userName }];
    const added = await scim.patch(`/Groups/${id}`, { op: 'add', path: 'members', value });
    expect(added.body.members).toEqual([{ value: user.id, display: user.userName }]);
    const path = `members[value eq "${user.id}"]`;
    expect((await scim.patch(`/Groups/${id}`, { op: 'remove', path })).body.members).toEqual([]);
    const put = await scim('PUT', `/Groups/${id}`, {
      schemas: [groupSchema],
      id,
      displayName: 'Test SCIMv2',
      members: value,
    });
    expect(put.body.members).toHaveLength(1);
    const listed = await scim(
      'GET',
      filtered('/Groups', 'displayName eq "test scimv2"', { count: '100', startIndex: '1' }),
    );
    expect(listed.body.Resources.map((each: { id: string }) => each.id)).toEqual([id]);
    expect((await scim('DELETE', `/Groups/${id}`)).status).toBe(204);
  });
});

describe('Microsoft Entra ID', () => {
  test('reads the schemas', async () => {
    const { body } = await scim('GET', '/Schemas');
    expect(body.Resources.map((each: { id: string }) => each.id)).toEqual([userSchema, groupSchema]);
    const types = await scim('GET', '/ResourceTypes');
    expect(types.body.Resources.map((each: { endpoint: string }) => each.endpoint)).toEqual(['/Users', '/Groups']);
    expect((await scim('GET', '/ServiceProviderConfig')).body.patch).toEqual({ supported: true });
  });

  test('creates a user with attributes of the enterprise extension, which are ignored', async () => {
    const userName = `${randomUUID()}@testuser.com`;
    const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
    const created = await scim('POST', '/Users', {
      schemas: [userSchema, enterprise],
      externalId: '0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef',
      userName,
      active: true,
      addresses: [],
      emails: [{ primary: true, type: 'work', value: userName }],
      meta: { resourceType: 'User' },
      name: { formatted: 'givenName familyName', familyName: 'familyName', givenName: 'givenName' },
      roles: [],
      [enterprise]: { department: 'Sales' },
    });
    expect([created.status, created.body.schemas]).toEqual([201, [userSchema]]);
    for (const filter of [
      `externalId eq "0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef"`,
      `emails[type eq "work"].value eq "${userName.toUpperCase()}"`,
      `userName eq "${userName}" and active eq true`,
      `emails.value sw "${userName.slice(0, 8)}" and not (displayName pr)`,
    ]) {
      const { body } = await scim('GET', filtered('/Users', filter));
      expect([filter, body.totalResults, body.Resources[0]?.userName]).toEqual([filter, 1, userName]);
    }
  });

  test('changes several attributes by one PATCH, with capital letters and filters in paths', async () => {
    const user = await createUser({ displayName: 'Before' });
    const address = `updated.${randomUUID()}@microsoft.com`;
    const { status, body } = await scim.patch(
      `/Users/${user.id}`,
      { op: 'Replace', path: 'emails[type eq "work"].value', value: address },
      { op: 'Replace', path: 'emails[type eq "home"].value', value: 'home@example.com' },
      { op: 'Replace', path: 'name.familyName', value: 'updatedFamilyName' },
      { op: 'Add', path: 'nickName', value: 'Babs' },
      { op: 'Add', path: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department', value: 'Sales' },
      { op: 'Add', path: 'roles', value: [{ value: '{"id":"1"}' }] },
      { op: 'Remove', path: 'displayName' },
    );
    expect(status).toBe(200);
    expect(body).toMatchObject({ name: { familyName: 'updatedFamilyName' }, emails: [{ value: address }] });
    expect(body).not.toHaveProperty('displayName');
  });

  test('sends attributes without a path, with dots in their names', async () => {
    const user = await createUser();
    const value = {
      'name.givenName': 'Adele',
      'emails[type eq "work"].value': user.userName,
      DisplayName: 'Adele Vance',
    };
    const { body } = await scim.patch(`/Users/${user.id}`, { op: 'Add', value });
    expect(body).toMatchObject({ name: { givenName: 'Adele' }, displayName: 'Adele Vance' });
  });

  test('disables and restores a user with text as the value of active', async () => {
    const user = await createUser();
    for (const [text, active] of [
      ['False', false],
      ['True', true],
    ] as const) {
      const { body } = await scim.patch(`/Users/${user.id}`, { op: 'Replace', path: 'active', value: text });
      expect(body.active).toBe(active);
    }
  });

  test('reads a group without its members, and changes its name and members', async () => {
    const [one, two] = [await createUser(), await createUser()];
    const body = {
      schemas: [groupSchema],
      externalId: randomUUID(),
      displayName: `Group ${randomUUID()}`,
      meta: { resourceType: 'Group' },
    };
    const { id } = (await scim('POST', '/Groups', body)).body;
    const path = filtered('/Groups', `displayName eq "${body.displayName}"`, { excludedAttributes: 'members' });
    expect((await scim('GET', path)).body.Resources).toEqual([
      expect.not.objectContaining({ members: expect.anything() }),
    ]);
    const add = { op: 'Add', path: 'members', value: [{ $ref: null, value: one.id }, { value: two.id }] };
    expect((await scim.patch(`/Groups/${id}`, add)).body.members).toHaveLength(2);
    const remove = { op: 'Remove', path: 'members', value: [{ $ref: null, value: one.id }] };
    expect((await scim.patch(`/Groups/${id}`, remove)).body.members).toEqual([
      { value: two.id, display: two.userName },
    ]);
    const rename = {
      op: 'Replace',
      path: 'displayName',
      value: '1879db59-3bdf-4490-ad68-ab880a269474updatedDisplayName',
    };
    expect((await scim.patch(`/Groups/${id}`, rename)).body.displayName).toContain('updatedDisplayName');
  });
});

describe('The standard', () => {
  test.each<[string, object, string]>([
    ['no operations', { Operations: [] }, 'invalidSyntax'],
    ['another op', { Operations: [{ op: 'move', path: 'active' }] }, 'invalidSyntax'],
    ['too many operations', { Operations: Array(1001).fill({ op: 'remove', path: 'title' }) }, 'tooMany'],
    ['remove without a path', { Operations: [{ op: 'remove' }] }, 'noTarget'],
    ['a number as the path', { Operations: [{ op: 'remove', path: 7 }] }, 'invalidPath'],
    ['a broken path', { Operations: [{ op: 'replace', path: 'emails[type eq', value: 'x' }] }, 'invalidPath'],
    ['no value', { Operations: [{ op: 'replace', path: 'userName' }] }, 'invalidValue'],
    ['text instead of attributes', { Operations: [{ op: 'replace', value: 'x' }] }, 'invalidValue'],
    ['no userName afterwards', { Operations: [{ op: 'remove', path: 'userName' }] }, 'invalidValue'],
    ['an id to remove', { Operations: [{ op: 'remove', path: 'id' }] }, 'mutability'],
  ])('refuses a PATCH with %s, and changes nothing', async (_what, body, scimType) => {
    const user = await createUser();
    const refused = await scim('PATCH', `/Users/${user.id}`, body);
    expect([refused.status, refused.body.scimType]).toEqual([400, scimType]);
    expect((await scim('GET', `/Users/${user.id}`)).body).toEqual(user);
  });

  test.each([
    ['GET', '/Me', 404],
    ['POST', '/Bulk', 404],
    ['PUT', '/Groups', 405],
  ])('has no say in the error of %s %s, which the contract lacks', async (method, path, status) => {
    const { status: actual, headers, body } = await scim(method, path, method === 'GET' ? undefined : {});
    expect([actual, headers.get('Content-Type')]).toEqual([status, 'application/problem+json']);
    expect(body).toMatchObject({ status });
  });

  test('refuses a PATCH of a group in the same way', async () => {
    const { id } = (await scim('POST', '/Groups', { displayName: `Group ${randomUUID()}` })).body;
    for (const [operation, scimType] of [
      [{ op: 'remove' }, 'noTarget'],
      [{ op: 'add', value: [] }, 'invalidValue'],
      [{ op: 'add', path: '[', value: [] }, 'invalidPath'],
      [{ op: 'remove', path: 'displayName' }, 'invalidValue'],
    ] as const) {
      expect((await scim.patch(`/Groups/${id}`, operation)).body.scimType).toBe(scimType);
    }
  });

  test.each([
    'userName',
    'userName eq',
    'userName eq "a',
    'password eq "x"',
    'userName eq 7',
    'active gt true',
    'id sw "a"',
    'meta.created gt "yesterday"',
    'meta.created gt "2026-01-01"',
    'meta.created gt "0000-01-01T00:00:00Z"',
    'meta.created gt "2026-02-30T00:00:00Z"',
    'meta.lastModified lt "2025-02-29T12:00:00+01:00"',
    'meta.created gt "0000-01-01"',
    'meta.created gt "+275760-09-13T00:00:00Z"',
    'meta.lastModified lt "-271821-04-20T00:00:00.000Z"',
    'userName gt null',
    'emails.type co "w"',
    'emails[emails[value eq "a"]]',
    `${'('.repeat(60)}userName pr${')'.repeat(60)}`,
    "userName eq 'a' or 1=1; --",
  ])('refuses the filter %s', async (filter) => {
    const reply = await scim('GET', filtered('/Users', filter));
    expect([reply.status, reply.body.scimType]).toEqual([400, 'invalidFilter']);
    expect((await scim('GET', filtered('/Groups', filter))).status).toBe(400);
  });

  test('compares in every way', async () => {
    const mark = randomUUID();
    const user = await createUser({ displayName: `O'Neil ${mark}`, externalId: mark });
    const { lastModified } = user.meta;
    for (const [filter, matches] of [
      [`displayName co "o'neil ${mark.slice(0, 9)}"`, true],
      [`externalId eq "${mark.toUpperCase()}"`, false],
      [`displayName ew "${mark}" and userName ne "x"`, true],
      [`externalId eq "${mark}" and (active eq false or not (userName eq "x"))`, true],
      [`externalId eq "${mark}" and meta.lastModified ge "${lastModified}"`, true],
      [`externalId eq "${mark}" and meta.lastModified lt "${lastModified}"`, false],
      [`externalId eq "${mark}" and meta.created gt "0001-01-01T00:00:00Z"`, true],
      [`externalId eq "${mark}" and meta.created lt "9999-12-31T23:59:59.999-12:00"`, true],
      [`externalId eq "${mark}" and name.givenName eq null`, true],
      [`externalId eq "${mark}" and name.givenName pr`, false],
      [`externalId eq "${mark}" and emails[type eq "work" and value co "@"]`, true],
      [`externalId eq "${mark}" and emails[type eq "home"]`, false],
      [`id eq "${user.id}" and id ne "no-id"`, true],
      [`urn:ietf:params:scim:schemas:core:2.0:User:userName eq "${user.userName}"`, true],
      [`userName gt "${user.userName}" and externalId eq "${mark}"`, false],
    ] as const) {
      const { body } = await scim('GET', filtered('/Users', filter));
      expect([filter, body.totalResults]).toEqual([filter, matches ? 1 : 0]);
    }
  });

  test('pages in a stable order, and corrects numbers out of range', async () => {
    const all = await scim('GET', '/Users?count=999999');
    const { totalResults } = all.body;
    const ids: string[] = [];
    for (let start = 1; start <= totalResults; start += 2) {
      const page = await scim('GET', `/Users?startIndex=${start}&count=2`);
      ids.push(...page.body.Resources.map((each: { id: string }) => each.id));
    }
    expect(ids).toEqual(all.body.Resources.map((each: { id: string }) => each.id));
    expect((await scim('GET', '/Users?startIndex=-5&count=-1')).body).toMatchObject({
      startIndex: 1,
      itemsPerPage: 0,
      Resources: [],
    });
    expect((await scim('GET', '/Users?startIndex=999999999999&count=1')).body.Resources).toEqual([]);
  });

  test('returns the attributes that are asked for', async () => {
    const user = await createUser();
    const { body } = await scim('GET', `/Users/${user.id}?attributes=userName,name.familyName`);
    expect(body).toEqual({ schemas: [userSchema], id: user.id, userName: user.userName });
    const { body: others } = await scim('GET', `/Users/${user.id}?excludedAttributes=emails,meta`);
    expect(Object.keys(others)).not.toContain('emails');
  });

  test('accepts application/json as the name of its media type', async () => {
    const headers = { 'Content-Type': 'application/json; charset=utf-8', Accept: 'application/json' };
    const body = { userName: `${randomUUID()}@example.com` };
    const reply = await platform.json('POST', '/scim/v2/Users', { token: scim.token, headers, body });
    expect([reply.status, reply.headers.get('Content-Type')]).toEqual([201, 'application/scim+json']);
  });

  test.each(['User', 'Group'])(
    'refuses a body that is not an object, and an id of a %s that none can have',
    async (name) => {
      for (const [method, path, body] of [
        ['POST', `/${name}s`, []],
        ['PUT', `/${name}s/${randomUUID()}`, 'text'],
        ['PATCH', `/${name}s/${randomUUID()}`, 7],
        ['DELETE', `/${name}s/${'x'.repeat(201)}`, undefined],
      ] as const) {
        const { status, body: error } = await scim(method, path, body);
        expect([method, status, error]).toEqual([
          method,
          422,
          { schemas: [errorSchema], status: '422', detail: expect.stringMatching(/\/body|\/path/) },
        ]);
      }
    },
  );

  test('ignores attributes that could change an object of the server', async () => {
    const body = JSON.parse(
      `{"userName":"${randomUUID()}@example.com","__proto__":{"active":false},"constructor":"x"}`,
    );
    const reply = await scim('POST', '/Users', body);
    expect([reply.status, reply.body.active]).toEqual([201, true]);
  });
});
