import { lastOwner, type LastOwner, type RecoveryOwner } from '../../../../generated/problems.js';
import type { Sql } from '../../../database/connection.js';
import { refusalOfRecoveryOwner } from '../../identity/sso/recovery-owner.js';
import { isLastOwner, type MemberRow } from './members.store.js';

/**
 * Refuses to end the membership of an owner whom the organization needs, or to change the role: its last one, and the
 * recovery owner while SSO is required. Call it under the organization's lock.
 */
export async function refusalOfNeededOwner(
  sql: Sql,
  orgId: string,
  member: MemberRow,
): Promise<LastOwner | RecoveryOwner | null> {
  if (await isLastOwner(sql, orgId, member)) {
    return lastOwner({ message: 'This is the last owner. Make another member an owner first.' });
  }
  return refusalOfRecoveryOwner(sql, orgId, member.user_id);
}
