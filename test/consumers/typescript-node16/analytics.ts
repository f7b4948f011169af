import { memoryTokenStore } from '@plumbline/sdk';
import {
  analyticsDocument,
  createAnalyticsClient,
  teamValues,
  timeseriesWeekly,
  unwrapAnalytics,
  type AnalyticsClient,
  type AnalyticsSchema,
  type LimitName,
} from '@plumbline/sdk/analytics';

declare const process: { readonly argv: readonly [string, string, string, string, string] };

interface Limits {
  readonly catalog: { readonly limits: Pick<AnalyticsSchema.CatalogLimits, 'maxDays'> };
}

async function main(analytics: AnalyticsClient, orgId: string): Promise<void> {
  const byId = unwrapAnalytics(await analytics.persisted('team-values', { orgId }, { exactVersion: true }));
  const byText = unwrapAnalytics(await analytics.query(teamValues, { orgId }));
  const limits = analyticsDocument<Limits, { orgId: string }>(
    'query ($orgId: String!) { catalog(orgId: $orgId) { limits { maxDays } } }',
  );
  const own = unwrapAnalytics(await analytics.query(limits, { orgId }));

  const dateRange = { startDate: '2020-01-01', endDate: '2026-01-01' };
  const refused = await analytics.query(timeseriesWeekly, { orgId, dateRange, dimension: 'REPO' });
  const limit: readonly [LimitName, number] | null =
    refused.ok || refused.error.code !== 'COST_LIMIT_EXCEEDED'
      ? null
      : [refused.error.limit_name, refused.error.limit_value];
  console.log(
    JSON.stringify({ byId: byId.catalog.values, byText: byText.catalog.values, own: own.catalog.limits, limit }),
  );
}

const [, , baseUrl, orgId, access_token] = process.argv;
void main(createAnalyticsClient({ baseUrl, tokens: memoryTokenStore({ access_token }) }), orgId);
