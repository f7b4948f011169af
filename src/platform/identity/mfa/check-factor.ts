import { accountLocked, wrongCode, type AccountLocked, type WrongCode } from '../../../../generated/problems.js';
import type { Schemas } from '../../../../generated/platform/operations.js';
import type { Sql } from '../../../database/connection.js';
import type { PlatformDependencies } from '../../dependencies.js';
import {
  clearLoginFailures,
  recordLoginFailure,
  secondFactorCounter,
  secondsLocked,
} from '../auth/credentials.store.js';
import { proveByPasskey } from './prove-by-passkey.js';
import { useRecoveryCode } from './recovery-codes.js';
import { totpStep } from './totp.js';
import { findTotp, openTotp, useStep } from './totp.store.js';

/** What a caller sends as the second factor. */
export type Factor =
  { readonly code: string } | { readonly recovery_code: string } | { readonly passkey: Schemas['PasskeyProof'] };

/**
 * Checks the second factor of an account, and uses it up. Wrong ones count for the account, whichever log-in they belong
 * to: five in 15 minutes lock it for 15 minutes. Only a right one ends the count: somebody who has the mailbox and
 * the password must not get more guesses by them. The lock of the user is held, so guesses are checked one after the other.
 * Codes for a secret that cannot be read do not count as guesses, and must not lock the recovery codes that are then needed.
 *
 * @returns the refusal, which the caller must commit; null: it is right
 */
export async function refusalOfFactor(
  sql: Sql,
  userId: string,
  factor: Factor,
  dependencies: Pick<PlatformDependencies, 'clock' | 'secrets' | 'appBaseUrl' | 'log'>,
): Promise<AccountLocked | WrongCode | null> {
  if ('passkey' in factor) {
    // Nobody can guess one, so it does not count, and works while codes are locked.
    const prover = await proveByPasskey(sql, factor.passkey, dependencies, userId);
    return prover === null
      ? wrongCode({ message: 'The passkey is not one of the account, or its answer is invalid.' })
      : null;
  }
  const now = dependencies.clock.now();
  const counter = secondFactorCounter(userId);
  const remaining = await secondsLocked(sql, counter, now);
  if (remaining > 0) return locked(remaining);
  const verdict = await judge(sql, userId, factor, dependencies);
  if (verdict === 'right') {
    await clearLoginFailures(sql, counter, now);
    return null;
  }
  if (verdict === 'wrong') await recordLoginFailure(sql, counter, now);
  return wrongFactor();
}

async function judge(
  sql: Sql,
  userId: string,
  factor: Exclude<Factor, { readonly passkey: unknown }>,
  dependencies: Parameters<typeof checkCode>[3],
): Promise<Verdict> {
  if ('code' in factor) return checkCode(sql, userId, factor.code, dependencies, true);
  return (await useRecoveryCode(sql, userId, factor.recovery_code)) ? 'right' : 'wrong';
}

/** `unreadable`: the secret that decides cannot be opened. */
type Verdict = 'right' | 'wrong' | 'unreadable';

/** Checks a code of the authenticator app, which counts once. @param isEnabled whether the app counts, or is being set up */
export async function checkCode(
  sql: Sql,
  userId: string,
  code: string,
  { clock, ...parts }: Pick<PlatformDependencies, 'clock' | 'secrets' | 'log'>,
  isEnabled: boolean,
): Promise<Verdict> {
  const totp = await findTotp(sql, userId);
  if (totp === null || (totp.enabled_at !== null) !== isEnabled) return 'wrong';
  const secret = openTotp(totp, userId, parts);
  if (secret === null) return 'unreadable';
  const step = totpStep(secret, code, clock.now());
  return step !== null && (await useStep(sql, userId, step)) ? 'right' : 'wrong';
}

export function wrongFactor(): WrongCode {
  return wrongCode({ message: 'The code is wrong, or was used already.' });
}

function locked(seconds: number): AccountLocked {
  const message = `Too many wrong codes. Log in again in ${seconds} seconds.`;
  return accountLocked({ message, retry_after_seconds: seconds });
}
