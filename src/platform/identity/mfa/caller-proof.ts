import type { AccountLocked, RecentLoginRequired, WrongPassword } from '../../../../generated/problems.js';
import type { Sql } from '../../../database/connection.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { lockUser } from '../accounts/accounts.store.js';
import { acceptProof, provePassword, type ProvingRequest } from '../auth/password-proof.js';
import { refusalOfOldSession, type ProofPurpose } from './fresh-proof.js';

type Refusal = AccountLocked | RecentLoginRequired | WrongPassword;

export interface CallerProof {
  /** Locks the user until the transaction ends, and checks that the proof still counts. @returns null: it does */
  accept(sql: Sql, now: Date): Promise<Refusal | null>;
}

/**
 * Checks the proof of somebody who takes, moves or deletes something for good: the password, if it is sent, otherwise a
 * fresh proof of the session. The second factor of the account, if it has one, must be fresh in both cases.
 */
export async function proveCaller(
  { principal, context }: ProvingRequest & { readonly principal: { readonly session_id: string } },
  password: string | undefined,
  purpose: ProofPurpose,
  dependencies: Pick<PlatformDependencies, 'sql' | 'clock' | 'passwords'>,
): Promise<CallerProof | { readonly refusal: Refusal }> {
  const { sql, clock } = dependencies;
  const refusal = await refusalOfOldSession(sql, principal, clock.now(), purpose, password !== undefined);
  if (refusal !== null) return { refusal };
  const proof = password === undefined ? null : await provePassword({ principal, context }, password, dependencies);
  if (proof !== null && 'refusal' in proof) return proof;
  return {
    accept: async (transaction, now) => {
      if (proof === null) {
        await lockUser(transaction, principal.user_id);
      } else {
        const refused = await acceptProof(transaction, proof, now);
        if (refused !== null) return refused;
      }
      // Again: the session may have ended since, or a second factor may have been set up.
      return refusalOfOldSession(transaction, principal, now, purpose, proof !== null);
    },
  };
}
