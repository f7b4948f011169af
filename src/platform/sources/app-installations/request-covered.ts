import type { Sql } from '../../../database/connection.js';
import { matchesSelection } from '../../../sync/batch.js';
import { propertyOf } from '../../server/json-values.js';
import { requestSync, type CoveringConfig } from '../sync-runs/requested-syncs.store.js';

/**
 * Requests a sync of repositories that have changed, by each of the configurations that covers one of them.
 *
 * @returns whether one does
 */
export async function requestCovered(
  sql: Sql,
  configs: readonly CoveringConfig[],
  repositories: readonly string[],
  now: Date,
): Promise<boolean> {
  let isConcerned = false;
  for (const { id: configId, org_id: orgId, repositories: selected } of configs) {
    const covered = repositories.filter((repository) => matchesSelection(selected, repository));
    if (covered.length === 0) continue;
    isConcerned = true;
    await requestSync(sql, { orgId, configId }, covered, now);
  }
  return isConcerned;
}

/**
 * Whether a push concerns what syncs read: the default branch. Commits of other branches come with the events of
 * requests.
 *
 * @param push the event
 * @param repository as the event describes it
 */
export function isOfDefaultBranch(push: unknown, repository: unknown): boolean {
  const branch = propertyOf(repository, 'default_branch');
  return typeof branch !== 'string' || propertyOf(push, 'ref') === `refs/heads/${branch}`;
}
