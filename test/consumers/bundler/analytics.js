import { memoryTokenStore } from '@plumbline/sdk';
import {
  analyticsDocument,
  createAnalyticsClient,
  teamValues,
  timeseriesWeekly,
  unwrapAnalytics,
} from '@plumbline/sdk/analytics';

const { baseUrl, orgId, accessToken } = globalThis;
const analytics = createAnalyticsClient({ baseUrl, tokens: memoryTokenStore({ access_token: accessToken }) });

const byId = unwrapAnalytics(await analytics.persisted('team-values', { orgId }, { exactVersion: true }));
const byText = unwrapAnalytics(await analytics.query(teamValues, { orgId }));
const limits = analyticsDocument('query ($orgId: String!) { catalog(orgId: $orgId) { limits { maxDays } } }');
const own = unwrapAnalytics(await analytics.query(limits, { orgId }));

const dateRange = { startDate: '2020-01-01', endDate: '2026-01-01' };
const refused = await analytics.query(timeseriesWeekly, { orgId, dateRange });
const limit =
  refused.ok || refused.error.code !== 'COST_LIMIT_EXCEEDED'
    ? null
    : [refused.error.limit_name, refused.error.limit_value];
console.log(
  JSON.stringify({ byId: byId.catalog.values, byText: byText.catalog.values, own: own.catalog.limits, limit }),
);
