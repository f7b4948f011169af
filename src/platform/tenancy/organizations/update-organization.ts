import type { UpdateOrganizationHandler } from '../../../../generated/platform/operations.js';
import { recordAudit } from '../audit/audit.store.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { renameOrganization } from './organizations.store.js';

export const updateOrganization: UpdateOrganizationHandler<PlatformDependencies> = async (
  { body, principal, context },
  { sql, clock },
) => {
  const now = clock.now();
  const { org_id: orgId, user_id: userId } = principal;
  const organization = await sql.begin(async (transaction) => {
    const renamed = await renameOrganization(transaction, orgId, body.name, now);
    const record = { action: 'UPDATE', resourceKind: 'ORGANIZATION', resourceId: orgId, note: 'name' } as const;
    await recordAudit(transaction, context, now, { ...record, orgId, userId });
    return renamed;
  });
  return { status: 200, body: organization };
};
