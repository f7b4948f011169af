import type { CreateSyncConfigHandler, CreateSyncConfigReply } from '../../../../generated/platform/operations.js';
import { validationProblem } from '@plumbline/contract/violations';
import { actorOf } from '../../identity/accounts/actor.js';
import { recordAudit } from '../../tenancy/audit/audit.store.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { localRootOf } from './local-root.js';
import { violationsOfSchedule } from './schedules/schedule.js';
import { storeSchedule } from './schedules/schedules.store.js';
import { findSyncConfig, holdIntegration, insertSyncConfig, syncConfigOf } from './sync-configs.store.js';
import {
  nameTaken,
  unknownIntegration,
  violationsOfIntegration,
  violationsOfLocal,
  violationsOfRepositories,
  violationsOfTargets,
} from './sync-rules.js';

export const createSyncConfig: CreateSyncConfigHandler<PlatformDependencies> = async (
  { body, principal, context },
  { sql, clock, settings },
) => {
  const { provider, targets, repositories } = body;
  const integrationId = body.integration_id ?? null;
  const schedule = body.schedule ?? null;
  const { org_id: orgId } = principal;
  const violations = [
    ...violationsOfIntegration(provider, integrationId),
    ...violationsOfTargets(provider, targets),
    ...violationsOfLocal(provider, localRootOf(orgId, settings)),
    ...violationsOfRepositories(repositories),
    ...violationsOfSchedule(schedule),
  ];
  if (violations.length > 0) return validationProblem(violations);

  const now = clock.now();
  const actor = actorOf(principal);
  return sql.begin(async (transaction): Promise<CreateSyncConfigReply> => {
    if (integrationId !== null && !(await holdIntegration(transaction, orgId, integrationId, provider))) {
      return validationProblem([unknownIntegration(provider)]);
    }
    const config = { orgId, integrationId, name: body.name.trim(), provider, targets, repositories };
    const id = await insertSyncConfig(
      transaction,
      { ...config, isActive: body.is_active, prune: body.prune, createdBy: actor.userId },
      now,
    );
    if (id === null) return validationProblem([nameTaken]);
    await storeSchedule(transaction, orgId, id, schedule, now);
    const record = { action: 'CREATE', resourceKind: 'SYNC_CONFIG', resourceId: id, orgId, ...actor } as const;
    await recordAudit(transaction, context, now, record);
    const row = await findSyncConfig(transaction, orgId, id);
    if (row === null) throw new Error('The inserted sync configuration was not found in its transaction');
    return { status: 201, headers: { Location: `/api/v1/admin/sync-configs/${id}` }, body: syncConfigOf(row) };
  });
};
