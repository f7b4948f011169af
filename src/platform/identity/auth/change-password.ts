import type { ChangePasswordHandler, ChangePasswordReply } from '../../../../generated/platform/operations.js';
import { passwordRejected } from '../../../../generated/problems.js';
import { findAccount } from '../accounts/accounts.store.js';
import { recordAccountEvent } from '../../tenancy/audit/audit.store.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { selectOrganizationNames } from '../../tenancy/organizations/members.store.js';
import { checkPassword, normalizePassword, samePassword } from '../passwords/password-rules.js';
import { findSessionProof } from '../mfa/second-factors.store.js';
import { mailAboutSecurity } from '../security/security-mails.js';
import { continueSsoSession } from '../sso/sso-sessions.store.js';
import { startSession, tokenPair, type SessionState } from '../sessions/token-pair.js';
import { acceptProof, provePassword } from './password-proof.js';
import { replacePassword } from './replace-password.js';

export const changePassword: ChangePasswordHandler<PlatformDependencies> = async (
  { body, principal, context },
  dependencies,
) => {
  const { sql, clock, passwords, mails } = dependencies;
  const { user_id: userId, email, org_id: orgId, session_id: sessionId } = principal;
  const names = await selectOrganizationNames(sql, userId);
  const owner = {
    ...{ email, fullName: principal.full_name },
    organizationNames: principal.org_name === null ? names : [principal.org_name, ...names],
  };
  const violations = await checkPassword(body.new_password, owner, dependencies.isLeaked);
  if (violations.length > 0) {
    return passwordRejected({ message: 'The new password does not meet the password rules.', violations });
  }
  const proof = await provePassword({ principal, context }, body.current_password, dependencies);
  if ('refusal' in proof) return proof.refusal;
  if (normalizePassword(body.new_password) === normalizePassword(body.current_password)) {
    const refusal = await sql.begin((transaction) => acceptProof(transaction, proof, clock.now()));
    if (refusal !== null) return refusal;
    return passwordRejected({ message: 'The new password is the current one.', violations: [samePassword] });
  }
  const passwordHash = await passwords.hash(body.new_password);

  const outcome = await sql.begin(async (transaction): Promise<SessionState | ChangePasswordReply> => {
    const now = clock.now();
    const refusal = await acceptProof(transaction, proof, now);
    if (refusal !== null) return refusal;
    const secondFactorAt = await findSessionProof(transaction, sessionId);
    await replacePassword(transaction, userId, passwordHash, now);
    const record = { resourceKind: 'USER', resourceId: userId, userId } as const;
    await recordAccountEvent(transaction, context, now, { action: 'PASSWORD_CHANGED', ...record });
    const holder = { id: userId, email };
    await mailAboutSecurity(transaction, holder, { kind: 'password_changed' }, { context, now }, dependencies);
    const account = await findAccount(transaction, userId, orgId, sessionId);
    if (account === null) throw new Error('the account of a locked user is missing');
    const familyId = dependencies.random.uuid();
    await continueSsoSession(transaction, sessionId, familyId, now);
    return startSession(transaction, account, { secondFactorAt, familyId }, context, dependencies);
  });
  if ('status' in outcome) return outcome;
  mails.wake();
  return {
    status: 200,
    body: { message: 'Your password has been changed.', tokens: await tokenPair(outcome, dependencies) },
  };
};
