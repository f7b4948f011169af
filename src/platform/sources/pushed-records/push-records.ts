import type { GetPushProgressHandler, PushRecordsHandler, Schemas } from '../../../../generated/platform/operations.js';
import { validationProblem } from '@plumbline/contract/violations';
import type { Sql } from '../../../database/connection.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { findTask } from '../store-tasks/store-tasks.store.js';
import { countWaiting, findRefused } from './pushed-records.store.js';
import { cleanAddress } from './clean-address.js';
import { keepPush } from './keep-push.js';
import type { PushedContent } from './pushed-rows.js';
import { violationsOfPush } from './violations-of-push.js';

export const pushRecords: PushRecordsHandler<PlatformDependencies> = async (request, dependencies) => {
  const { body, principal } = request;
  const { sql, clock } = dependencies;
  const violations = violationsOfPush(body, clock.now());
  if (violations.length > 0) return validationProblem(violations);
  const counts = Object.entries(body).map(([kind, list]) => ({ kind, count: list.length }));
  const refusal = await keepPush(dependencies, request, {
    content: withoutSecrets(body),
    records: counts.reduce((sum, { count }) => sum + count, 0),
    note: counts.map(({ kind, count }) => `${kind}: ${count}`).join(', '),
  });
  return refusal ?? { status: 202, body: await progressOf(sql, principal.org_id) };
};

/** The address that a repository was cloned from may have a token. */
function withoutSecrets({ deployments, incidents, builds, issues }: PushedContent): PushedContent {
  const clean = <Item extends { readonly repository: string }>(item: Item): Item => ({
    ...item,
    repository: cleanAddress(item.repository),
  });
  return {
    ...(deployments === undefined ? {} : { deployments: deployments.map(clean) }),
    ...(incidents === undefined ? {} : { incidents: incidents.map(clean) }),
    ...(builds === undefined ? {} : { builds: builds.map(clean) }),
    ...(issues === undefined ? {} : { issues: issues.map(clean) }),
  };
}

export const getPushProgress: GetPushProgressHandler<PlatformDependencies> = async ({ principal }, { sql }) => ({
  status: 200,
  body: await progressOf(sql, principal.org_id),
});

async function progressOf(sql: Sql, orgId: string): Promise<Schemas['PushProgress']> {
  const [task, { records }, refused] = await Promise.all([
    findTask(sql, orgId, 'store_pushed_records'),
    countWaiting(sql, orgId),
    findRefused(sql, orgId),
  ]);
  const isDone = task === null && records === 0;
  return {
    state: isDone ? 'done' : (task?.error ?? null) === null ? 'storing' : 'failing',
    waiting_records: records,
    refused_records: refused.records,
    error: task?.error ?? refused.reason,
  };
}
