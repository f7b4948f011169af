import type { ChangePasswordHandler } from '../../../../generated/platform/operations.js';
import { accountLocked, passwordRejected, wrongPassword } from '../../../../generated/problems.js';
import { findAccount, lockUser } from '../accounts/accounts.store.js';
import { recordAccountEvent } from '../../tenancy/audit/audit.store.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { checkPassword, samePassword } from '../passwords/password-rules.js';
import { mailAboutSecurity } from '../security/security-mails.js';
import { startSession, tokenPair, type SessionState } from '../sessions/token-pair.js';
import { clearLoginFailures, findCredentials, recordLoginFailure, secondsLocked } from './credentials.store.js';
import { replacePassword } from './replace-password.js';

export const changePassword: ChangePasswordHandler<PlatformDependencies> = async (
  { body, principal, context },
  dependencies,
) => {
  const { sql, clock, passwords, mails } = dependencies;
  const { user_id: userId, email, org_id: orgId } = principal;
  const seconds = await secondsLocked(sql, email, clock.now());
  if (seconds > 0) return locked(seconds);
  const violations = await checkPassword(body.new_password, {
    email,
    fullName: principal.full_name,
    organizationName: principal.org_name,
  });
  if (violations.length > 0) {
    return passwordRejected({ message: 'The new password does not meet the password rules.', violations });
  }
  const credentials = await findCredentials(sql, email);
  const isRight = await passwords.matches(body.current_password, credentials?.password_hash ?? null);
  if (!isRight || credentials === null) {
    const remaining = await recordLoginFailure(sql, email, clock.now());
    return remaining > 0 ? locked(remaining) : wrong();
  }
  if (body.new_password === body.current_password) {
    // If the account was locked in the meantime, do not reveal that the password was right.
    const remaining = await clearLoginFailures(sql, email, clock.now());
    if (remaining > 0) return locked(remaining);
    return passwordRejected({ message: 'The new password is the current one.', violations: [samePassword] });
  }
  const passwordHash = await passwords.hash(body.new_password);

  const outcome = await sql.begin(async (transaction): Promise<SessionState | number | null> => {
    const now = clock.now();
    await lockUser(transaction, userId);
    const remaining = await clearLoginFailures(transaction, email, now);
    if (remaining > 0) return remaining;
    // A concurrent change may have replaced the password that was confirmed.
    const [unchanged] = await transaction`
      select 1 from users where id = ${userId} and is_active and token_version = ${credentials.token_version}`;
    if (unchanged === undefined) return null;
    await replacePassword(transaction, userId, passwordHash, now);
    const record = { resourceKind: 'USER', resourceId: userId, userId } as const;
    await recordAccountEvent(transaction, context, now, { action: 'PASSWORD_CHANGED', ...record });
    const holder = { id: userId, email };
    await mailAboutSecurity(transaction, holder, { kind: 'password_changed' }, { context, now }, dependencies);
    const account = await findAccount(transaction, userId, orgId);
    return account === null ? null : startSession(transaction, account, context, dependencies);
  });
  if (outcome === null) return wrong();
  if (typeof outcome === 'number') return locked(outcome);
  mails.wake();
  return {
    status: 200,
    body: { message: 'Your password has been changed.', tokens: await tokenPair(outcome, dependencies) },
  };
};

function wrong(): ReturnType<typeof wrongPassword> {
  return wrongPassword({ message: 'The current password is wrong.' });
}

function locked(seconds: number): ReturnType<typeof accountLocked> {
  const message = `Too many wrong passwords. Try again in ${seconds} seconds.`;
  return accountLocked({ message, retry_after_seconds: seconds });
}
