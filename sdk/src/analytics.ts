import type { AnalyticsDocument, OrganizationVariables, PersistedDocument } from './analytics-document.js';
import { analyticsReplyOf, type AnalyticsReply } from './analytics-result.js';
import type { ClientOptions } from './client-options.js';
import { UnexpectedReplyError } from './errors.js';
import { persistedVersion, type PersistedQueries, type PersistedQueryId } from './generated/analytics/documents.js';
import type { PlatformClient } from './generated/platform/operations.js';
import { nameOf, type CallOptions, type Operation } from './operation.js';
import { createPlatformClient } from './platform.js';

export {
  analyticsDocument,
  type AnalyticsDocument,
  type OrganizationVariables,
  type PersistedDocument,
} from './analytics-document.js';
export {
  AnalyticsQueryError,
  unwrapAnalytics,
  type AnalyticsError,
  type AnalyticsFailure,
  type AnalyticsReply,
  type AnalyticsSuccess,
} from './analytics-result.js';
export * from './generated/analytics/documents.js';
export * from './generated/analytics/errors.js';
export type * from './generated/analytics/operations.js';
/** The types of the whole schema, for queries of your own. */
export type * as AnalyticsSchema from './generated/analytics/schema.js';

/** A connection to the Analytics API. */
export interface AnalyticsClient {
  /**
   * Sends the text of a query.
   *
   * @param variables `orgId` among them is the organization that the query is about
   * @throws ConnectionError, TimeoutError, UnexpectedReplyError, or the reason of the caller's signal
   */
  query<Result, Variables extends OrganizationVariables>(
    document: AnalyticsDocument<Result, Variables> | PersistedDocument<Result, Variables>,
    variables: Variables,
    options?: CallOptions,
  ): Promise<AnalyticsReply<Result>>;
  /** Sends the id of a persisted query, which the server has the text of. Throws as `query` does. */
  persisted<Id extends PersistedQueryId>(
    id: Id,
    variables: PersistedQueries[Id]['variables'],
    options?: PersistedOptions,
  ): Promise<AnalyticsReply<PersistedQueries[Id]['result']>>;
}

export interface PersistedOptions extends CallOptions {
  /**
   * Asks the server to refuse (PERSISTED_QUERY_ERROR) unless its queries and schema are exactly those that this SDK was
   * made with (default false).
   */
  readonly exactVersion?: boolean | undefined;
}

/**
 * Makes a client of the Analytics API.
 *
 * @param source the client of the Platform API whose user asks: both then share its tokens and renew them together.
 * Options make such a client of their own.
 * @throws TypeError when `baseUrl` is not an absolute http(s) URL free of credentials, query and fragment
 */
export function createAnalyticsClient(source: PlatformClient | ClientOptions): AnalyticsClient {
  const platform = 'call' in source ? source : createPlatformClient(source);
  return {
    query: (document, variables, options = {}) => {
      const text = typeof document === 'object' && 'text' in document ? document.text : document.toString();
      return send(platform, { query: text, variables }, options);
    },
    persisted: (id, variables, { exactVersion = false, ...options } = {}) => {
      const version = exactVersion ? { 'x-persisted-query-version': persistedVersion } : {};
      const headers = { ...options.headers, 'x-persisted-query-id': id, ...version };
      return send(platform, { variables }, { ...options, headers });
    },
  };
}

const postGraphql: Operation = {
  method: 'post',
  path: '/graphql',
  // With these the server answers in the form of GraphQL. What is not among them comes from elsewhere, such as a proxy.
  statuses: [200, 400, 401, 403, 413, 415, 500, 503],
  format: { mediaType: 'application/graphql-response+json', parseAs: 'json' },
  scheme: 'bearer',
  readsOnly: true,
};

async function send<Result>(
  platform: PlatformClient,
  body: { readonly query?: string; readonly variables: OrganizationVariables },
  options: CallOptions,
): Promise<AnalyticsReply<Result>> {
  const query = { org_id: body.variables.orgId };
  const { data, status, headers, requestId } = await platform.call(postGraphql, { ...options, query, body });
  const reply = analyticsReplyOf<Result>(data, status, requestId);
  if (reply === null) throw new UnexpectedReplyError(nameOf(postGraphql), new Response(null, { status, headers }));
  return reply;
}
