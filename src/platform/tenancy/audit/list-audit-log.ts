import type {
  ListAuditLogHandler,
  ListInstallationAuditLogHandler,
  ListMyAuditLogHandler,
  Schemas,
} from '../../../../generated/platform/operations.js';
import { superuserRequired } from '../../../../generated/problems.js';
import { instantOf } from '@plumbline/contract/instant';
import type { PlatformDependencies } from '../../dependencies.js';
import { replyWithPage, type Position } from '../../server/paging.js';
import {
  recordOf,
  selectAccountRecords,
  selectAuditRecords,
  type AuditFilters,
  type AuditRow,
} from './audit-records.store.js';

type AuditQuery = Omit<Parameters<ListInstallationAuditLogHandler<PlatformDependencies>>[0]['query'], 'org_id'>;
type PeriodQuery = Pick<AuditQuery, 'since' | 'until' | 'limit' | 'cursor'>;

export const listAuditLog: ListAuditLogHandler<PlatformDependencies> = ({ query, principal }, { sql }) => {
  const filters = { ...filtersOf(query), orgId: principal.org_id };
  return replyWithRecords(query, (position, limit) => selectAuditRecords(sql, filters, position, limit));
};

export const listInstallationAuditLog: ListInstallationAuditLogHandler<PlatformDependencies> = (
  { query, principal },
  { sql },
) => {
  if (!principal.is_superuser) {
    return superuserRequired({ message: 'Only superusers read the records of the whole installation.' });
  }
  const filters = { ...filtersOf(query), orgId: query.org_id };
  return replyWithRecords(query, (position, limit) => selectAuditRecords(sql, filters, position, limit));
};

export const listMyAuditLog: ListMyAuditLogHandler<PlatformDependencies> = ({ query, principal }, { sql }) =>
  replyWithRecords(query, (position, limit) =>
    selectAccountRecords(sql, principal.user_id, periodOf(query), position, limit),
  );

function replyWithRecords(
  query: PeriodQuery,
  select: (position: Position | null, limit: number) => Promise<AuditRow[]>,
): ReturnType<typeof replyWithPage<AuditRow, Schemas['AuditRecord']>> {
  return replyWithPage(query, { select, positionOf: ({ at, id }) => ({ at, id }), itemOf: recordOf });
}

function filtersOf(query: AuditQuery): Omit<AuditFilters, 'orgId'> {
  const { action, resource_kind: resourceKind, user_id: userId, service_token_id: serviceTokenId } = query;
  return { action, resourceKind, userId, serviceTokenId, ...periodOf(query) };
}

function periodOf({ since, until }: PeriodQuery): Pick<AuditFilters, 'since' | 'until'> {
  return { since: timeOf(since), until: timeOf(until) };
}

function timeOf(text: string | undefined): Date | undefined {
  return text === undefined ? undefined : instantOf(text);
}
