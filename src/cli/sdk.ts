/** The SDK as the commands use it. The build bundles it into this module, so that the package needs no other one. */
export * as operations from '@plumbline/sdk/platform';
export {
  createPlatformClient,
  followSyncRun,
  getCurrentServiceToken,
  getMe,
  getPushProgress,
  login,
  pushRecords,
  signOut,
  verifyMfa,
} from '@plumbline/sdk/platform';
export { createAnalyticsClient } from '@plumbline/sdk/analytics';
export {
  ApiVersionError,
  ConnectionError,
  paginate,
  PlumblineError,
  TimeoutError,
  UnexpectedReplyError,
  unwrap,
  type AnyResult,
  type CallOptions,
  type Failure,
  type Fetch,
  type Success,
  type TokenPair,
  type TokenStore,
} from '@plumbline/sdk';
export type { PlatformClient, Schemas } from '@plumbline/sdk/platform';
