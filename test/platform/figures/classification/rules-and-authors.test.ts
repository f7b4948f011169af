import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { runStoreTask } from '../../../../src/platform/sources/store-tasks/run-task.js';
import { onlyId, sync } from '../../../sync/harness.js';
import { startTestPlatform, type JsonReply, type TestPlatform, type TestUser } from '../../../support/platform.js';
import { createServiceToken } from '../../../support/service-token.js';

let platform: TestPlatform;
let owner: TestUser;
beforeAll(async () => {
  platform = await startTestPlatform();
});
beforeEach(async () => {
  owner = await platform.signUp();
});
afterAll(() => platform.stop());

function send(
  method: string,
  what: 'rules' | 'authors',
  body?: unknown,
  token = owner.accessToken,
): Promise<JsonReply> {
  const url = `/api/v1/organizations/${owner.orgId}/${what}`;
  return platform.json(method, url, { token, ...(body === undefined ? {} : { body }) });
}

async function isAssigning(): Promise<boolean> {
  const path = `/api/v1/organizations/${owner.orgId}/team-assignment`;
  return (await platform.json('GET', path, { token: owner.accessToken })).body.state === 'assigning';
}

async function audited(kind: string): Promise<unknown> {
  return platform.database.sql`
    select action, note from audit_log where org_id = ${owner.orgId} and resource_kind = ${kind} order by at, id`;
}

/** What a worker does. */
async function derive(): Promise<void> {
  const task = { kind: 'assign_teams', orgId: owner.orgId, store: platform.databaseUri } as const;
  await runStoreTask({ ...task, rulesFile: null, locks: null }, new AbortController().signal);
}

async function units(): Promise<readonly { subcategory: string; author: string }[]> {
  return platform.database.sql`select subcategory, author from work_units where org_id = ${owner.orgId} order by id`;
}

const options = { provider: 'synthetic', target: 'git', repoName: 'a/b' } as const;
const file = 'rules:\n  - { name: all, work_types: [commit], gives: risk.compliance }\n';

describe('the rules of an organization', () => {
  it('are none at first, are replaced, and are removed', async () => {
    expect(await send('GET', 'rules')).toMatchObject({ status: 200, body: { rules: 0, file: '' } });
    expect(await send('PUT', 'rules', { file })).toMatchObject({ status: 200, body: { rules: 1, file } });
    expect((await send('GET', 'rules')).body).toEqual({ rules: 1, file });
    expect(await isAssigning()).toBe(true);
    expect((await send('PUT', 'rules', { file: 'rules: []' })).body.rules).toBe(0);
    expect(await audited('RULES')).toEqual([
      { action: 'UPDATE', note: '1 rule' },
      { action: 'UPDATE', note: '0 rules' },
    ]);
  });

  it('classify stored units, and those of later syncs outside of the server', async () => {
    const { orgId: org } = owner;
    onlyId(await sync({ ...options, db: platform.databaseUri, org, maxCommitsPerRepo: '10' }));
    const before = await units();
    await send('PUT', 'rules', { file });
    await derive();
    expect(new Set((await units()).map(({ subcategory }) => subcategory))).toEqual(new Set(['risk.compliance']));
    await sync({ ...options, db: platform.databaseUri, org, maxCommitsPerRepo: '20' });
    const later = await units();
    expect(later).toHaveLength(20);
    expect(new Set(later.map(({ subcategory }) => subcategory))).toEqual(new Set(['risk.compliance']));
    await send('PUT', 'rules', { file: 'rules: []' });
    await derive();
    expect(await units()).toEqual(expect.arrayContaining([...before]));
  });

  it('are refused with the lines of their problems, and stay as they are', async () => {
    await send('PUT', 'rules', { file });
    const wrong = 'rules:\n  - name: a\n    labels: x\n    gives: nothing\n';
    const reply = await send('PUT', 'rules', { file: wrong });
    expect(reply).toMatchObject({
      status: 422,
      body: {
        type: '/problems/rules-file-invalid',
        problems: [
          { line: 3, place: 'rules[0].labels', message: 'must be a list' },
          { line: 4, place: 'rules[0].gives', message: expect.stringContaining('is none of') },
        ],
      },
    });
    expect((await send('GET', 'rules')).body.file).toBe(file);
    expect(await audited('RULES')).toHaveLength(1);
  });
});

describe('the authors of an organization', () => {
  const authors = [{ author: 'Ada@Example.com', also: ['ADA', 'ada@old.example.com'] }];
  const stored = [{ author: 'ada@example.com', also: ['ada', 'ada@old.example.com'] }];

  it('are none at first, are replaced, and are removed', async () => {
    expect((await send('GET', 'authors')).body).toMatchObject({ authors: [] });
    expect(await send('PUT', 'authors', { authors })).toMatchObject({ status: 200, body: { authors: stored } });
    expect((await send('GET', 'authors')).body).toMatchObject({ authors: stored });
    expect(await isAssigning()).toBe(true);
    expect((await send('PUT', 'authors', { authors: [] })).body).toMatchObject({ authors: [] });
    expect(await audited('AUTHORS')).toEqual([
      { action: 'UPDATE', note: '1 author' },
      { action: 'UPDATE', note: '0 authors' },
    ]);
  });

  it('merge the authors of units, and give them back', async () => {
    await sync({ ...options, db: platform.databaseUri, org: owner.orgId, maxCommitsPerRepo: '30' });
    const before = await units();
    const [one = '', two = ''] = [...new Set(before.map(({ author }) => author))];
    await send('PUT', 'authors', { authors: [{ author: one, also: [two] }] });
    await derive();
    expect((await units()).map(({ author }) => author)).toEqual(
      before.map(({ author }) => (author === two ? one : author)),
    );
    await send('PUT', 'authors', { authors: [] });
    await derive();
    expect(await units()).toEqual(before);
  });

  it('are refused with the places of their problems', async () => {
    const reply = await send('PUT', 'authors', {
      authors: [
        { author: 'ada@example.com', also: ['ada'] },
        { author: 'grace', also: ['Ada', ' '] },
      ],
    });
    expect(reply).toMatchObject({
      status: 422,
      body: {
        violations: [
          { path: '/body/authors/1/also/0', message: '"Ada" is used twice' },
          { path: '/body/authors/1/also/1', message: 'must be a text that is not empty' },
        ],
      },
    });
    expect((await send('GET', 'authors')).body.authors).toEqual([]);
  });
});

it.each([
  ['rules', { file }],
  ['authors', { authors: [] }],
] as const)('%s are replaced by admins and service tokens that may, and read by every member', async (what, body) => {
  const viewer = await platform.signUp({ invitedBy: owner, role: 'viewer' });
  const reader = await createServiceToken(platform, owner, ['classification:read']);
  expect((await send('PUT', what, body, viewer.accessToken)).body.required_role).toBe('admin');
  expect((await send('PUT', what, body, reader.token)).body.required_scope).toBe('classification:write');
  const writer = await createServiceToken(platform, owner, ['classification:write']);
  expect((await send('PUT', what, body, writer.token)).status).toBe(200);
  for (const token of [viewer.accessToken, reader.token])
    expect((await send('GET', what, undefined, token)).status).toBe(200);
});
