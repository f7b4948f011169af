/** Authors that are probably one person are suggested to members, and merged by the operation for authors. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runStoreTask } from '../../../../src/platform/sources/store-tasks/run-task.js';
import { onlyId, sync } from '../../../sync/harness.js';
import { startTestPlatform, type JsonReply, type TestPlatform, type TestUser } from '../../../support/platform.js';
import { createServiceToken } from '../../../support/service-token.js';

let platform: TestPlatform;
let owner: TestUser;
beforeAll(async () => {
  platform = await startTestPlatform();
  owner = await platform.signUp();
  const options = { provider: 'synthetic', target: 'git', repoName: 'a/b', maxCommitsPerRepo: '20' } as const;
  const repoId = onlyId(await sync({ ...options, db: platform.databaseUri, org: owner.orgId }));
  const { sql } = platform.database;
  await sql`update git_commits set author_name = 'Ada  Lovelace', author_email = 'Ada@One.example' where repo_id = ${repoId}`;
  await sql`
    update git_commits set author_name = 'Ada Lovelace', author_email = 'countess@two.example'
    where hash in (select hash from git_commits where repo_id = ${repoId} order by hash limit 5)`;
  await sql`
    update work_units set author = lower(git_commits.author_email) from git_commits
    where work_units.id = ${repoId} || ':commit:' || git_commits.hash`;
});
afterAll(() => platform.stop());

function send(method: string, path: string, body?: unknown, token = owner.accessToken): Promise<JsonReply> {
  const url = `/api/v1/organizations/${owner.orgId}/${path}`;
  return platform.json(method, url, { token, ...(body === undefined ? {} : { body }) });
}

const merged = { author: 'ada@one.example', also: ['countess@two.example'] };

describe('Suggested authors', () => {
  it('have names, numbers of work units and reasons, until the authors merge them', async () => {
    await send('PUT', 'authors', { authors: [] });
    expect(await send('GET', 'authors/suggestions')).toMatchObject({
      status: 200,
      body: {
        suggestions: [
          {
            authors: [
              { author: 'ada@one.example', names: ['Ada Lovelace'], work_units: 15 },
              { author: 'countess@two.example', names: ['Ada Lovelace'], work_units: 5 },
            ],
            reasons: ['same_name'],
          },
        ],
        has_more: false,
        is_complete: true,
      },
    });
    expect((await send('PUT', 'authors', { authors: [merged] })).status).toBe(200);
    expect((await send('GET', 'authors/suggestions')).body.suggestions).toEqual([]);
    const task = { kind: 'assign_teams', orgId: owner.orgId, store: platform.databaseUri } as const;
    await runStoreTask({ ...task, rulesFile: null, locks: null }, new AbortController().signal);
    expect(await platform.database.sql`select distinct author from work_units where org_id = ${owner.orgId}`).toEqual([
      { author: 'ada@one.example' },
    ]);
  });

  it('are those of one organization, for every member and for service tokens that may read', async () => {
    await send('PUT', 'authors', { authors: [] });
    const viewer = await platform.signUp({ invitedBy: owner, role: 'viewer' });
    const reader = await createServiceToken(platform, owner, ['classification:read']);
    for (const token of [viewer.accessToken, reader.token])
      expect((await send('GET', 'authors/suggestions', undefined, token)).body.suggestions).toHaveLength(1);
    const stranger = await platform.signUp();
    expect((await send('GET', 'authors/suggestions', undefined, stranger.accessToken)).status).toBe(403);
    const theirs = `/api/v1/organizations/${stranger.orgId}/authors/suggestions`;
    expect((await platform.json('GET', theirs, { token: stranger.accessToken })).body).toEqual({
      ...{ suggestions: [], has_more: false, is_complete: true },
    });
  });
});

describe('The authors', () => {
  it('are stored only while those of the revision are there', async () => {
    const { body: before } = await send('PUT', 'authors', { authors: [] });
    expect((await send('GET', 'authors')).body).toEqual(before);
    const first = await send('PUT', 'authors', { authors: [merged], revision: before.revision });
    expect(first).toMatchObject({ status: 200, body: { authors: [merged] } });
    expect(first.body.revision).not.toBe(before.revision);
    const late = { authors: [{ author: 'grace', also: ['hopper'] }], revision: before.revision };
    expect(await send('PUT', 'authors', late)).toMatchObject({
      ...{ status: 409, body: { type: '/problems/authors-changed' } },
    });
    expect((await send('GET', 'authors')).body).toEqual(first.body);
  });

  it('are read from a file, whose problems are listed with their lines', async () => {
    const file = '# Ours\nauthors:\n  - author: ada@one.example\n    also: [Countess@Two.example]\n';
    expect(await send('PUT', 'authors', { file })).toMatchObject({ status: 200, body: { authors: [merged] } });
    const wrong = await send('PUT', 'authors', { file: 'authors:\n  - author: grace\n    also: [x, X]\n' });
    expect(wrong).toMatchObject({
      status: 422,
      body: {
        type: '/problems/authors-file-invalid',
        problems: [{ line: 3, place: 'authors[0].also[1]', message: '"X" is used twice' }],
      },
    });
    expect((await send('GET', 'authors')).body.authors).toEqual([merged]);
  });

  it.each([
    ['neither a list nor a file', {}],
    ['both', { authors: [], file: 'authors: []' }],
  ])('are refused with %s', async (_, body) => {
    expect(await send('PUT', 'authors', body)).toMatchObject({
      status: 422,
      body: { violations: [{ path: '/body', message: 'must have either authors or a file' }] },
    });
  });
});
