import type { Schemas } from '../../../../generated/platform/operations.js';
import { superuserRequired, type SuperuserRequired } from '../../../../generated/problems.js';
import type { Sql } from '../../../database/connection.js';
import { findAccount, lockUsers } from './accounts.store.js';

/**
 * Locks a superuser and the account that the superuser changes until the transaction ends.
 *
 * @returns whether the caller has that right still. It is read under the lock: a concurrent request may have taken it, or
 * disabled the caller
 */
export async function lockBySuperuser(
  sql: Sql,
  { user_id: callerId, session_id: sessionId }: Pick<Schemas['AccountPrincipal'], 'user_id' | 'session_id'>,
  userId: string,
): Promise<boolean> {
  await lockUsers(sql, [callerId, userId]);
  const caller = await findAccount(sql, callerId, null, sessionId);
  return caller?.is_superuser === true && caller.is_active;
}

/** The refusal of callers who are not superusers. */
export function ordinaryUser(): SuperuserRequired {
  return superuserRequired({ message: 'Only superusers read and change the accounts of the installation.' });
}
