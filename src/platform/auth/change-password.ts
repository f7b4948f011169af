import type { ChangePasswordHandler } from '../../../generated/platform/operations.js';
import { accountLocked, passwordRejected, wrongPassword } from '../../../generated/problems.js';
import { findAccount, lockUser } from '../accounts/accounts.store.js';
import { recordAudit } from '../audit/audit.store.js';
import type { PlatformDependencies } from '../dependencies.js';
import { checkPassword } from '../passwords/password-rules.js';
import { startSession, tokenPair } from '../sessions/token-pair.js';
import { findCredentials, recordLoginFailure, secondsLocked } from './credentials.store.js';
import { replacePassword } from './replace-password.js';

export const changePassword: ChangePasswordHandler<PlatformDependencies> = async (
  { body, principal, context },
  dependencies,
) => {
  const { sql, clock, passwords } = dependencies;
  const now = clock.now();
  const { user_id: userId, email, org_id: orgId } = principal;
  const seconds = await secondsLocked(sql, email, now);
  if (seconds > 0) {
    const message = `The password was wrong too often. Try again in ${seconds} seconds.`;
    return accountLocked({ message, retry_after_seconds: seconds });
  }
  const violations = await checkPassword(body.new_password);
  if (violations.length > 0) {
    return passwordRejected({ message: 'The new password breaks the rules for passwords.', violations });
  }
  const current = (await findCredentials(sql, email))?.password_hash ?? null;
  if (!(await passwords.matches(body.current_password, current))) {
    await recordLoginFailure(sql, email, now);
    return wrongPassword({ message: 'The current password is not right.' });
  }
  const passwordHash = await passwords.hash(body.new_password);

  const session = await sql.begin(async (transaction) => {
    await lockUser(transaction, userId);
    // Another change may have gone first: then the password that was confirmed is the current one no longer.
    const [unchanged] = await transaction`select 1 from users where id = ${userId} and password_hash = ${current}`;
    if (unchanged === undefined) return null;
    await replacePassword(transaction, userId, passwordHash, now);
    const record = { resourceKind: 'USER', resourceId: userId, orgId, userId } as const;
    await recordAudit(transaction, context, now, { action: 'PASSWORD_CHANGED', ...record });
    const account = await findAccount(transaction, userId, orgId);
    return account === null ? null : startSession(transaction, account, context, dependencies);
  });
  if (session === null) return wrongPassword({ message: 'The current password is not right.' });
  return {
    status: 200,
    body: { message: 'Your password is changed.', tokens: await tokenPair(session, dependencies) },
  };
};
