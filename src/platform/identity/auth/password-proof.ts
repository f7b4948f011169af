import type { RequestContext } from '@plumbline/contract/contract-types';
import {
  accountLocked,
  wrongPassword,
  type AccountLocked,
  type WrongPassword,
} from '../../../../generated/problems.js';
import type { Sql } from '../../../database/connection.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { lockUser } from '../accounts/accounts.store.js';
import {
  clearLoginFailures,
  findCredentials,
  findLock,
  recordLoginFailure,
  type FailureCounter,
} from './credentials.store.js';

/** The password of an account, found right when it was compared. */
export interface PasswordProof {
  readonly userId: string;
  readonly email: string;
  /** Where failed logins of this attempt are counted. */
  readonly counter: FailureCounter;
  readonly tokenVersion: number;
}

/** A request of a logged-in user. */
export interface ProvingRequest {
  readonly principal: { readonly user_id: string; readonly email: string };
  readonly context: Pick<RequestContext, 'clientIp'>;
}

/**
 * Compares a password with that of the caller. A wrong one counts towards the lock of the address, as a failed login
 * does. A right one decides nothing yet: see `acceptProof`.
 */
export async function provePassword(
  { principal, context }: ProvingRequest,
  password: string,
  { sql, clock, passwords }: Pick<PlatformDependencies, 'sql' | 'clock' | 'passwords'>,
): Promise<PasswordProof | { readonly refusal: AccountLocked | WrongPassword }> {
  const { user_id: userId, email } = principal;
  const { counter, seconds } = await findLock(sql, email, context.clientIp, clock.now());
  if (seconds > 0) return { refusal: locked(seconds) };
  const credentials = await findCredentials(sql, email);
  const isRight = await passwords.matches(password, credentials?.password_hash ?? null);
  if (isRight && credentials !== null) return { userId, email, counter, tokenVersion: credentials.token_version };
  const remaining = await recordLoginFailure(sql, counter, clock.now());
  return { refusal: remaining > 0 ? locked(remaining) : wrong() };
}

/**
 * Locks the user until the transaction ends, and checks that the proof still counts: the address was not locked
 * meanwhile, which must not reveal whether the password was right, and neither password, address nor state of the
 * account has changed.
 *
 * @returns the refusal; null: the proof counts
 */
export async function acceptProof(
  sql: Sql,
  { userId, email, counter, tokenVersion }: PasswordProof,
  now: Date,
): Promise<AccountLocked | WrongPassword | null> {
  await lockUser(sql, userId);
  const remaining = await clearLoginFailures(sql, counter, now);
  if (remaining > 0) return locked(remaining);
  const unchanged = await sql`
    select 1 from users where id = ${userId} and email = ${email} and is_active and token_version = ${tokenVersion}`;
  return unchanged.length > 0 ? null : wrong();
}

function wrong(): WrongPassword {
  return wrongPassword({ message: 'The current password is wrong.' });
}

function locked(seconds: number): AccountLocked {
  const message = `Too many wrong passwords. Try again in ${seconds} seconds.`;
  return accountLocked({ message, retry_after_seconds: seconds });
}
