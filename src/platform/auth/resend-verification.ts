import type { ResendVerificationHandler } from '../../../generated/platform/operations.js';
import { normalizeEmail } from '../accounts/accounts.store.js';
import type { PlatformDependencies } from '../dependencies.js';
import { mailLink } from '../mail/links.js';
import { sealMail } from '../mail/outbox.store.js';
import { newOneTimeToken } from '../tokens/token-hash.js';
import { offerOneTimeToken } from './one-time-tokens.store.js';

export const resendVerification: ResendVerificationHandler<PlatformDependencies> = async (
  { body, context },
  { sql, clock, random, secrets, settings, mails },
) => {
  const { token, hash } = newOneTimeToken(random);
  const link = mailLink(settings.appBaseUrl, 'verify', token);
  const mail = sealMail({ kind: 'verification', link }, secrets, random);
  const email = normalizeEmail(body.email);
  const offer = { kind: 'verification', email, hash, mail, audit: 'VERIFICATION_REQUESTED' } as const;
  await offerOneTimeToken(sql, offer, context, clock.now());
  mails.wake();
  const message = 'If an account with this address waits for verification, a new link is on its way.';
  return { status: 200, body: { message, verified: null } };
};
