import type { RequestContext } from '../../../generated/contract.js';
import type { PlatformDependencies } from '../dependencies.js';
import { mailLink } from '../mail/links.js';
import { sealMail } from '../mail/outbox.store.js';
import { newOneTimeToken } from '../tokens/token-hash.js';
import { findRegistration, offerOneTimeToken } from './one-time-tokens.store.js';
import { verificationMail } from './verification-mail.js';

/**
 * Mails a new verification link to the address, if it has an account that needs one. Whether it has shows neither in the
 * outcome nor in the number of statements.
 *
 * @param email normalized
 */
export async function mailVerification(
  email: string,
  context: RequestContext,
  { sql, clock, random, secrets, settings, mails }: PlatformDependencies,
): Promise<void> {
  const now = clock.now();
  const [verification, disown] = [newOneTimeToken(random), newOneTimeToken(random)];
  const registration = (await findRegistration(sql, email)) ?? { at: now, from: null };
  const links = { verification: verification.token, disown: disown.token };
  const mail = sealMail(verificationMail(settings.appBaseUrl, links, registration), secrets, random);
  const tokens = { hash: verification.hash, disownHash: disown.hash };
  const offer = { kind: 'verification', email, ...tokens, mail, audit: 'VERIFICATION_REQUESTED' } as const;
  await offerOneTimeToken(sql, offer, context, now);
  mails.wake();
}

/** Mails a reset link in the same way. @param email normalized */
export async function mailReset(
  email: string,
  context: RequestContext,
  { sql, clock, random, secrets, settings, mails }: PlatformDependencies,
): Promise<void> {
  const { token, hash } = newOneTimeToken(random);
  const mail = sealMail(
    { kind: 'reset', link: mailLink(settings.appBaseUrl, 'reset-password', token) },
    secrets,
    random,
  );
  const offer = { kind: 'reset', email, hash, disownHash: null, mail, audit: 'PASSWORD_RESET_REQUESTED' } as const;
  await offerOneTimeToken(sql, offer, context, clock.now());
  mails.wake();
}
