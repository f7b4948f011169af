import type { UpdateSyncConfigHandler, UpdateSyncConfigReply } from '../../../../generated/platform/operations.js';
import { validationProblem } from '@plumbline/contract/violations';
import { isUniqueViolation } from '../../../database/failures.js';
import { actorOf } from '../../identity/accounts/actor.js';
import { recordAudit } from '../../tenancy/audit/audit.store.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { noSuchConfig } from './not-found.js';
import { violationsOfSchedule } from './schedules/schedule.js';
import { storeSchedule } from './schedules/schedules.store.js';
import { changeSyncConfig, findSyncConfig, lockSyncConfig, syncConfigOf } from './sync-configs.store.js';
import {
  demoHasNoSchedule,
  demoRepositoriesFixed,
  nameTaken,
  violationsOfRepositories,
  violationsOfTargets,
} from './sync-rules.js';

export const updateSyncConfig: UpdateSyncConfigHandler<PlatformDependencies> = async (
  { params, body, principal, context },
  { sql, clock },
) => {
  const now = clock.now();
  const { org_id: orgId } = principal;
  const actor = actorOf(principal);
  const id = params.sync_config_id.toLowerCase();
  try {
    return await sql.begin(async (transaction): Promise<UpdateSyncConfigReply> => {
      const config = await lockSyncConfig(transaction, orgId, id, 'update');
      if (config === null) return noSuchConfig();
      const violations = [
        ...violationsOfTargets(config.provider, body.targets ?? []),
        ...(config.is_demo && body.repositories !== undefined ? [demoRepositoriesFixed] : []),
        ...(config.is_demo && (body.schedule ?? null) !== null ? [demoHasNoSchedule] : []),
        ...(body.repositories === undefined ? [] : violationsOfRepositories(body.repositories)),
        ...violationsOfSchedule(body.schedule ?? null),
      ];
      if (violations.length > 0) return validationProblem(violations);
      await changeSyncConfig(transaction, orgId, id, body, now);
      if (body.schedule !== undefined || body.is_active !== undefined) {
        const schedule = body.schedule === undefined ? config.schedule : body.schedule;
        await storeSchedule(transaction, orgId, id, schedule, now);
      }
      const record = { action: 'UPDATE', resourceKind: 'SYNC_CONFIG', resourceId: id, orgId, ...actor } as const;
      await recordAudit(transaction, context, now, { ...record, note: Object.keys(body).sort().join(', ') });
      const row = await findSyncConfig(transaction, orgId, id);
      return row === null ? noSuchConfig() : { status: 200, body: syncConfigOf(row) };
    });
  } catch (error) {
    if (isUniqueViolation(error, 'sync_configs_name_key')) return validationProblem([nameTaken]);
    throw error;
  }
};
