import type {
  DisconnectIntegrationHandler,
  DisconnectIntegrationReply,
} from '../../../../generated/platform/operations.js';
import { integrationInUse, integrationNotFound } from '../../../../generated/problems.js';
import { refusalOfOldActor } from '../../identity/mfa/fresh-proof.js';
import { actorOf } from '../../identity/accounts/actor.js';
import { recordAudit } from '../../tenancy/audit/audit.store.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { findAccess, type StoredAccess } from '../app-installations/app-installations.store.js';
import { deleteIntegration, isInUse, lockIntegration } from './integrations.store.js';

export const disconnectIntegration: DisconnectIntegrationHandler<PlatformDependencies> = async (
  { params, principal, context },
  { sql, clock, installationTokens },
) => {
  const stale = await refusalOfOldActor(sql, principal, clock.now());
  if (stale !== null) return stale;
  const { org_id: orgId } = principal;
  const actor = actorOf(principal);
  const id = params.integration_id.toLowerCase();
  const outcome = await sql.begin(async (transaction): Promise<Outcome> => {
    if (!(await lockIntegration(transaction, orgId, id))) {
      return { reply: integrationNotFound({ message: 'The organization has no such integration.' }), access: null };
    }
    if (await isInUse(transaction, orgId, id)) {
      const message = 'A sync configuration uses this integration. Delete the configuration first.';
      return { reply: integrationInUse({ message }), access: null };
    }
    const access = await findAccess(transaction, orgId, id);
    await deleteIntegration(transaction, orgId, id);
    const record = { action: 'DELETE', resourceKind: 'INTEGRATION', resourceId: id, orgId, ...actor } as const;
    await recordAudit(transaction, context, clock.now(), record);
    return { reply: { status: 204 }, access };
  });
  const { reply, access } = outcome;
  // After the end of the transaction, because the host may be slow.
  if (access !== null) await installationTokens.revoke({ orgId, id }, access);
  return reply;
};

interface Outcome {
  readonly reply: DisconnectIntegrationReply;
  /** What to revoke at the code host; null: nothing. */
  readonly access: StoredAccess | null;
}
