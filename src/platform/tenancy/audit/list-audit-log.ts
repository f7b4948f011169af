import type { ListAuditLogHandler } from '../../../../generated/platform/operations.js';
import { superuserRequired } from '../../../../generated/problems.js';
import { instantOf } from '@plumbline/contract/instant';
import type { PlatformDependencies } from '../../dependencies.js';
import { replyWithPage } from '../../server/paging.js';
import { selectAuditRecords } from './audit.store.js';

export const listAuditLog: ListAuditLogHandler<PlatformDependencies> = async ({ query, principal }, { sql }) => {
  const [since, until] = [query.since, query.until].map((text) => (text === undefined ? text : instantOf(text)));
  const { action, resource_kind: resourceKind, user_id: userId, service_token_id: serviceTokenId } = query;
  const isWhole = query.scope === 'installation';
  if (isWhole && !('is_superuser' in principal && principal.is_superuser)) {
    return superuserRequired({ message: 'Only superusers read the records of the whole installation.' });
  }
  const filters = {
    orgId: isWhole ? null : principal.org_id,
    action,
    resourceKind,
    userId,
    serviceTokenId,
    since,
    until,
  };
  return replyWithPage(query, {
    select: (position, limit) => selectAuditRecords(sql, filters, position, limit),
    positionOf: ({ at, id }) => ({ at, id }),
    itemOf: (row) => ({ ...row, at: row.at.toISOString() }),
  });
};
