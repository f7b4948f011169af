import type { TestIntegrationHandler } from '../../../../generated/platform/operations.js';
import { integrationNotFound } from '../../../../generated/problems.js';
import { actorOf } from '../../identity/accounts/actor.js';
import { recordAudit } from '../../tenancy/audit/audit.store.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { testCodeHost } from './code-host.js';
import { storeTestOutcome } from './integrations.store.js';
import { openAccess } from './open-access.js';

/** Asks the code host outside any transaction, because the host may be slow. */
export const testIntegration: TestIntegrationHandler<PlatformDependencies> = async (
  { params, principal, context },
  dependencies,
) => {
  const { sql, clock, outbound } = dependencies;
  const { org_id: orgId } = principal;
  const actor = actorOf(principal);
  const notFound = integrationNotFound({ message: 'The organization has no such integration.' });
  const id = params.integration_id;
  const opened = await openAccess(dependencies, orgId, id, false);
  if (opened === null) return notFound;
  const error = 'failure' in opened ? opened.failure : await testCodeHost(opened.access, outbound);

  const now = clock.now();
  const kept = await sql.begin(async (transaction) => {
    if (!(await storeTestOutcome(transaction, orgId, id, error, now))) return false;
    await recordAudit(transaction, context, now, {
      action: 'INTEGRATION_TESTED',
      resourceKind: 'INTEGRATION',
      resourceId: id,
      orgId,
      ...actor,
      ...(error === null ? {} : { status: 'failure', note: error }),
    });
    return true;
  });
  if (!kept) return notFound; // disconnected in the meantime
  return { status: 200, body: { success: error === null, error, tested_at: now.toISOString() } };
};
