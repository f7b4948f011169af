import type { PendingQuery, Row } from 'postgres';
import type { Schemas } from '../../../../generated/platform/operations.js';
import type { Sql } from '../../../database/connection.js';
import type { Position } from '../../server/paging.js';

/** A record of the contract, except for its time. */
export type AuditRow = Omit<Schemas['AuditRecord'], 'at'> & { readonly at: Date };

/** Absent filters match everything. */
export interface AuditFilters {
  /** Absent: the records of all organizations, and those outside of organizations. */
  readonly orgId?: string | undefined;
  readonly action?: string | undefined;
  readonly resourceKind?: string | undefined;
  readonly userId?: string | undefined;
  readonly serviceTokenId?: string | undefined;
  /** Inclusive. */
  readonly since?: Date | undefined;
  /** Exclusive. */
  readonly until?: Date | undefined;
}

/** The columns of `AuditRow`. */
export function recordColumns(sql: Sql): PendingQuery<Row[]> {
  return sql`id, at, action, resource_kind, resource_id, org_id, user_id, service_token_id, status, note, host(ip) as ip,
    user_agent, request_id`;
}

/** The columns of `AuditRow` for the user of an account: the origin of the actions of others is left out. */
export function recordColumnsFor(sql: Sql, userId: string): PendingQuery<Row[]> {
  return sql`id, at, action, resource_kind, resource_id, org_id, user_id, service_token_id, status, note,
    case when user_id = ${userId} then host(ip) end as ip, case when user_id = ${userId} then user_agent end as user_agent,
    case when user_id = ${userId} then request_id end as request_id`;
}

/** The condition of a record that the user acted, or that others changed the account or a membership of the user. */
export function concerns(sql: Sql, userId: string): PendingQuery<Row[]> {
  return sql`
    (user_id = ${userId} or (resource_kind in ('USER', 'MEMBERSHIP') and resource_id = ${userId.toLowerCase()}))`;
}

/** The records that match all filters, newest first. */
export async function selectAuditRecords(
  sql: Sql,
  { orgId, action, resourceKind, userId, serviceTokenId, ...period }: AuditFilters,
  position: Position | null,
  limit: number,
): Promise<AuditRow[]> {
  return sql<AuditRow[]>`
    select ${recordColumns(sql)} from audit_log a
    where true
      ${orgId === undefined ? sql`` : sql`and org_id = ${orgId}`}
      ${action === undefined ? sql`` : sql`and action = ${action}`}
      ${resourceKind === undefined ? sql`` : sql`and resource_kind = ${resourceKind}`}
      ${userId === undefined ? sql`` : sql`and user_id = ${userId}`}
      ${serviceTokenId === undefined ? sql`` : sql`and service_token_id = ${serviceTokenId}`}
      ${newestFirst(sql, period, position, limit)}`;
}

/**
 * What a user did, and what others did to the account and the memberships of the user, newest first. An event of an
 * account has a record in each organization; one of them is selected. The origin of the actions of others is left out.
 */
export async function selectAccountRecords(
  sql: Sql,
  userId: string,
  period: Pick<AuditFilters, 'since' | 'until'>,
  position: Position | null,
  limit: number,
): Promise<AuditRow[]> {
  return sql<AuditRow[]>`
    select ${recordColumnsFor(sql, userId)} from audit_log a
    where ${concerns(sql, userId)} and (resource_kind not in ('SESSION', 'USER') or not exists (
        select 1 from audit_log copy
        where ${concerns(sql, userId)} and copy.at = a.at and copy.action = a.action and copy.resource_kind = a.resource_kind
          and (copy.resource_id, copy.user_id, copy.note, copy.request_id)
            is not distinct from (a.resource_id, a.user_id, a.note, a.request_id)
          and copy.id < a.id
      ))
      ${newestFirst(sql, period, position, limit)}`;
}

function newestFirst(
  sql: Sql,
  { since, until }: Pick<AuditFilters, 'since' | 'until'>,
  position: Position | null,
  limit: number,
): PendingQuery<Row[]> {
  return sql`
    ${since === undefined ? sql`` : sql`and a.at >= ${since}`}
    ${until === undefined ? sql`` : sql`and a.at < ${until}`}
    ${position === null ? sql`` : sql`and (a.at, a.id) < (${position.at}, ${position.id})`}
    order by a.at desc, a.id desc limit ${limit}`;
}

/** The contract's `AuditRecord`. */
export function recordOf(row: AuditRow): Schemas['AuditRecord'] {
  return { ...row, at: row.at.toISOString() };
}
