import type { Sql } from '../../../database/connection.js';
import { recordAccountEvent, type AuditContext } from '../../tenancy/audit/audit.store.js';
import { revokeTokensOfUser } from '../sessions/refresh-tokens.store.js';
import { deleteSecondFactor } from './second-factors.store.js';

export interface ResetOptions {
  /** Who does it; null: the operator, on the command line. */
  readonly operatorId: string | null;
  readonly context: AuditContext;
  readonly now: Date;
}

/**
 * Removes the second factor of an account for its holder, who has lost it. Ends the sessions of the account, which somebody
 * else may have. The lock of the user is held.
 */
export async function resetMfa(sql: Sql, memberId: string, { operatorId, context, now }: ResetOptions): Promise<void> {
  await deleteSecondFactor(sql, memberId);
  await revokeTokensOfUser(sql, { userId: memberId }, 'session_ended', now);
  const record = { action: 'MFA_RESET', resourceKind: 'USER', resourceId: memberId } as const;
  await recordAccountEvent(sql, context, now, { ...record, userId: operatorId, memberId });
}
