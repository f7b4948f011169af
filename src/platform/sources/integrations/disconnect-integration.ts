import type {
  DisconnectIntegrationHandler,
  DisconnectIntegrationReply,
} from '../../../../generated/platform/operations.js';
import { integrationInUse, integrationNotFound } from '../../../../generated/problems.js';
import { actorOf } from '../../identity/accounts/actor.js';
import { recordAudit } from '../../tenancy/audit/audit.store.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { deleteIntegration, isInUse, lockIntegration } from './integrations.store.js';

export const disconnectIntegration: DisconnectIntegrationHandler<PlatformDependencies> = async (
  { params, principal, context },
  { sql, clock },
) => {
  const { org_id: orgId } = principal;
  const actor = actorOf(principal);
  const id = params.integration_id.toLowerCase();
  return sql.begin(async (transaction): Promise<DisconnectIntegrationReply> => {
    if (!(await lockIntegration(transaction, orgId, id))) {
      return integrationNotFound({ message: 'The organization has no such integration.' });
    }
    if (await isInUse(transaction, orgId, id)) {
      return integrationInUse({
        message: 'A sync configuration uses this integration. Delete the configuration first.',
      });
    }
    await deleteIntegration(transaction, orgId, id);
    const record = { action: 'DELETE', resourceKind: 'INTEGRATION', resourceId: id, orgId, ...actor } as const;
    await recordAudit(transaction, context, clock.now(), record);
    return { status: 204 };
  });
};
