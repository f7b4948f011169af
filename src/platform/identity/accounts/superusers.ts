import { superuserRequired, type SuperuserRequired } from '../../../../generated/problems.js';
import type { Sql } from '../../../database/connection.js';
import { findAccount, lockUsers } from './accounts.store.js';

/**
 * Locks a superuser and the account that the superuser changes until the transaction ends.
 *
 * @returns whether the caller has that right still. It is read under the lock: a concurrent request may have taken it, or
 * disabled the caller
 */
export async function lockBySuperuser(sql: Sql, callerId: string, userId: string): Promise<boolean> {
  await lockUsers(sql, [callerId, userId]);
  const caller = await findAccount(sql, callerId, null);
  return caller?.is_superuser === true && caller.is_active;
}

/** The refusal of callers who are not superusers. */
export function ordinaryUser(): SuperuserRequired {
  return superuserRequired({ message: 'Only superusers read and change the accounts of the installation.' });
}
