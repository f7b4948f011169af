import type {
  ListSessionsHandler,
  RevokeAllSessionsHandler,
  RevokeSessionHandler,
} from '../../../../generated/platform/operations.js';
import { sessionNotFound } from '../../../../generated/problems.js';
import { recordAudit } from '../../tenancy/audit/audit.store.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { lockUser } from '../accounts/accounts.store.js';
import { replyWithPage } from '../../server/paging.js';
import { listActiveSessions, revokeFamily, revokeTokensOfUser } from './refresh-tokens.store.js';

export const listSessions: ListSessionsHandler<PlatformDependencies> = ({ query, principal }, { sql, clock }) =>
  replyWithPage(query, {
    select: (position, limit) => listActiveSessions(sql, principal.user_id, clock.now(), position, limit),
    positionOf: (row) => ({ at: row.family_created_at, id: row.family_id }),
    itemOf: (row) => ({
      id: row.family_id,
      org_id: row.org_id,
      created_at: row.family_created_at.toISOString(),
      last_used_at: row.created_at.toISOString(),
      expires_at: row.expires_at.toISOString(),
      ip: row.ip,
      user_agent: row.user_agent,
    }),
  });

export const revokeSession: RevokeSessionHandler<PlatformDependencies> = async (
  { params, principal, context },
  { sql, clock },
) => {
  const now = clock.now();
  const { user_id: userId, org_id: orgId } = principal;
  const familyId = params.session_id;
  const revoked = await sql.begin(async (transaction) => {
    await lockUser(transaction, userId);
    if (!(await revokeFamily(transaction, { familyId, userId }, 'session_ended', now))) return false;
    const record = { action: 'SESSION_REVOKED', resourceKind: 'SESSION', resourceId: familyId, orgId, userId } as const;
    await recordAudit(transaction, context, now, record);
    return true;
  });
  if (!revoked) return sessionNotFound({ message: 'You have no such session. It may have already ended.' });
  return { status: 204 };
};

export const revokeAllSessions: RevokeAllSessionsHandler<PlatformDependencies> = async (
  { principal, context },
  { sql, clock },
) => {
  const now = clock.now();
  const { user_id: userId, org_id: orgId } = principal;
  await sql.begin(async (transaction) => {
    await lockUser(transaction, userId);
    await revokeTokensOfUser(transaction, { userId }, 'session_ended', now);
    const record = { action: 'SESSION_REVOKED', resourceKind: 'SESSION', orgId, userId, note: 'all sessions' } as const;
    await recordAudit(transaction, context, now, record);
  });
  return { status: 204 };
};
