import type { RequestContext } from '@plumbline/contract/contract-types';
import type {
  VerifyEmailChangeHandler,
  VerifyEmailChangeReply,
  CancelEmailChangeHandler,
  ChangeEmailHandler,
} from '../../../../generated/platform/operations.js';
import { emailAlreadyRegistered, invalidEmailChangeToken } from '../../../../generated/problems.js';
import type { Sql } from '../../../database/connection.js';
import { isUniqueViolation } from '../../../database/failures.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { mailLink } from '../../messages/mail/links.js';
import { enqueueMail, sealMail } from '../../messages/mail/outbox.store.js';
import { addressOf, recordAccountEvent } from '../../tenancy/audit/audit.store.js';
import { hashToken, newOneTimeToken } from '../tokens/token-hash.js';
import { endAccountLimits } from './account-limits.store.js';
import {
  endEmailChange,
  isAddressTaken,
  storeEmailChange,
  storeNewEmail,
  useEmailChangeToken,
} from './email-changes.store.js';
import { freeAddress } from './new-account.js';
import type { EmailChangeTokenKind } from './one-time-token-kind.js';
import { noteNewAddress } from '../scim/departures.store.js';
import { proveCaller } from '../mfa/caller-proof.js';
import { mailAboutSecurity } from '../security/security-mails.js';
import { endSecurityLinks } from '../security/security-mails.store.js';
import { endOneTimeTokens } from './one-time-tokens.store.js';

/**
 * Sends a link to the current and one to the new address. If an account has the new one, it gets another mail instead;
 * all else is the same, so that the caller does not learn it.
 */
export const changeEmail: ChangeEmailHandler<PlatformDependencies> = async (
  { body, principal, context },
  dependencies,
) => {
  const { sql, clock, mails } = dependencies;
  const { user_id: userId } = principal;
  const proof = await proveCaller({ principal, context }, body.current_password, 'account', dependencies);
  if ('refusal' in proof) return proof.refusal;
  const refusal = await sql.begin(async (transaction) => {
    const now = clock.now();
    const refused = await proof.accept(transaction, now);
    if (refused !== null) return refused;
    await offerEmailChange(transaction, userId, body.new_email, context, dependencies);
    await recordChange(transaction, context, now, { action: 'EMAIL_CHANGE_REQUESTED', userId });
    return null;
  });
  if (refusal !== null) return refusal;
  mails.wake();
  return { status: 202, body: { message: 'Follow the links in the mails to both addresses within 24 hours.' } };
};

async function offerEmailChange(
  sql: Sql,
  userId: string,
  newEmail: string,
  context: RequestContext,
  { clock, random, secrets, appBaseUrl }: PlatformDependencies,
): Promise<void> {
  const now = clock.now();
  const [byOld, byNew] = [newOneTimeToken(random), newOneTimeToken(random)];
  const hashes = { email_change_by_old: byOld.hash, email_change_by_new: byNew.hash };
  const email = await storeEmailChange(sql, userId, newEmail, hashes, now);
  const toOld = sealMail(
    {
      kind: 'email_change_by_old',
      link: mailLink(appBaseUrl(), 'confirm-email', byOld.token),
      newEmail,
      requestedAt: now.toISOString(),
      requestedFrom: addressOf(context),
    },
    secrets,
    random,
  );
  const toNew = (await isAddressTaken(sql, newEmail, now))
    ? ({ kind: 'email_change_taken', link: appBaseUrl() } as const)
    : ({ kind: 'email_change_by_new', link: mailLink(appBaseUrl(), 'confirm-email', byNew.token) } as const);
  await enqueueMail(sql, toOld, email, now);
  await enqueueMail(sql, sealMail(toNew, secrets, random), newEmail, now);
}

/**
 * Confirms a change for one address. The second confirmation changes the address, ends the links to the old one, and
 * sends it a mail with which its holder can take the account back.
 */
export const verifyEmailChange: VerifyEmailChangeHandler<PlatformDependencies> = async (
  { body, context },
  dependencies,
) => {
  const { sql, clock, mails } = dependencies;
  const now = clock.now();
  try {
    const reply = await sql.begin(async (transaction): Promise<VerifyEmailChangeReply> => {
      const confirmation = await useEmailChangeToken(transaction, hashToken(body.token), now);
      if (confirmation === null) return invalidToken();
      const { userId, kind, newEmail, isComplete } = confirmation;
      const record = { action: 'EMAIL_CHANGE_CONFIRMED', userId, note: addressWords[kind] } as const;
      await recordChange(transaction, context, now, record);
      if (!isComplete) {
        const message = 'The address is confirmed. The change is done when the other address has been confirmed too.';
        return { status: 200, body: { message, is_changed: false } };
      }
      await endOneTimeTokens(transaction, userId);
      await endSecurityLinks(transaction, userId, now);
      await freeAddress(transaction, newEmail, context, now);
      const email = await storeNewEmail(transaction, userId, newEmail, now);
      await noteNewAddress(transaction, userId, email, newEmail);
      await endAccountLimits(transaction, userId, context.clientIp, now);
      await recordChange(transaction, context, now, { action: 'EMAIL_CHANGED', userId });
      const event = { kind: 'email_changed', newEmail } as const;
      await mailAboutSecurity(transaction, { id: userId, email }, event, { context, now }, dependencies);
      const message = 'Your e-mail address has been changed. Log in with the new one.';
      return { status: 200, body: { message, is_changed: true } };
    });
    mails.wake();
    return reply;
  } catch (error) {
    // The transaction is undone, so the tokens are good for another attempt.
    if (isUniqueViolation(error, 'users_email_key')) return emailAlreadyRegistered();
    throw error;
  }
};

export const cancelEmailChange: CancelEmailChangeHandler<PlatformDependencies> = async (
  { body, context },
  { sql, clock },
) => {
  const now = clock.now();
  const isRefused = await sql.begin(async (transaction) => {
    const ended = await endEmailChange(transaction, hashToken(body.token), now);
    if (ended === null) return false;
    const record = { action: 'EMAIL_CHANGE_REFUSED', userId: ended.userId, note: addressWords[ended.kind] } as const;
    await recordChange(transaction, context, now, record);
    return true;
  });
  if (!isRefused) return invalidToken();
  return { status: 200, body: { message: 'The change is refused. The account keeps its address.' } };
};

/** Records name which address acted, and contain no address. */
const addressWords: Readonly<Record<EmailChangeTokenKind, string>> = {
  email_change_by_old: 'by the current address',
  email_change_by_new: 'by the new address',
};

async function recordChange(
  sql: Sql,
  context: RequestContext,
  now: Date,
  record: Pick<Parameters<typeof recordAccountEvent>[3], 'action' | 'note'> & { readonly userId: string },
): Promise<void> {
  await recordAccountEvent(sql, context, now, { resourceKind: 'USER', resourceId: record.userId, ...record });
}

function invalidToken(): ReturnType<typeof invalidEmailChangeToken> {
  return invalidEmailChangeToken({ message: 'The link is invalid or expired, or the change was refused.' });
}
