/** The Platform API by path, in the form of openapi-fetch. A bundle that imports it has every operation. */
import type { paths } from '../generated/platform/openapi.js';
import type { PlatformClient } from '../generated/platform/operations.js';
import { operationsByPath } from '../generated/platform/paths.js';
import { withPathMethods, type PathMethods } from '../path-methods.js';

export type PlatformPaths = PathMethods<paths, typeof operationsByPath>;

/**
 * Adds calls by path to a client: `withPaths(client).GET('/api/v1/auth/me')`. They share its tokens, retries and hooks
 * with the functions of the operations.
 */
export function withPaths(client: PlatformClient): PlatformClient & PlatformPaths {
  return withPathMethods<PlatformClient, paths, typeof operationsByPath>(client, operationsByPath);
}
