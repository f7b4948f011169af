/** The compose API by path, in the form of openapi-fetch. A bundle that imports it has every operation. */
import type { paths } from '../generated/compose/openapi.js';
import type { ComposeClient } from '../generated/compose/operations.js';
import { operationsByPath } from '../generated/compose/paths.js';
import { withPathMethods, type PathMethods } from '../path-methods.js';

export type ComposePaths = PathMethods<paths, typeof operationsByPath>;

/**
 * Adds calls by path to a client: `withPaths(client).GET('/projects')`. They share its transport, retries and hooks
 * with the functions of the operations.
 */
export function withPaths(client: ComposeClient): ComposeClient & ComposePaths {
  return withPathMethods<ComposeClient, paths, typeof operationsByPath>(client, operationsByPath);
}
