/** Exports shared by the clients of all APIs. Each API has a separate entry point, such as `@plumbline/sdk/platform`. */
export type { Middleware } from 'openapi-fetch';
export type { ApiClient } from './client.js';
export type { ClientOptions } from './client-options.js';
export { ApiVersionError, ConnectionError, PlumblineError, TimeoutError, UnexpectedReplyError } from './errors.js';
export type { CallOptions, KeyedCallOptions, TokenCallOptions } from './operation.js';
export { paginate, type Items, type Page } from './paginate.js';
export type { AnyResult, DataOf, Failure, ProblemDocument, Success } from './result.js';
export type { Timing } from './retry.js';
export { memoryTokenStore, type TokenPair, type TokenStore } from './tokens.js';
export type { AttemptReport, Fetch, FetchInit } from './transport.js';
export { unwrap } from './unwrap.js';
