import type { RequestContext } from '@plumbline/contract/contract-types';
import type { OpenDerivationResources } from '../../../sync/work-units/derivation/resources.js';
import { actorOf, type OrganizationPrincipal } from '../../identity/accounts/actor.js';
import { recordAudit, type AuditRecord } from '../../tenancy/audit/audit.store.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { lockOrganization } from '../../tenancy/organizations/members.store.js';
import { requestAssignment } from '../../tenancy/teams/stored-teams.js';

/**
 * Stores a text of an organization in the database of the records, and requests that its work units are derived again.
 *
 * The write is the last step before the commit, as in `changeTeams`: if it fails, the audit record is rolled back.
 */
export async function storeText(
  { sql, clock, records, storeTasks }: Pick<PlatformDependencies, 'sql' | 'clock' | 'records' | 'storeTasks'>,
  { principal, context }: { readonly principal: OrganizationPrincipal; readonly context: RequestContext },
  audit: Pick<AuditRecord, 'resourceKind' | 'note'>,
  write: (resources: OpenDerivationResources) => Promise<void>,
): Promise<void> {
  const { org_id: orgId } = principal;
  await sql.begin(async (transaction) => {
    await lockOrganization(transaction, orgId);
    const now = clock.now();
    await recordAudit(transaction, context, now, { ...audit, action: 'UPDATE', orgId, ...actorOf(principal) });
    await requestAssignment(transaction, orgId, now);
    await records.of(orgId, write);
  });
  storeTasks.wake();
}
