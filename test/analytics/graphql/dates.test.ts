/** Every date of the Analytics API at the edges of the calendar, on the engines that need no other program. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestPlatform, type TestPlatform, type TestUser } from '../../support/platform.js';
import { allEngines } from '../engines.js';
import { fill, post, type GraphqlReply } from './served.js';

const batchQuery = `query ($orgId: String!, $batch: AnalyticsRequestInput!) {
  analytics(orgId: $orgId, batch: $batch) {
    timeseries { buckets { date } } breakdowns { items { key } } distributions { items { key buckets { date } } }
    dora { buckets { date } } workInProgress { buckets { date } } reviews { items { key } } sankey { nodes { id } }
  }
}`;
const unitsQuery =
  'query ($orgId: String!, $input: WorkUnitsInput!) { workUnits(orgId: $orgId, input: $input) { nextCursor } }';
const healthQuery =
  'query ($orgId: String!, $input: CodeHealthInput!) { codeHealth(orgId: $orgId, input: $input) { commits } }';
const persisted = readFileSync('graphql/persisted/timeseries-weekly.graphql', 'utf8');

interface Range {
  readonly startDate: string;
  readonly endDate: string;
}

/** One request for each place where the API takes a range of days. */
function requestsFor(dateRange: Range, interval: string): readonly (readonly [query: string, variables: object])[] {
  const theme = { dimension: 'THEME', measure: 'COUNT', dateRange };
  const groups = { dateRange, interval };
  const batches = [
    { timeseries: [{ ...theme, interval }] },
    { breakdowns: [{ ...theme, compareWith: 'PREVIOUS_PERIOD' }] },
    { distributions: [{ measure: 'CHURN_LOC', dateRange, interval, compareWith: 'PREVIOUS_PERIOD' }] },
    { dora: groups },
    { workInProgress: groups },
    { reviews: { dateRange } },
    { sankey: { path: ['THEME', 'TEAM'], measure: 'COUNT', dateRange } },
  ];
  return [
    ...batches.map((batch) => [batchQuery, { batch }] as const),
    [unitsQuery, { input: { dateRange } }],
    [healthQuery, { input: { dateRange, repo: 'group/one' } }],
    [persisted, { dateRange, dimension: 'THEME', measure: 'COUNT' }],
  ];
}

const days = (from: string, to: string): Range => ({ startDate: from, endDate: to });

for (const engine of allEngines()) {
  if ('missing' in engine || (engine.kind !== 'postgres' && engine.kind !== 'sqlite')) continue;
  describe(`a range of days on ${engine.kind}`, () => {
    let platform: TestPlatform;
    let user: TestUser;
    beforeAll(async () => {
      const uri = await engine.newUri();
      platform = await startTestPlatform({ environment: { ANALYTICS_URI: uri } });
      user = await platform.signUp();
      await fill(uri, user.orgId, []);
    });
    afterAll(() => platform.stop());

    const answers = async (range: Range): Promise<readonly GraphqlReply[]> => {
      const replies: GraphqlReply[] = [];
      for (const interval of ['DAY', 'WEEK', 'MONTH', 'QUARTER', 'YEAR'])
        for (const [query, variables] of requestsFor(range, interval))
          replies.push(await post(platform, user, { body: { query, variables: { orgId: user.orgId, ...variables } } }));
      return replies;
    };

    test.each([
      days('1900-01-01', '1900-01-31'),
      days('1969-12-31', '1970-01-01'),
      days('2024-02-29', '2024-03-01'),
      days('2024-12-31', '2025-01-01'),
      days('2299-12-01', '2299-12-31'),
    ])('$startDate to $endDate is answered', async (range) => {
      for (const { errors } of await answers(range)) expect(errors).toBeUndefined();
    });

    test('a leap year is answered as a whole', async () => {
      const leapYear = days('2024-01-01', '2024-12-31');
      for (const [query, variables] of requestsFor(leapYear, 'QUARTER')) {
        const { errors } = await post(platform, user, {
          body: { query, variables: { orgId: user.orgId, ...variables } },
        });
        expect(errors).toBeUndefined();
      }
    });

    test.each([
      days('9999-12-01', '9999-12-31'),
      days('2299-12-31', '2300-01-01'),
      days('1899-12-31', '1900-01-01'),
      days('0001-01-01', '0001-01-31'),
      days('0000-01-01', '0000-01-31'),
      days('2026-02-30', '2026-03-01'),
      days('+010000-01-01', '+010000-01-31'),
      days('2299-12-31', '2299-12-30'),
      days('1900-01-01', '2299-12-31'),
    ])('$startDate to $endDate is refused', async (range) => {
      for (const { data, errors } of await answers(range)) {
        expect(data ?? null).toBeNull();
        expect(['VALIDATION_ERROR', 'COST_LIMIT_EXCEEDED']).toContain(errors?.[0].extensions.code);
      }
    });

    test.each(['0000-01-01', '9999-12-31', '2026-02-30', '1899-12-31'])(
      'no cursor of units begins at %s',
      async (day) => {
        const after = Buffer.from(JSON.stringify(['DAY', true, day, 'unit'])).toString('base64url');
        const input = { dateRange: days('2026-01-01', '2026-01-31'), after };
        const { errors } = await post(platform, user, {
          body: { query: unitsQuery, variables: { orgId: user.orgId, input } },
        });
        expect(errors?.[0].extensions).toMatchObject({ code: 'VALIDATION_ERROR' });
      },
    );
  });
}
