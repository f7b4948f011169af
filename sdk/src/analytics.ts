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
/** The types of the whole schema, for custom queries. */
export type * as AnalyticsSchema from './generated/analytics/schema.js';

/** A connection to the Analytics API. */
export interface AnalyticsClient {
  /**
   * Sends the text of a query.
   *
   * @param variables includes `orgId`, the organization of the query
   * @throws ConnectionError, TimeoutError, UnexpectedReplyError, or the reason of the caller's signal
   */
  query<Result, Variables extends OrganizationVariables>(
    document: AnalyticsDocument<Result, Variables> | PersistedDocument<Result, Variables>,
    variables: Variables,
    options?: CallOptions,
  ): Promise<AnalyticsReply<Result>>;
  /** Sends the id of a persisted query. Throws like `query`. */
  persisted<Id extends PersistedQueryId>(
    id: Id,
    variables: PersistedQueries[Id]['variables'],
    options?: PersistedOptions,
  ): Promise<AnalyticsReply<PersistedQueries[Id]['result']>>;
}

export interface PersistedOptions extends CallOptions {
  /**
   * Requires that the server's queries and schema are exactly those of this SDK; otherwise it returns
   * PERSISTED_QUERY_ERROR (default false).
   */
  readonly exactVersion?: boolean | undefined;
}

/**
 * Creates a client of the Analytics API.
 *
 * @param source the client of the Platform API to share tokens with: both renew them together. Options create a separate
 * Platform client.
 * @throws TypeError when `baseUrl` is not an absolute http(s) URL without credentials, query and fragment
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
  // The server replies to these statuses in GraphQL format. Others come from elsewhere, such as a proxy.
  statuses: [200, 400, 401, 403, 413, 415, 429, 500, 503],
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
