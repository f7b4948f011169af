import type {
  GetCurrentServiceTokenHandler,
  ListServiceTokensHandler,
  RevokeServiceTokenHandler,
} from '../../../../generated/platform/operations.js';
import { serviceTokenNotFound, type ServiceTokenNotFound } from '../../../../generated/problems.js';
import type { DatabaseSql, Sql } from '../../../database/connection.js';
import { recordAudit, type AuditContext } from '../../tenancy/audit/audit.store.js';
import type { Clock } from '../../clock.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { replyWithPage } from '../../server/paging.js';
import { managerOf, type TokenManager } from './token-manager.js';
import { lockServiceToken, selectServiceTokens, serviceTokenOf, storeRevocation } from './service-tokens.store.js';

export const listServiceTokens: ListServiceTokensHandler<PlatformDependencies> = (
  { query, principal },
  { sql, clock },
) => {
  const now = clock.now();
  return replyWithPage(query, {
    select: (position, limit) => selectServiceTokens(sql, principal.org_id, position, limit, now),
    positionOf: (row) => ({ at: row.created_at, id: row.id }),
    itemOf: (row) => serviceTokenOf(row, now),
  });
};

/** Returns the token, which authentication has just read. */
export const getCurrentServiceToken: GetCurrentServiceTokenHandler<PlatformDependencies> = ({ principal }) => {
  const { service_token_id: id, ...token } = principal;
  return { status: 200, body: { id, ...token } };
};

export const revokeServiceToken: RevokeServiceTokenHandler<PlatformDependencies> = async (
  { params, principal, context },
  dependencies,
) => {
  const isKnown = await endServiceToken(
    managerOf(principal, context),
    params.service_token_id.toLowerCase(),
    dependencies,
  );
  return isKnown ? { status: 204 } : noSuchServiceToken();
};

/** Revokes a token, if it is not revoked yet. @returns false when the organization has no such token */
export async function endServiceToken(
  manager: TokenManager,
  id: string,
  { sql, clock }: { readonly sql: DatabaseSql; readonly clock: Clock },
): Promise<boolean> {
  return sql.begin(async (transaction) => {
    const token = await lockServiceToken(transaction, manager.orgId, id);
    if (token === null || token.revoked_at !== null) return token !== null;
    const { orgId, admin, context } = manager;
    await revokeLockedToken(transaction, { orgId, userId: admin?.user_id ?? null, context }, id, clock.now());
    return true;
  });
}

export interface Revocation {
  readonly orgId: string;
  /** Who revokes the token; null: the operator. */
  readonly userId: string | null;
  readonly context: AuditContext;
  /** Why, for the audit log, if nobody has asked for this token in particular. */
  readonly note?: string;
}

/** Revokes a token that the transaction has locked. */
export async function revokeLockedToken(
  sql: Sql,
  { orgId, userId, context, note }: Revocation,
  id: string,
  now: Date,
): Promise<void> {
  await storeRevocation(sql, id, now);
  const record = { action: 'SERVICE_TOKEN_REVOKED', resourceKind: 'SERVICE_TOKEN', resourceId: id } as const;
  await recordAudit(sql, context, now, { ...record, orgId, userId, ...(note !== undefined && { note }) });
}

export function noSuchServiceToken(): ServiceTokenNotFound {
  return serviceTokenNotFound({ message: 'The organization has no such service token.' });
}
