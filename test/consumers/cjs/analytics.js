const { memoryTokenStore } = require('@plumbline/sdk');
const {
  analyticsDocument,
  AnalyticsQueryError,
  createAnalyticsClient,
  teamValues,
  timeseriesWeekly,
  unwrapAnalytics,
} = require('@plumbline/sdk/analytics');

async function main([, , baseUrl, orgId, access_token]) {
  const analytics = createAnalyticsClient({ baseUrl, tokens: memoryTokenStore({ access_token }) });

  const byId = unwrapAnalytics(await analytics.persisted('team-values', { orgId }, { exactVersion: true }));
  const byText = unwrapAnalytics(await analytics.query(teamValues, { orgId }));
  const limits = analyticsDocument('query ($orgId: String!) { catalog(orgId: $orgId) { limits { maxDays } } }');
  const own = unwrapAnalytics(await analytics.query(limits, { orgId }));

  let limit = null;
  try {
    const dateRange = { startDate: '2020-01-01', endDate: '2026-01-01' };
    unwrapAnalytics(await analytics.query(timeseriesWeekly, { orgId, dateRange }));
  } catch (caught) {
    if (caught instanceof AnalyticsQueryError && caught.error.code === 'COST_LIMIT_EXCEEDED') {
      limit = [caught.error.limit_name, caught.error.limit_value];
    }
  }
  console.log(
    JSON.stringify({ byId: byId.catalog.values, byText: byText.catalog.values, own: own.catalog.limits, limit }),
  );
}

void main(process.argv);
