/** Never run: that this file compiles is the test. Each expected error is one that the compiler must find. */
import type { ApiClient } from '@plumbline/sdk';
import {
  analyticsDocument,
  analyticsErrorCodes,
  AnalyticsQueryError,
  createAnalyticsClient,
  investmentSankey,
  limitNames,
  teamValues,
  timeseriesWeekly,
  unwrapAnalytics,
  type AnalyticsDocument,
  type AnalyticsError,
  type AnalyticsErrorCode,
  type AnalyticsReply,
  type AnalyticsSchema,
  type LimitName,
  type PersistedQueryId,
  type TeamValuesQuery,
} from '@plumbline/sdk/analytics';
import { createPlatformClient } from '@plumbline/sdk/platform';

const analytics = createAnalyticsClient(createPlatformClient({ baseUrl: 'https://plumbline.example.com' }));
declare const other: ApiClient<'compose'>;
const orgId = 'b6d3a7c8-1e2f-4b5a-8c9d-3e4f5a6b7c03';
const dateRange = { startDate: '2026-01-01', endDate: '2026-03-31' };

export function byOutcome(reply: AnalyticsReply<TeamValuesQuery>): number | string {
  // @ts-expect-error: nothing is known of the data before the reply is narrowed
  reply.data.catalog;
  if (!reply.ok) return `${reply.status} ${reply.error.message}`;
  // @ts-expect-error: a success has no error
  reply.error.code;
  // @ts-expect-error: the values of a dimension may be missing
  reply.data.catalog.values.length;
  return reply.data.catalog.values?.[0]?.count ?? 0;
}

export function byCode(error: AnalyticsError): number | string | null {
  // @ts-expect-error: a limit is not known before the code is
  error.limit_name;
  switch (error.code) {
    case 'COST_LIMIT_EXCEEDED':
      // @ts-expect-error: this error has no such member
      error.field;
      // @ts-expect-error: there is no such limit
      if (error.limit_name === 'max_patience') return 0;
      error.limit_name satisfies LimitName;
      return error.requested_value - error.limit_value;
    case 'VALIDATION_ERROR':
      return error.field;
    case 'PERSISTED_QUERY_ERROR':
      return error.query_id;
    case 'QUERY_TIMEOUT':
      return error.timeout_seconds;
    case 'PAYLOAD_TOO_LARGE':
      return error.max_bytes;
    case 'RATE_LIMITED':
    case 'SERVICE_UNAVAILABLE':
      return error.retry_after_seconds;
    // @ts-expect-error: there is no such code
    case 'NO_SUCH_CODE':
      return 0;
    case 'AUTHORIZATION_ERROR':
    case 'METHOD_NOT_ALLOWED':
    case 'NOT_ACCEPTABLE':
    case 'UNSUPPORTED_MEDIA_TYPE':
    case 'INTERNAL_ERROR':
      return error.message;
  }
  // The set is closed: nothing is left.
  return error satisfies never;
}

export function caught(error: unknown): string {
  return error instanceof AnalyticsQueryError && error.error.code === 'VALIDATION_ERROR' ? error.error.field : '';
}

export async function queries(): Promise<void> {
  // @ts-expect-error: there is no such query
  await analytics.persisted('no-such-query', { orgId });
  // @ts-expect-error: this one needs a range of days
  await analytics.persisted('investment-sankey', { orgId });
  // @ts-expect-error: there is no such dimension
  await analytics.query(timeseriesWeekly, { orgId, dateRange, dimension: 'PLANET' });
  // @ts-expect-error: every query is about one organization
  await analytics.query(teamValues, {});
  const untyped = unwrapAnalytics(await analytics.query('query { catalog { name } }', { orgId }));
  // @ts-expect-error: a mere text does not tell what is answered: analyticsDocument does
  untyped.catalog;
  // @ts-expect-error: a client of another API
  createAnalyticsClient(other);

  const flow = unwrapAnalytics(await analytics.persisted('investment-sankey', { orgId, dateRange }));
  flow.analytics.sankey?.nodes satisfies readonly { readonly dimension: AnalyticsSchema.DimensionInput }[] | undefined;
  // @ts-expect-error: the query does not ask for it
  flow.analytics.timeseries;
  const options = { retries: 0, timeoutMs: 500, signal: AbortSignal.timeout(900) };
  await analytics.query(investmentSankey, { orgId, dateRange, path: ['TEAM', 'THEME'] }, options);

  const own = analyticsDocument<{ readonly catalog: { readonly name: string } }, { orgId: string; n: number }>('...');
  // @ts-expect-error: the document says which variables it takes
  await analytics.query(own, { orgId });
  unwrapAnalytics(await analytics.query(own, { orgId, n: 1 })).catalog.name satisfies string;
  // What graphql-codegen makes with `documentMode: string`: a String object that has types.
  const generated = Object('...') as AnalyticsDocument<{ readonly n: number }, { orgId: string }>;
  unwrapAnalytics(await analytics.query(generated, { orgId })).n satisfies number;
}

const code: AnalyticsErrorCode = analyticsErrorCodes[0];
const limit: LimitName = limitNames[0];
const id: PersistedQueryId = 'team-values';
// @ts-expect-error: a closed set
const none: LimitName = 'max_patience';
void [code, limit, id, none];
