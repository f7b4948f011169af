import type { AccountLocked, WrongPassword } from '../../../../generated/problems.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { locked, wrong } from './change-password.js';
import { clearLoginFailures, findCredentials, recordLoginFailure, secondsLocked } from './credentials.store.js';

/**
 * Checks the password of a logged-in user, as a fresh proof. A wrong one counts as a failed login.
 *
 * @param email normalized
 * @returns the refusal; null: it is right
 */
export async function provePassword(
  email: string,
  password: string,
  { sql, clock, passwords }: Pick<PlatformDependencies, 'sql' | 'clock' | 'passwords'>,
): Promise<WrongPassword | AccountLocked | null> {
  const seconds = await secondsLocked(sql, email, clock.now());
  if (seconds > 0) return locked(seconds);
  const credentials = await findCredentials(sql, email);
  const isRight = await passwords.matches(password, credentials?.password_hash ?? null);
  const remaining = isRight
    ? await clearLoginFailures(sql, email, clock.now())
    : await recordLoginFailure(sql, email, clock.now());
  if (remaining > 0) return locked(remaining);
  return isRight ? null : wrong();
}
