import { afterAll, beforeAll, describe, expect, expectTypeOf, test } from 'vitest';
import {
  analyticsDocument,
  analyticsErrorCodes,
  AnalyticsQueryError,
  createAnalyticsClient,
  limitNames,
  teamValues,
  timeseriesWeekly,
  unwrapAnalytics,
  type AnalyticsClient,
  type AnalyticsDocument,
  type AnalyticsReply,
  type AnalyticsSchema,
  type TeamValuesQuery,
} from '../../sdk/src/analytics.js';
import { memoryTokenStore, UnexpectedReplyError } from '../../sdk/src/index.js';
import { createPlatformClient } from '../../sdk/src/platform.js';
import { fill, smallOrganization } from '../analytics/graphql/served.js';
import { recordingGraphqlFetch } from '../support/graphql-recorder.js';
import { startTestPlatform, type TestPlatform, type TestUser } from '../support/platform.js';

let platform: TestPlatform;
let user: TestUser;
let analytics: AnalyticsClient;
beforeAll(async () => {
  platform = await startTestPlatform();
  user = await platform.signUp();
  await fill(platform.databaseUri, user.orgId, smallOrganization);
  analytics = createAnalyticsClient({
    baseUrl: platform.url,
    tokens: memoryTokenStore({ access_token: user.accessToken }),
    fetch: recordingGraphqlFetch(),
  });
});
afterAll(() => platform.stop());

const dateRange = { startDate: '2026-03-01', endDate: '2026-03-31' };

describe('The analytics client', () => {
  test('runs a persisted query by its id, with the types of the query', async () => {
    const reply = await analytics.persisted('team-values', { orgId: user.orgId });
    expectTypeOf(reply).toEqualTypeOf<AnalyticsReply<TeamValuesQuery>>();
    expect(unwrapAnalytics(reply).catalog.values).toContainEqual({ value: 'core', count: 2 });
    expect(reply.requestId).toMatch(/^[\w-]+$/);
    const exact = await analytics.persisted('team-values', { orgId: user.orgId }, { exactVersion: true });
    expect(exact.ok).toBe(true);
  });

  test('runs a typed document by its text', async () => {
    expect((await analytics.query(teamValues, { orgId: user.orgId })).ok).toBe(true);
    const reply = await analytics.query(timeseriesWeekly, { orgId: user.orgId, dateRange, dimension: 'REPO' });
    const [first] = unwrapAnalytics(reply).analytics.timeseries;
    expectTypeOf(first?.dimension).toEqualTypeOf<AnalyticsSchema.DimensionInput | undefined>();
    expect(first).toMatchObject({ dimension: 'REPO', measure: 'THROUGHPUT' });
  });

  test('runs custom queries, and the documents of graphql-codegen', async () => {
    interface Limits {
      readonly catalog: { readonly limits: { readonly maxDays: number } };
    }
    const text = 'query ($orgId: String!) { catalog(orgId: $orgId) { limits { maxDays } } }';
    const own = analyticsDocument<Limits, { orgId: string }>(text);
    expect(unwrapAnalytics(await analytics.query(own, { orgId: user.orgId })).catalog.limits.maxDays).toBe(365);
    // What `documentMode: string` makes: a String object that has types.
    const generated: AnalyticsDocument<Limits, { orgId: string }> = Object(text);
    expect(unwrapAnalytics(await analytics.query(generated, { orgId: user.orgId })).catalog.limits.maxDays).toBe(365);
  });

  test('returns refusals as values that narrow on their code', async () => {
    const tooLong = { startDate: '2025-01-01', endDate: '2026-01-01' };
    const reply = await analytics.query(timeseriesWeekly, { orgId: user.orgId, dateRange: tooLong });
    expect(reply.ok).toBe(false);
    if (reply.ok) return;
    expect(reply.status).toBe(200);
    expect(reply.error.code).toBe('COST_LIMIT_EXCEEDED');
    if (reply.error.code !== 'COST_LIMIT_EXCEEDED') return;
    expectTypeOf(reply.error.limit_name).toEqualTypeOf<(typeof limitNames)[number]>();
    expect([reply.error.limit_name, reply.error.limit_value, reply.error.requested_value]).toEqual([
      'max_days',
      365,
      366,
    ]);
    expect(() => unwrapAnalytics(reply)).toThrow(AnalyticsQueryError);
    expect(() => unwrapAnalytics(reply)).toThrow(/^COST_LIMIT_EXCEEDED: 366 days .+ \(request [\w-]+\)$/);
  });

  test('also returns a foreign organization and an invalid query as such values', async () => {
    const other = await platform.signUp();
    const foreign = await analytics.persisted('team-values', { orgId: other.orgId });
    expect(foreign).toMatchObject({ ok: false, status: 403, error: { code: 'AUTHORIZATION_ERROR' } });
    const wrong = analyticsDocument<never, { orgId: string }>(
      'query ($orgId: String!) { catalog(orgId: $orgId) { nothing } }',
    );
    const reply = await analytics.query(wrong, { orgId: user.orgId });
    expect(reply).toMatchObject({
      ok: false,
      status: 400,
      error: { code: 'VALIDATION_ERROR', field: 'catalog.nothing' },
    });
  });

  test('renews the tokens of its Platform client once for all waiting calls', async () => {
    const member = await platform.signUp();
    const client = createPlatformClient({ baseUrl: platform.url });
    await client.tokens.set({ access_token: member.accessToken, refresh_token: member.refreshToken });
    platform.clock.advance(16 * 60);
    const shared = createAnalyticsClient(client);
    const replies = await Promise.all([1, 2, 3].map(() => shared.persisted('catalog-limits', { orgId: member.orgId })));
    expect(replies.map(({ ok }) => ok)).toEqual([true, true, true]);
    expect((await client.tokens.get())?.refresh_token).not.toBe(member.refreshToken);
  });

  test('retries when a proxy reports that the server is unavailable, since a query changes nothing', async () => {
    let attempts = 0;
    const patient = createAnalyticsClient({
      baseUrl: platform.url,
      tokens: memoryTokenStore({ access_token: (await platform.signUp()).accessToken }),
      timing: { now: () => 0, random: () => 0, sleep: () => Promise.resolve() },
      fetch: (url, init) => (++attempts < 3 ? Promise.resolve(new Response('', { status: 502 })) : fetch(url, init)),
    });
    const reply = await patient.persisted('catalog-limits', { orgId: user.orgId });
    expect([attempts, reply.ok ? 'answered' : reply.error.code]).toEqual([3, 'AUTHORIZATION_ERROR']);
  });

  test.each(['{}', '{"data": null}', '{"errors": [{}]}', '{"errors": [{"message": "?"}]}', '[]'])(
    'does not accept %s as a reply',
    async (body) => {
      const headers = { 'Content-Type': 'application/graphql-response+json' };
      const odd = createAnalyticsClient({
        baseUrl: platform.url,
        fetch: () => Promise.resolve(new Response(body, { headers })),
      });
      await expect(odd.persisted('team-values', { orgId: 'x' })).rejects.toThrow(UnexpectedReplyError);
    },
  );
});

test('The codes and limits match the contracts', () => {
  expect(analyticsErrorCodes).toEqual(
    expect.arrayContaining([
      'COST_LIMIT_EXCEEDED',
      'VALIDATION_ERROR',
      'AUTHORIZATION_ERROR',
      'PERSISTED_QUERY_ERROR',
      'QUERY_TIMEOUT',
    ]),
  );
  expect(limitNames).toEqual([
    'max_days',
    'max_buckets',
    'max_top_n',
    'max_sankey_nodes',
    'max_sankey_edges',
    'max_sub_requests',
  ]);
});

test('Wrong variables and fields of a query do not compile', () => {
  // Never run: the compiler is what is asked.
  const wrong = (): unknown[] => [
    // @ts-expect-error there is no such query
    analytics.persisted('nothing', { orgId: 'x' }),
    // @ts-expect-error it needs a range of days
    analytics.persisted('timeseries-weekly', { orgId: 'x' }),
    // @ts-expect-error it needs an organization
    analytics.query(teamValues, {}),
    // @ts-expect-error there is no such dimension
    analytics.query(timeseriesWeekly, { orgId: 'x', dateRange, dimension: 'PLANET' }),
  ];
  expect(wrong).toBeTypeOf('function');
});
