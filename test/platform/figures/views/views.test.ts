import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestPlatform, type JsonReply, type TestPlatform, type TestUser } from '../../../support/platform.js';
import { exampleDefinition } from './definition.js';

let platform: TestPlatform;
let owner: TestUser;
let member: TestUser;
let other: TestUser;
let viewer: TestUser;
beforeAll(async () => {
  platform = await startTestPlatform();
});
afterAll(() => platform.stop());
beforeEach(async () => {
  owner = await platform.signUp();
  member = await platform.signUp({ invitedBy: owner, role: 'member' });
  other = await platform.signUp({ invitedBy: owner, role: 'member' });
  viewer = await platform.signUp({ invitedBy: owner, role: 'viewer' });
});

const path = (id = ''): string => `/api/v1/organizations/${owner.orgId}/views${id === '' ? '' : `/${id}`}`;
const save = (by: TestUser, name: string, definition: unknown = exampleDefinition): Promise<JsonReply> =>
  platform.json('POST', path(), { token: by.accessToken, body: { name, definition } });
const change = (by: TestUser, id: string, body: unknown): Promise<JsonReply> =>
  platform.json('PATCH', path(id), { token: by.accessToken, body });
const remove = (by: TestUser, id: string): Promise<JsonReply> =>
  platform.json('DELETE', path(id), { token: by.accessToken });
const list = async (by: TestUser): Promise<unknown[]> =>
  (await platform.json('GET', path(), { token: by.accessToken })).body.items;

describe('A saved view', () => {
  it('is listed to the whole organization, with its author', async () => {
    const saved = await save(member, ' Quality by team ');
    expect(saved.status).toBe(201);
    expect(saved.headers.get('Location')).toBe(path(saved.body.id));
    const view = { name: 'Quality by team', definition: exampleDefinition, created_by: member.userId };
    expect(saved.body).toMatchObject({ ...view, created_by_name: member.email });
    expect(await list(viewer)).toEqual([saved.body]);
  });

  it('keeps every text of a filter as it is', async () => {
    const odd = ['', 'Zoë "quoted"'];
    const definition = { ...exampleDefinition, filters: { ...exampleDefinition.filters, authors: odd } };
    const saved = await save(member, 'Odd', definition);
    expect(saved.body.definition).toEqual(definition);
    expect(await list(member)).toEqual([saved.body]);
  });

  it('of an earlier release accepts any value of the filters that were added since', async () => {
    const saved = await save(member, 'Old');
    await platform.database.sql`
      update saved_views set definition = (definition::jsonb #- '{filters,assistants}')::text where id = ${saved.body.id}`;
    expect(await list(member)).toEqual([saved.body]);
  });

  it.each(Object.keys(exampleDefinition.filters))(
    'has no line breaks and no text direction controls in the filter %s',
    async (dimension) => {
      for (const value of ['a\r\nBcc: x', 'a\u202eb', '\u2066', 'a\u2028b', '\u0007']) {
        const definition = { ...exampleDefinition, filters: { ...exampleDefinition.filters, [dimension]: [value] } };
        const path = `/body/definition/filters/${dimension}/0`;
        expect(await save(member, 'Hostile', definition)).toMatchObject({
          status: 422,
          body: { violations: [{ path, rule: 'pattern' }] },
        });
      }
    },
  );

  it('is renamed, changed and deleted by its author and by admins only', async () => {
    const { id } = (await save(member, 'Mine')).body;
    for (const refused of [await change(other, id, { name: 'Theirs' }), await remove(other, id)]) {
      expect(refused).toMatchObject({
        status: 403,
        body: { type: '/problems/insufficient-role', required_role: 'admin' },
      });
    }
    expect((await change(member, id, { name: 'Still mine' })).body.name).toBe('Still mine');
    const definition = { ...exampleDefinition, measure: 'throughput' };
    platform.clock.advance(1);
    const changed = await change(owner, id, { definition });
    expect(changed).toMatchObject({ status: 200, body: { name: 'Still mine', definition, created_by: member.userId } });
    expect(changed.body.updated_at > changed.body.created_at).toBe(true);
    expect((await remove(owner, id)).status).toBe(204);
    expect(await list(member)).toEqual([]);
    for (const gone of [await change(member, id, { name: 'Gone' }), await remove(member, id)]) {
      expect(gone).toMatchObject({ status: 404, body: { type: '/problems/view-not-found' } });
    }
  });

  it('stays when the account of its author is deleted', async () => {
    await save(member, 'Orphan');
    await platform.database.sql`delete from users where id = ${member.userId}`;
    expect(await list(owner)).toMatchObject([{ name: 'Orphan', created_by: null, created_by_name: null }]);
  });

  it('is recorded in the audit log when it changes', async () => {
    const { id } = (await save(member, 'Recorded')).body;
    await change(member, id, { name: 'Again', definition: exampleDefinition });
    await remove(owner, id);
    const records = await platform.database.sql`
      select action, note, user_id from audit_log where resource_kind = 'VIEW' and resource_id = ${id}
      order by at, action`;
    expect([...records]).toEqual(
      expect.arrayContaining([
        { action: 'CREATE', note: null, user_id: member.userId },
        { action: 'UPDATE', note: 'definition, name', user_id: member.userId },
        { action: 'DELETE', note: null, user_id: owner.userId },
      ]),
    );
  });
});

it.each([
  ['a leap year', { start_date: '2024-01-01', end_date: '2024-12-31' }, 'quarter'],
  ['a quarter that moves with the date', { preset: 'last_quarter' }, 'month'],
  ['a year that moves with the date', { preset: 'this_year' }, 'year'],
])('A view can be of %s', async (name, period, interval) => {
  const definition = { ...exampleDefinition, period, interval };
  const saved = await save(member, name, definition);
  expect([saved.status, saved.body.definition]).toEqual([201, definition]);
});

describe('The server refuses', () => {
  it('a name of another view of the organization, in any case', async () => {
    const taken = {
      status: 422,
      body: { violations: [{ path: '/body/name', rule: 'unique', message: 'is the name of another view' }] },
    };
    await save(member, 'Weekly');
    const { id } = (await save(member, 'Monthly')).body;
    expect(await save(other, 'WEEKLY')).toMatchObject(taken);
    expect(await change(member, id, { name: 'weekly' })).toMatchObject(taken);
    const stranger = await platform.signUp();
    const elsewhere = `/api/v1/organizations/${stranger.orgId}/views`;
    const body = { name: 'Weekly', definition: exampleDefinition };
    expect((await platform.json('POST', elsewhere, { token: stranger.accessToken, body })).status).toBe(201);
  });

  it.each([
    ['an unknown dimension', { dimension: 'planet' }, '/body/definition/dimension'],
    ['more values than can be shown', { top: 51 }, '/body/definition/top'],
    ['a property that a definition does not have', { colour: 'red' }, '/body/definition'],
    [
      'a period that ends before it starts',
      { period: { start_date: '2026-03-02', end_date: '2026-03-01' } },
      '/body/definition/period/end_date',
    ],
    [
      'a period of more than 365 days',
      { period: { start_date: '2025-03-02', end_date: '2026-03-02' } },
      '/body/definition/period/end_date',
    ],
    [
      'a day that no work unit can have',
      { period: { start_date: '9999-12-01', end_date: '9999-12-31' } },
      '/body/definition/period/start_date',
    ],
  ])('%s', async (_what, part, where) => {
    const definition = { ...exampleDefinition, ...part };
    const refused = await save(member, 'Refused', definition);
    expect(refused.status).toBe(422);
    expect(refused.body.violations[0].path).toContain(where);
    const { id } = (await save(member, 'Accepted')).body;
    expect((await change(member, id, { definition })).status).toBe(422);
  });

  it('more than 200 views, also when they are saved at once', async () => {
    await platform.database.sql`
      insert into saved_views (org_id, name, definition, created_by)
      select ${owner.orgId}, 'view ' || n, ${JSON.stringify(exampleDefinition)}, ${owner.userId}
      from generate_series(1, 199) n`;
    const replies = await Promise.all(['one', 'two', 'three'].map((name) => save(member, name)));
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
    expect((await save(member, 'more')).body.type).toBe('/problems/view-limit-reached');
  });

  it('a definition that is too large for a body', async () => {
    const authors = Array.from({ length: 50 }, (_, index) => `${index} ${'a'.repeat(30_000)}`);
    const definition = { ...exampleDefinition, filters: { ...exampleDefinition.filters, authors } };
    expect((await save(member, 'Large', definition)).status).toBe(413);
  });
});
