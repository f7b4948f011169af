import type { ForgotPasswordHandler } from '../../../generated/platform/operations.js';
import { normalizeEmail } from '../accounts/accounts.store.js';
import type { PlatformDependencies } from '../dependencies.js';
import { mailLink } from '../mail/links.js';
import { sealMail } from '../mail/outbox.store.js';
import { newOneTimeToken } from '../tokens/token-hash.js';
import { offerOneTimeToken } from './one-time-tokens.store.js';

export const forgotPassword: ForgotPasswordHandler<PlatformDependencies> = async (
  { body, context },
  { sql, clock, random, secrets, settings, mails },
) => {
  const { token, hash } = newOneTimeToken(random);
  const mail = sealMail(
    { kind: 'reset', link: mailLink(settings.appBaseUrl, 'reset-password', token) },
    secrets,
    random,
  );
  const email = normalizeEmail(body.email);
  const offer = { kind: 'reset', email, hash, mail, audit: 'PASSWORD_RESET_REQUESTED' } as const;
  await offerOneTimeToken(sql, offer, context, clock.now());
  mails.wake();
  const message = 'If an account with this address exists, a link to reset its password is on its way.';
  return { status: 200, body: { message, verified: null } };
};
