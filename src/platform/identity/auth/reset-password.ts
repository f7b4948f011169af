import type { ResetPasswordHandler } from '../../../../generated/platform/operations.js';
import { invalidResetToken, passwordRejected } from '../../../../generated/problems.js';
import { recordAccountEvent } from '../../tenancy/audit/audit.store.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { selectOrganizationNames } from '../../tenancy/organizations/members.store.js';
import { checkPassword, samePassword } from '../passwords/password-rules.js';
import { mailAboutSecurity } from '../security/security-mails.js';
import { endSecurityLinks } from '../security/security-mails.store.js';
import { hashToken } from '../tokens/token-hash.js';
import { endAccountLimits } from './account-limits.store.js';
import { findTokenOwner, useOneTimeToken } from './one-time-tokens.store.js';
import { replacePassword } from './replace-password.js';

const message = 'The reset token is invalid or expired. Request a new one.';

export const resetPassword: ResetPasswordHandler<PlatformDependencies> = async ({ body, context }, dependencies) => {
  const { sql, clock, passwords, mails } = dependencies;
  const now = clock.now();
  const hash = hashToken(body.token);
  // Check the token before hashing, so that guessed tokens do not cost CPU time.
  const owner = await findTokenOwner(sql, 'reset', hash, now);
  if (owner === null) return invalidResetToken({ message });
  const organizationNames = await selectOrganizationNames(sql, owner.id);
  const future = { email: owner.email, fullName: owner.full_name, organizationNames };
  const violations = await checkPassword(body.new_password, future, dependencies.isLeaked);
  if (violations.length > 0) {
    return passwordRejected({ message: 'The new password does not meet the password rules.', violations });
  }
  if (await passwords.matches(body.new_password, owner.password_hash)) {
    return passwordRejected({ message: 'The new password is the current one.', violations: [samePassword] });
  }
  const passwordHash = await passwords.hash(body.new_password);

  const done = await sql.begin(async (transaction) => {
    const userId = await useOneTimeToken(transaction, 'reset', hash, now);
    if (userId === null) return false;
    await replacePassword(transaction, userId, passwordHash, now);
    // Receiving the mail proves ownership of the address.
    await transaction`update users set is_verified = true where id = ${userId}`;
    await endAccountLimits(transaction, userId, context.clientIp, now);
    await recordAccountEvent(transaction, context, now, {
      action: 'PASSWORD_RESET',
      resourceKind: 'USER',
      resourceId: userId,
      userId,
    });
    await endSecurityLinks(transaction, userId, now);
    const holder = { id: userId, email: owner.email };
    await mailAboutSecurity(transaction, holder, { kind: 'password_reset' }, { context, now }, dependencies);
    return true;
  });
  if (!done) return invalidResetToken({ message });
  mails.wake();
  return {
    status: 200,
    body: { message: 'Your password has been changed. Log in with the new password.', verified: true },
  };
};
