import type { RequestContext } from '@plumbline/contract/contract-types';
import type { Schemas } from '../../../../generated/platform/operations.js';
import type { Sql } from '../../../database/connection.js';
import type { Position } from '../../server/paging.js';

export type AuditAction =
  | 'LOGIN'
  | 'LOGIN_FAILED'
  | 'LOGOUT'
  | 'REGISTER'
  | 'EMAIL_VERIFIED'
  | 'VERIFICATION_REQUESTED'
  | 'PASSWORD_RESET_REQUESTED'
  | 'PASSWORD_RESET'
  | 'PASSWORD_CHANGED'
  | 'EMAIL_CHANGE_REQUESTED'
  | 'EMAIL_CHANGE_CONFIRMED'
  | 'EMAIL_CHANGE_REFUSED'
  | 'EMAIL_CHANGED'
  | 'ACCOUNT_EXPORTED'
  | 'USER_DISABLED'
  | 'USER_ENABLED'
  | 'REFRESH_TOKEN_REUSED'
  | 'SESSION_REVOKED'
  | 'CREATE'
  | 'UPDATE'
  | 'DELETE'
  | 'DELETION_REQUESTED'
  | 'DELETION_CANCELLED'
  | 'MEMBER_INVITED'
  | 'INVITE_REVOKED'
  | 'MEMBER_JOINED'
  | 'MEMBER_ROLE_CHANGED'
  | 'MEMBER_REMOVED'
  | 'INTEGRATION_SKIPPED'
  | 'INTEGRATION_TESTED'
  | 'SYNC_STARTED'
  | 'SYNC_CANCELLED'
  | 'TEAMS_IMPORTED'
  | 'TEAMS_ASSIGNED'
  | 'SERVICE_TOKEN_ROTATED'
  | 'SERVICE_TOKEN_REVOKED'
  | 'WEBHOOK_RESENT'
  | 'WEBHOOK_SECRET_ROTATED';

export type AuditResource =
  | 'SESSION'
  | 'USER'
  | 'ORGANIZATION'
  | 'MEMBERSHIP'
  | 'INVITE'
  | 'INTEGRATION'
  | 'SYNC_CONFIG'
  | 'SYNC_RUN'
  | 'DEMO_DATA'
  | 'TEAM'
  | 'RULES'
  | 'AUTHORS'
  | 'CORRECTION'
  | 'VIEW'
  | 'SERVICE_TOKEN'
  | 'WEBHOOK'
  | 'THRESHOLD';

export interface AuditRecord {
  readonly action: AuditAction;
  readonly resourceKind: AuditResource;
  readonly resourceId?: string | null;
  /** null: outside any organization. */
  readonly orgId: string | null;
  readonly userId: string | null;
  /** The acting service token; absent: none. */
  readonly serviceTokenId?: string | null;
  readonly status?: 'success' | 'failure';
  readonly note?: string;
}

/** Where an action came from. The command line has no request. */
export type AuditContext = Pick<RequestContext, 'clientIp' | 'userAgent'> & { readonly requestId: string | null };

/** Appends to the audit log in the transaction of the change, so that both are stored or neither. */
export async function recordAudit(sql: Sql, context: AuditContext, at: Date, record: AuditRecord): Promise<void> {
  await sql`
    insert into audit_log
      (at, action, resource_kind, resource_id, org_id, user_id, service_token_id, status, note, ip, user_agent,
        request_id)
    values (
      ${at}, ${record.action}, ${record.resourceKind}, ${record.resourceId ?? null}, ${record.orgId}, ${record.userId},
      ${record.serviceTokenId ?? null}, ${record.status ?? 'success'}, ${record.note ?? null}, ${addressOf(context)}, ${context.userAgent}, ${context.requestId}
    )`;
}

/**
 * Appends an event of an account to the audit log of each organization of its user, so that all admins who are concerned
 * can read it. An event of a user without an organization, or of nobody, is recorded outside of organizations.
 *
 * @param record `memberId`: the user of the account; default: the acting user
 */
export async function recordAccountEvent(
  sql: Sql,
  context: AuditContext,
  at: Date,
  record: Omit<AuditRecord, 'orgId' | 'serviceTokenId'> & { readonly memberId?: string },
): Promise<void> {
  await sql`
    insert into audit_log (at, action, resource_kind, resource_id, org_id, user_id, status, note, ip, user_agent, request_id)
    select ${at}::timestamptz, ${record.action}, ${record.resourceKind}, ${record.resourceId ?? null}, m.org_id,
      ${record.userId}::uuid, ${record.status ?? 'success'}, ${record.note ?? null}, ${addressOf(context)}::inet,
      ${context.userAgent}, ${context.requestId}
    from (select) as event left join memberships m on m.user_id = ${record.memberId ?? record.userId}`;
}

/** The caller's address for a column of type inet; null for connections without one, such as a unix socket. */
export function addressOf({ clientIp }: Pick<AuditContext, 'clientIp'>): string | null {
  return clientIp === 'unknown' ? null : (clientIp.split('%')[0] ?? null);
}

/** A record of the contract, except for its time. */
export type AuditRow = Omit<Schemas['AuditRecord'], 'at'> & { readonly at: Date };

/** Absent filters match everything. */
export interface AuditFilters {
  /** null: the records of all organizations, and those outside of organizations. */
  readonly orgId: string | null;
  readonly action: string | undefined;
  readonly resourceKind: string | undefined;
  readonly userId: string | undefined;
  readonly serviceTokenId: string | undefined;
  /** Inclusive. */
  readonly since: Date | undefined;
  /** Exclusive. */
  readonly until: Date | undefined;
}

/** The records that match all filters, newest first. */
export async function selectAuditRecords(
  sql: Sql,
  { orgId, action, resourceKind, userId, serviceTokenId, since, until }: AuditFilters,
  position: Position | null,
  limit: number,
): Promise<AuditRow[]> {
  return sql<AuditRow[]>`
    select id, at, action, resource_kind, resource_id, org_id, user_id, service_token_id, status, note, host(ip) as ip, user_agent,
      request_id
    from audit_log
    where ${orgId === null ? sql`true` : sql`org_id = ${orgId}`}
      ${action === undefined ? sql`` : sql`and action = ${action}`}
      ${resourceKind === undefined ? sql`` : sql`and resource_kind = ${resourceKind}`}
      ${userId === undefined ? sql`` : sql`and user_id = ${userId}`}
      ${serviceTokenId === undefined ? sql`` : sql`and service_token_id = ${serviceTokenId}`}
      ${since === undefined ? sql`` : sql`and at >= ${since}`}
      ${until === undefined ? sql`` : sql`and at < ${until}`}
      ${position === null ? sql`` : sql`and (at, id) < (${position.at}, ${position.id})`}
    order by at desc, id desc limit ${limit}`;
}
