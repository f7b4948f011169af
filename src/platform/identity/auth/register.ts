import type { RequestContext } from '@plumbline/contract/contract-types';
import type { RegisterHandler, RegisterReply } from '../../../../generated/platform/operations.js';
import { emailAlreadyRegistered, passwordRejected, registrationClosed } from '../../../../generated/problems.js';
import { storeDisownToken } from '../accounts/unverified-accounts.store.js';
import { addressOf } from '../../tenancy/audit/audit.store.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { findInvitingName } from '../../tenancy/organizations/invites.store.js';
import { enqueueMail, sealMail } from '../../messages/mail/outbox.store.js';
import { checkPassword } from '../passwords/password-rules.js';
import { hashToken, newOneTimeToken } from '../tokens/token-hash.js';
import { createAccount, settleAccount, type NewAccount } from './new-account.js';
import { storeOneTimeToken } from './one-time-tokens.store.js';
import { registerByInvite } from './register-by-invite.js';
import { refusalOfRegistration } from './registration-policy.js';
import { verificationMail } from './verification-mail.js';

export const register: RegisterHandler<PlatformDependencies> = async ({ body, context }, dependencies) => {
  const { sql, clock, passwords, settings } = dependencies;
  const { email, invite_token: inviteToken } = body;
  const refusal = refusalOfRegistration(settings.registration, { email, hasInvite: inviteToken !== undefined });
  if (refusal !== null) return registrationClosed({ message: refusal });
  const organizationName =
    inviteToken === undefined
      ? body.org_name
      : await findInvitingName(sql, { tokenHash: hashToken(inviteToken) }, email, clock.now());
  const organizationNames = organizationName == null ? [] : [organizationName];
  const owner = { email, fullName: body.full_name ?? null, organizationNames };
  const violations = await checkPassword(body.password, owner, dependencies.isLeaked);
  if (violations.length > 0) {
    return passwordRejected({ message: 'The password does not meet the password rules.', violations });
  }
  const account: NewAccount = {
    email,
    passwordHash: await passwords.hash(body.password),
    fullName: body.full_name?.trim() ?? null,
    isVerified: inviteToken !== undefined,
    registration: { at: clock.now(), from: addressOf(context) },
  };
  if (inviteToken !== undefined) {
    return registerByInvite(account, { tokenHash: hashToken(inviteToken) }, context, dependencies);
  }
  return registerByMail(account, body.org_name, context, dependencies);
};

/** Stores the account, and sends the mail that verifies its address. Creates its organization if the settings say so. */
async function registerByMail(
  account: NewAccount,
  organizationName: string | null | undefined,
  context: RequestContext,
  dependencies: PlatformDependencies,
): Promise<RegisterReply> {
  const { sql, random, secrets, settings, mails } = dependencies;
  const now = account.registration.at;
  const [verification, disown] = [newOneTimeToken(random), newOneTimeToken(random)];
  const links = { verification: verification.token, disown: disown.token };
  const mail = sealMail(verificationMail(dependencies.appBaseUrl(), links, account.registration), secrets, random);
  const created = await sql.begin(async (transaction) => {
    const userId = await createAccount(transaction, account, context);
    if (userId === null) return null;
    await storeOneTimeToken(transaction, { kind: 'verification', hash: verification.hash, userId }, now);
    await storeDisownToken(transaction, userId, disown.hash, now);
    await enqueueMail(transaction, mail, account.email, now);
    const organization = { createsOrganization: settings.autoCreateOrgOnRegister, organizationName };
    const orgId = await settleAccount(transaction, { userId, ...organization }, context, now);
    return { userId, orgId };
  });
  if (created === null) return emailAlreadyRegistered();
  mails.wake();
  return {
    status: 201,
    body: {
      message: 'Your account has been created. Check your inbox to verify your e-mail address.',
      user_id: created.userId,
      org_id: created.orgId,
    },
  };
}
