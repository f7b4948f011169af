import type { RequestContext } from '../../../generated/contract.js';
import type { PlatformDependencies } from '../dependencies.js';
import { mailLink } from '../mail/links.js';
import { sealMail } from '../mail/outbox.store.js';
import { newOneTimeToken } from '../tokens/token-hash.js';
import { offerOneTimeToken, type OneTimeTokenKind } from './one-time-tokens.store.js';

const pages = { verification: 'verify', reset: 'reset-password' } as const;
const records = { verification: 'VERIFICATION_REQUESTED', reset: 'PASSWORD_RESET_REQUESTED' } as const;

/**
 * Mails a new token to whoever asks for one and has an account that it is for. Whether there is such an account shows
 * neither in the outcome nor in the work that is done.
 *
 * @param email normalized
 */
export async function mailOneTimeToken(
  kind: OneTimeTokenKind,
  email: string,
  context: RequestContext,
  { sql, clock, random, secrets, settings, mails }: PlatformDependencies,
): Promise<void> {
  const { token, hash } = newOneTimeToken(random);
  const link = mailLink(settings.appBaseUrl, pages[kind], token);
  const mail = sealMail({ kind, link }, secrets, random);
  const offer = { kind, email, hash, mail, audit: records[kind] };
  await offerOneTimeToken(sql, offer, context, clock.now());
  mails.wake();
}
