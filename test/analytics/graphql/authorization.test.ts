import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestPlatform, type TestPlatform, type TestUser } from '../../support/platform.js';
import { makeSuperuser } from '../../support/superuser.js';
import { fill, post, unit, type GraphqlReply } from './served.js';

/** Two organizations whose rows bear their name, and users of all kinds. */
let platform: TestPlatform;
let ours: TestUser;
let theirs: TestUser;
let viewer: TestUser;
let orgless: TestUser;
let both: TestUser;
let superuser: TestUser;
let gone: TestUser;
beforeAll(async () => {
  platform = await startTestPlatform();
  ours = await platform.signUp();
  theirs = await platform.signUp();
  viewer = await platform.signUp({ invitedBy: ours, role: 'viewer' });
  orgless = await platform.signUp({ organization: null });
  both = await platform.signUp({ invitedBy: ours });
  superuser = await platform.signUp();
  gone = await platform.signUp({ invitedBy: ours });
  const { sql } = platform.database;
  await sql`insert into memberships (org_id, user_id, role, joined_at) values (${theirs.orgId}, ${both.userId}, 'viewer', now())`;
  await makeSuperuser(platform, superuser);
  await sql`delete from memberships where user_id = ${gone.userId}`;
  for (const [user, name] of [
    [ours, 'ours'],
    [theirs, 'theirs'],
  ] as const) {
    await fill(platform.databaseUri, user.orgId, [
      unit({ id: `${name}-1`, team: `${name}-team`, repo: `${name}/repo`, author: `${name}@example.com` }),
      unit({
        id: `${name}-2`,
        team: `${name}-team`,
        repo: `${name}/repo`,
        author: `${name}@example.com`,
        day: '2026-03-09',
      }),
    ]);
  }
});
afterAll(() => platform.stop());

/** Everything that could show a row, in two aliases whose organizations need not be the same. */
const everything = `query ($orgId: String!, $other: String!, $ids: [String!]!, $level: ScopeLevelInput!) {
  one: catalog(orgId: $orgId, dimension: TEAM) { values { value } }
  two: catalog(orgId: $other, dimension: REPO) { values { value } }
  three: analytics(orgId: $other, batch: {
    timeseries: [{ dimension: AUTHOR, measure: COUNT, interval: WEEK, dateRange: { startDate: "2026-03-01", endDate: "2026-03-31" } }]
    breakdowns: [{ dimension: REPO, measure: CHURN_LOC, dateRange: { startDate: "2026-03-01", endDate: "2026-03-31" } }]
    sankey: { path: [TEAM, AUTHOR], measure: COUNT, dateRange: { startDate: "2026-03-01", endDate: "2026-03-31" } }
    filters: { scope: { level: $level, ids: $ids } }
  }) { timeseries { dimensionValue } breakdowns { items { key } } sankey { nodes { id } } }
}`;

const saysOf = ({ data }: GraphqlReply): { ours: boolean; theirs: boolean } => {
  const text = JSON.stringify(data ?? null);
  return { ours: text.includes('ours'), theirs: text.includes('theirs') };
};

const places = ['ours', 'theirs', 'unknown', 'malformed'] as const;
type Place = (typeof places)[number];

describe('A query', () => {
  test('reads rows of the named organization only, of which the caller is a member', async () => {
    const callers = { ours, theirs, viewer, orgless, both, superuser, gone, nobody: null };
    const mayRead: Record<keyof typeof callers, readonly Place[]> = {
      ours: ['ours'],
      viewer: ['ours'],
      theirs: ['theirs'],
      both: ['ours', 'theirs'],
      superuser: ['ours', 'theirs'],
      orgless: [],
      gone: [],
      nobody: [],
    };
    const place = fc.constantFrom(...places);
    const idOf = (name: string): string =>
      ({ ours: ours.orgId, theirs: theirs.orgId, unknown: '00000000-0000-4000-8000-000000000000' })[name] ??
      "' or 1=1 --";
    const seen = new Set<string>();
    // Chance alone leaves out one of the callers who may read in one of a hundred runs.
    const examples = (['ours', 'viewer', 'theirs', 'both', 'superuser'] as const).map(
      (name): [typeof name, Place, null, Place, Place, 'ours-team', boolean] => {
        const [org = 'unknown'] = mayRead[name];
        return [name, org, null, org, org, 'ours-team', true];
      },
    );
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...(Object.keys(callers) as (keyof typeof callers)[])),
        fc.option(place, { freq: 12 }),
        fc.option(place, { freq: 1 }),
        place,
        place,
        fc.constantFrom('ours-team', 'theirs-team', "x') or ('1'='1", '%'),
        fc.boolean(),
        async (name, query, header, argument, alias, id, agree) => {
          // Half of the time all places agree, or hardly any query would be answered.
          const named =
            agree && query !== null ? { header: query, argument: query, alias: query } : { header, argument, alias };
          const caller = callers[name];
          const reply = await post(platform, caller ?? ours, {
            token: caller?.accessToken ?? null,
            orgId: query === null ? null : idOf(query),
            headers: named.header === null ? {} : { 'X-Org-Id': idOf(named.header) },
            body: {
              query: everything,
              variables: { orgId: idOf(named.argument), other: idOf(named.alias), ids: [id], level: 'TEAM' },
            },
          });
          const allAgree = [named.header ?? query, named.argument, named.alias].every((each) => each === query);
          const isRight = query !== null && allAgree && mayRead[name].includes(query);
          const any = name === 'superuser' && query !== null && allAgree; // any text names an organization for a superuser
          expect(reply.errors === undefined).toBe(isRight || any);
          expect(saysOf(reply)).toEqual({ ours: isRight && query === 'ours', theirs: isRight && query === 'theirs' });
          if (!isRight && !any) {
            expect([401, 403]).toContain(reply.status);
            expect(reply.errors[0].extensions.code).toBe('AUTHORIZATION_ERROR');
          }
          seen.add(`${name} ${String(isRight)}`);
        },
      ),
      { numRuns: 400, examples },
    );
    // The property has looked at both outcomes where there are two.
    expect([...seen].sort()).toEqual([
      'both false',
      'both true',
      'gone false',
      'nobody false',
      'orgless false',
      'ours false',
      'ours true',
      'superuser false',
      'superuser true',
      'theirs false',
      'theirs true',
      'viewer false',
      'viewer true',
    ]);
  });

  const catalog = 'query ($orgId: String!) { catalog(orgId: $orgId, dimension: TEAM) { values { value } } }';
  const body = (): object => ({ query: catalog, variables: { orgId: ours.orgId } });

  test.each([
    ['an empty header X-Org-Id', { 'X-Org-Id': '' }],
    ['two headers X-Org-Id', { 'X-Org-Id': 'a, a' }],
  ])('with %s is refused', async (_name, headers) => {
    expect((await post(platform, ours, { body: body(), headers })).status).toBe(403);
  });

  test.each(['', ' ', '\u0000', 'x'.repeat(201)])('with the organization %j is refused', async (orgId) => {
    expect((await post(platform, superuser, { orgId, body: { query: '{ __typename }' } })).status).toBe(403);
  });

  test('with org_id twice is refused', async () => {
    const reply = await fetch(`${platform.url}/graphql?org_id=${ours.orgId}&org_id=${ours.orgId}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${ours.accessToken}` },
      body: JSON.stringify(body()),
    });
    expect(reply.status).toBe(403);
  });

  test('with an unused variable orgId of another organization is refused', async () => {
    const query = `{ catalog(orgId: "${ours.orgId}") { limits { maxDays } } }`;
    for (const orgId of [theirs.orgId, null, 7]) {
      expect((await post(platform, ours, { body: { query, variables: { orgId } } })).status).toBe(403);
    }
  });

  test('is also checked for an orgId in a fragment', async () => {
    const query = `query { ...f } fragment f on Query { ...on Query { catalog(orgId: "${theirs.orgId}") { limits { maxDays } } } }`;
    expect((await post(platform, ours, { body: { query } })).status).toBe(403);
  });

  test('is not affected by another operation in the same document', async () => {
    const query = `query A { catalog(orgId: "${ours.orgId}") { limits { maxDays } } } query B { catalog(orgId: "x") { limits { maxDays } } }`;
    expect((await post(platform, ours, { body: { query, operationName: 'A' } })).status).toBe(200);
    expect((await post(platform, ours, { body: { query, operationName: 'B' } })).status).toBe(403);
  });

  test('that introspects needs a token and an organization too', async () => {
    const introspection = { query: '{ __schema { queryType { name } } }' };
    expect((await post(platform, ours, { body: introspection, token: null })).status).toBe(401);
    expect((await post(platform, orgless, { body: introspection, orgId: ours.orgId })).status).toBe(403);
  });

  test('with a refresh token, a token of another key, or one from before a password change, is refused', async () => {
    const user = await platform.signUp();
    const [head = '', payload = '', signature = ''] = user.accessToken.split('.');
    const tampered = [head, payload, signature.split('').reverse().join('')].join('.');
    for (const token of [user.refreshToken, tampered, 'x']) {
      const { status, headers } = await post(platform, user, { token, body: { query: '{ __typename }' } });
      expect([status, headers.get('WWW-Authenticate')]).toEqual([401, 'Bearer']);
    }
    await platform.database.sql`update users set token_version = token_version + 1 where id = ${user.userId}`;
    expect((await post(platform, user, { body: { query: '{ __typename }' } })).status).toBe(401);
  });

  test('of a superuser whose token is scoped to no organization is refused', async () => {
    const lone = await platform.signUp({ organization: null });
    await makeSuperuser(platform, lone);
    expect((await post(platform, lone, { orgId: ours.orgId, body: body() })).status).toBe(403);
  });
});
