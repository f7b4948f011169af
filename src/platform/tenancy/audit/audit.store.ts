import type { RequestContext } from '@plumbline/contract/contract-types';
import type { PendingQuery, Row } from 'postgres';
import type { Sql } from '../../../database/connection.js';

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
  | 'ACCOUNT_SECURED'
  | 'IDENTITY_LINKED'
  | 'IDENTITY_UNLINKED'
  | 'MFA_CHANGED'
  | 'MFA_RESET'
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
  | 'RECORDS_PUSHED'
  | 'TEAMS_ASSIGNED'
  | 'SERVICE_TOKEN_ROTATED'
  | 'SERVICE_TOKEN_REVOKED'
  | 'WEBHOOK_DEACTIVATED'
  | 'WEBHOOK_RESENT'
  | 'WEBHOOK_SECRET_ROTATED'
  | 'WEBHOOK_TESTED';

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
  | 'RECORD'
  | 'TEAM'
  | 'RULES'
  | 'AUTHORS'
  | 'CALENDAR'
  | 'CORRECTION'
  | 'VIEW'
  | 'SERVICE_TOKEN'
  | 'WEBHOOK'
  | 'THRESHOLD'
  | 'SSO'
  | 'SCIM_USER'
  | 'SCIM_GROUP';

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

/** The server acts by itself, not for a request. */
export const noContext: AuditContext = { clientIp: 'unknown', userAgent: null, requestId: null };

/** Appends to the audit log in the transaction of the change, so that both are stored or neither. */
export async function recordAudit(sql: Sql, context: AuditContext, at: Date, record: AuditRecord): Promise<void> {
  await sql`
    with record as (insert into audit_log
      (at, action, resource_kind, resource_id, org_id, user_id, service_token_id, status, note, ip, user_agent,
        request_id)
    values (
      ${at}, ${record.action}, ${record.resourceKind}, ${record.resourceId ?? null}, ${record.orgId}, ${record.userId},
      ${record.serviceTokenId ?? null}, ${record.status ?? 'success'}, ${record.note ?? null}, ${addressOf(context)}, ${context.userAgent}, ${context.requestId}
    ) returning *)
    ${deliveriesOfRecords(sql, at)}`;
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
    with record as (insert into audit_log (at, action, resource_kind, resource_id, org_id, user_id, status, note, ip, user_agent, request_id)
    select ${at}::timestamptz, ${record.action}, ${record.resourceKind}, ${record.resourceId ?? null}, m.org_id,
      ${record.userId}::uuid, ${record.status ?? 'success'}, ${record.note ?? null}, ${addressOf(context)}::inet,
      ${context.userAgent}, ${context.requestId}
    from (select) as event left join memberships m on m.user_id = ${record.memberId ?? record.userId} returning *)
    ${deliveriesOfRecords(sql, at)}`;
}

/**
 * Adds the records of the table expression `record` to the outbox of each webhook that asks for them. Records are subjects
 * by themselves, so that one that is not accepted does not delay others.
 */
export function deliveriesOfRecords(sql: Sql, now: Date): PendingQuery<Row[]> {
  return sql`
    insert into webhook_deliveries (webhook_id, event_id, event, subject, data, created_at, available_at)
    select w.id, record.id, 'audit.recorded', 'audit record ' || record.id, json_build_object(
        'id', record.id, 'at', to_char(record.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
        'action', action, 'resource_kind', resource_kind, 'resource_id', resource_id, 'org_id', record.org_id,
        'user_id', user_id, 'service_token_id', service_token_id, 'status', status, 'note', note, 'ip', host(ip),
        'user_agent', user_agent, 'request_id', request_id
      )::text, ${now}, ${now}
    from record join webhooks w on w.org_id = record.org_id
    where w.is_active and 'audit.recorded' = any(w.events)
    for key share of w`;
}

/** The caller's address for a column of type inet; null for connections without one, such as a unix socket. */
export function addressOf({ clientIp }: Pick<AuditContext, 'clientIp'>): string | null {
  return clientIp === 'unknown' ? null : (clientIp.split('%')[0] ?? null);
}
