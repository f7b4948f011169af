import type { ListAuditLogHandler } from '../../../generated/platform/operations.js';
import { superuserRequired } from '../../../generated/problems.js';
import { validationProblem, type Violation } from '../../contract/violations.js';
import type { PlatformDependencies } from '../dependencies.js';
import { replyWithPage } from '../paging.js';
import { selectAuditRecords } from './audit.store.js';

export const listAuditLog: ListAuditLogHandler<PlatformDependencies> = async ({ query, principal }, { sql }) => {
  const since = instantOf(query.since);
  const until = instantOf(query.until);
  if (since === 'unreadable') return validationProblem([noInstant('since')]);
  if (until === 'unreadable') return validationProblem([noInstant('until')]);
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

const latestInstant = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/**
 * Parses an RFC 3339 date-time. The contract's format allows forms that `Date` cannot parse: a blank or a lower-case t
 * as separator, and leap seconds, which count as the end of their minute. Instants outside PostgreSQL's range are
 * clamped to times without records.
 */
function instantOf(text: string | undefined): Date | 'unreadable' | undefined {
  if (text === undefined) return undefined;
  const ms = Date.parse(
    text
      .toUpperCase()
      .replace(/\s/, 'T')
      .replace(/:60(?=[.Z+-])/, ':59'),
  );
  return Number.isNaN(ms) ? 'unreadable' : new Date(Math.min(Math.max(ms, 0), latestInstant));
}

function noInstant(name: 'since' | 'until'): Violation {
  return { path: `/query/${name}`, rule: 'format', message: 'must be a valid date-time' };
}
