import { createApiClient } from './client.js';
import type { ClientOptions } from './client-options.js';
import {
  apiVersion,
  logout,
  refreshTokens,
  type LogoutResult,
  type PlatformClient,
} from './generated/platform/operations.js';
import type { CallOptions } from './operation.js';

export type * from './generated/platform/openapi.js';
export * from './generated/platform/operations.js';
export * from './generated/platform/problems.js';
export * from './generated/platform/values.js';
export { followSyncRun, hasSyncRunEnded, waitForSyncRun, type FollowOptions, type SyncRunParams } from './sync-runs.js';

/**
 * Creates a client of the Platform API. It has the tokens of one user: those of the latest reply that contained some. With
 * the option `token` it acts for an organization instead.
 *
 * @throws TypeError when `baseUrl` is not an absolute http(s) URL without credentials, query and fragment
 */
export function createPlatformClient(options: ClientOptions): PlatformClient {
  return createApiClient('platform', apiVersion, options, {
    names: ['bearer', 'serviceToken'],
    // The exchange stores the tokens itself, after it has checked that they are still wanted.
    refresh: (client, refresh_token) => refreshTokens(client, { body: { refresh_token }, adoptTokens: false }),
  });
}

/**
 * Logs out the client's session, and drops its tokens even if the server fails.
 *
 * @returns null when there was no session to log out
 */
export async function signOut(client: PlatformClient, options: CallOptions = {}): Promise<LogoutResult | null> {
  const tokens = await client.tokens.get();
  try {
    if (tokens?.refresh_token === undefined) return null;
    return await logout(client, { ...options, body: { refresh_token: tokens.refresh_token } });
  } finally {
    await client.tokens.clear();
  }
}
