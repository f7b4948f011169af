import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestPlatform, type JsonReply, type TestPlatform, type TestUser } from '../../../support/platform.js';

let platform: TestPlatform;
let owner: TestUser;
beforeAll(async () => {
  platform = await startTestPlatform();
});
beforeEach(async () => {
  owner = await platform.signUp();
});
afterAll(() => platform.stop());

const pay = { id: 'payments', name: 'Payments', members: ['ada@example.com', 'grace'], repositories: ['acme/pay-*'] };

function send(method: string, path = '', body?: unknown, by = owner): Promise<JsonReply> {
  const url = `/api/v1/organizations/${owner.orgId}/teams${path}`;
  return platform.json(method, url, { token: by.accessToken, ...(body === undefined ? {} : { body }) });
}

async function importFile(text: string | Uint8Array<ArrayBuffer>, by = owner): Promise<JsonReply> {
  const reply = await platform.fetch(`${platform.url}/api/v1/organizations/${owner.orgId}/teams`, {
    method: 'PUT',
    headers: { 'Content-Type': 'application/yaml', Authorization: `Bearer ${by.accessToken}` },
    body: text,
  });
  return { status: reply.status, headers: reply.headers, body: await reply.json() };
}

async function assignment(): Promise<unknown> {
  const path = `/api/v1/organizations/${owner.orgId}/team-assignment`;
  return (await platform.json('GET', path, { token: owner.accessToken })).body.state;
}

async function audited(): Promise<unknown> {
  return platform.database.sql`
    select action, resource_id, note from audit_log
    where org_id = ${owner.orgId} and resource_kind = 'TEAM' order by at, id`;
}

describe('a team', () => {
  it('is created, read, listed, changed and deleted, with a record in the audit log of each change', async () => {
    const created = await send('POST', '', { ...pay, members: ['Ada@Example.com', '@grace', 'grace'] });
    expect(created).toMatchObject({ status: 201, body: pay });
    const location = created.headers.get('Location') ?? '';
    expect((await platform.json('GET', location, { token: owner.accessToken })).body).toEqual(pay);
    expect((await send('GET')).body).toEqual({ items: [pay], next_cursor: null });
    expect(await assignment()).toBe('assigning');

    const changed = await send('PATCH', '/payments', { members: ['linus'] });
    expect(changed).toMatchObject({ status: 200, body: { ...pay, members: ['linus'] } });
    expect((await send('DELETE', '/payments')).status).toBe(204);
    expect((await send('GET')).body).toEqual({ items: [], next_cursor: null });
    expect(await audited()).toMatchObject([
      { action: 'CREATE', resource_id: 'payments' },
      { action: 'UPDATE', resource_id: 'payments' },
      { action: 'DELETE', resource_id: 'payments' },
    ]);
  });

  it('is named by its id if it has no name, and its id may contain a slash', async () => {
    const created = await send('POST', '', { id: 'web/shop', repositories: ['acme/shop'] });
    expect(created.body).toEqual({ id: 'web/shop', name: 'web/shop', members: [], repositories: ['acme/shop'] });
    expect((await send('GET', '/web%2Fshop')).body).toEqual(created.body);
  });

  it('has an id that is unique in the organization', async () => {
    await send('POST', '', pay);
    expect(await send('POST', '', pay)).toMatchObject({ status: 409, body: { type: '/problems/team-exists' } });
    expect(await audited()).toHaveLength(1);
  });

  it.each([
    ['without members and repositories', { id: 'a' }, '/body'],
    ['called unassigned', { ...pay, id: 'unassigned' }, '/body/id'],
    ['with a blank member', { ...pay, members: ['ada', ' '] }, '/body/members/1'],
    ['with a line break in a repository', { ...pay, repositories: ['acme/a\nb'] }, '/body/repositories/0'],
  ])('%s is refused with the place', async (_what, body, path) => {
    const reply = await send('POST', '', body);
    expect(reply).toMatchObject({ status: 422, body: { type: '/problems/validation-failed', violations: [{ path }] } });
    expect((await send('GET')).body.items).toEqual([]);
  });

  it('keeps a member or a repository', async () => {
    await send('POST', '', { id: 'a', members: ['ada'] });
    expect((await send('PATCH', '/a', { members: [] })).status).toBe(422);
    expect((await send('GET', '/a')).body.members).toEqual(['ada']);
  });

  it('that does not exist is not found', async () => {
    const problem = { status: 404, body: { type: '/problems/team-not-found' } };
    expect(await send('GET', '/none')).toMatchObject(problem);
    expect(await send('PATCH', '/none', { name: 'None' })).toMatchObject(problem);
    expect(await send('DELETE', '/none')).toMatchObject(problem);
    expect(await audited()).toEqual([]);
  });

  it('is read by every role, and changed by admins and owners', async () => {
    await send('POST', '', pay);
    for (const role of ['viewer', 'member'] as const) {
      const reader = await platform.signUp({ invitedBy: owner, role });
      expect((await send('GET', '/payments', undefined, reader)).status).toBe(200);
      const me = await platform.json('GET', '/api/v1/auth/me', { token: reader.accessToken });
      expect(me.body.permissions).toContain('teams:read');
      expect(me.body.permissions).not.toContain('teams:write');
      expect((await send('PATCH', '/payments', { name: 'Mine' }, reader)).body.required_role).toBe('admin');
    }
    const admin = await platform.signUp({ invitedBy: owner, role: 'admin' });
    expect((await send('PATCH', '/payments', { name: 'Money' }, admin)).body.name).toBe('Money');
  });
});

describe('simultaneous changes', () => {
  it('are all kept', async () => {
    const ids = ['a', 'b', 'c', 'd', 'e', 'f'];
    const replies = await Promise.all(ids.map((id) => send('POST', '', { id, members: [id] })));
    expect(replies.map(({ status }) => status)).toEqual(ids.map(() => 201));
    const { items } = (await send('GET')).body;
    expect(items.map(({ id }: { id: string }) => id).sort()).toEqual(ids);
  });
});

describe('a page of teams', () => {
  const ids = (reply: JsonReply): string[] => reply.body.items.map(({ id }: { id: string }) => id);
  beforeEach(async () => {
    const teams = ['a', 'b', 'c', 'd'].map((id) => `{ id: ${id}, members: [${id}] }`);
    expect((await importFile(`teams: [${teams.join(', ')}]`)).status).toBe(200);
  });

  it('continues after the last team of the page before', async () => {
    const first = await send('GET', '?limit=2');
    expect(ids(first)).toEqual(['a', 'b']);
    const second = await send('GET', `?limit=2&cursor=${first.body.next_cursor}`);
    expect(ids(second)).toEqual(['c', 'd']);
    expect(second.body.next_cursor).toBeNull();
  });

  it('skips and repeats nothing when a team is deleted meanwhile', async () => {
    const first = await send('GET', '?limit=2');
    await send('DELETE', '/a');
    expect(ids(await send('GET', `?cursor=${first.body.next_cursor}`))).toEqual(['c', 'd']);
    await send('DELETE', '/b');
    const again = await send('GET', '?limit=1');
    await send('DELETE', '/c');
    expect(ids(await send('GET', `?cursor=${again.body.next_cursor}`))).toEqual(['d']);
  });

  it('is refused for a cursor that no page issued', async () => {
    expect((await send('GET', '?cursor=nonsense')).body.violations).toMatchObject([{ path: '/query/cursor' }]);
  });
});

describe('an import', () => {
  it('replaces all teams', async () => {
    await send('POST', '', { id: 'old', members: ['old'] });
    const reply = await importFile(`teams:
  - id: payments
    name: Payments
    members: [Ada@example.com, '@grace']
    repositories: ['acme/pay-*']
`);
    expect(reply).toMatchObject({ status: 200, body: { teams: 1 } });
    expect((await send('GET')).body.items).toEqual([pay]);
    expect((await audited()) as unknown[]).toContainEqual(
      expect.objectContaining({ action: 'TEAMS_IMPORTED', note: '1 team' }),
    );
  });

  it('lists every problem of a file with its line, and changes nothing', async () => {
    await send('POST', '', pay);
    const reply = await importFile(`# our teams
teams:
  - id: a b
    members: [ada]
  - id: web
    color: red
    members: ada
  - id: web
    repositories:
      - acme/web
      - 7
`);
    expect(reply).toMatchObject({ status: 422, body: { type: '/problems/teams-file-invalid' } });
    expect(reply.body.problems).toEqual([
      { line: 3, place: 'teams[0].id', message: expect.stringContaining('letters, digits') },
      { line: 5, place: 'teams[1]', message: expect.stringContaining('neither members') },
      { line: 6, place: 'teams[1]', message: expect.stringContaining('does not know "color"') },
      { line: 7, place: 'teams[1].members', message: 'must be a list' },
      { line: 8, place: 'teams[2].id', message: expect.stringContaining('used twice') },
      { line: 11, place: 'teams[2].repositories[1]', message: expect.stringContaining('must be a text') },
    ]);
    expect(reply.body.message).toContain('6 problems: line 3: teams[0].id');
    expect(reply.body.message).toContain('(and 3 more)');
    expect((await send('GET')).body.items).toEqual([pay]);
  });

  it.each([
    ['is not YAML', 'teams:\n  - id: [', 2],
    ['has nothing but a comment', '# nothing', null],
    ['is something else', 'services: {}', 1],
    ['refers to an anchor that it does not have', 'teams: *none', null],
    ['stands for millions of values', aliases(), null],
    ['is nested too deeply', `teams:\n  ${'['.repeat(2000)}`, 2],
  ])('of a text that %s is refused', async (_what, text, line) => {
    const reply = await importFile(text);
    expect([reply.status, reply.body.type]).toEqual([422, '/problems/teams-file-invalid']);
    expect(reply.body.problems[0].line).toBe(line);
  });

  it('with thousands of problems counts and lists the first of them', async () => {
    const team = (id: number): string => `  - { id: t${id}, members: [${'1,'.repeat(1000)}] }`;
    const reply = await importFile(`teams:\n${[team(1), team(2), team(3)].join('\n')}`);
    expect(reply.status).toBe(422);
    expect(reply.body.message).toMatch(/^The file has at least 1000 problems: line 2: /);
    expect(reply.body.problems).toHaveLength(100);
  });

  it('of bytes that are not text is refused', async () => {
    expect((await importFile(new Uint8Array([0x74, 0xff, 0xfe]))).status).toBe(400);
  });

  it('has at most 1,000 teams, and no more can be created then', async () => {
    const teams = (count: number): string =>
      `teams:\n${Array.from({ length: count }, (_, index) => `  - { id: t${index}, members: [m${index}] }`).join('\n')}`;
    expect((await importFile(teams(1001))).body.problems).toMatchObject([{ place: 'teams', line: 2 }]);
    expect((await importFile(teams(1000))).body).toEqual({ teams: 1000 });
    const reply = await send('POST', '', pay);
    expect(reply).toMatchObject({ status: 409, body: { type: '/problems/team-limit-reached' } });
  });

  it('by a member is refused', async () => {
    const member = await platform.signUp({ invitedBy: owner, role: 'member' });
    expect((await importFile('teams: []', member)).body.required_role).toBe('admin');
  });
});

/** Nine lists, each of nine times the one before. */
function aliases(): string {
  const lines = Array.from({ length: 8 }, (_, index) => {
    const items = Array.from({ length: 9 }, () => (index === 0 ? 'x' : `*a${index - 1}`));
    return `a${index}: &a${index} [${items.join(', ')}]`;
  });
  return `${lines.join('\n')}\nteams: *a7\n`;
}

describe('the assignment', () => {
  it('is pending until a worker has done it, and can be requested again by an admin', async () => {
    expect(await assignment()).toBe('done');
    const path = `/api/v1/organizations/${owner.orgId}/team-assignment`;
    const reply = await platform.json('POST', path, { token: owner.accessToken });
    expect(reply).toMatchObject({ status: 202, body: { state: 'assigning', error: null } });
    expect(await audited()).toMatchObject([{ action: 'TEAMS_ASSIGNED' }]);
    const viewer = await platform.signUp({ invitedBy: owner, role: 'viewer' });
    expect((await platform.json('GET', path, { token: viewer.accessToken })).body.state).toBe('assigning');
  });

  it('reports why its latest attempt failed', async () => {
    await send('POST', '', pay);
    await platform.database.sql`
      update store_tasks set error = 'The database is away.' where org_id = ${owner.orgId} and kind = 'assign_teams'`;
    const path = `/api/v1/organizations/${owner.orgId}/team-assignment`;
    const { body } = await platform.json('GET', path, { token: owner.accessToken });
    expect(body).toEqual({ state: 'failing', error: 'The database is away.' });
  });
});
