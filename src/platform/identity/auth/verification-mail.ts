import { mailLink } from '../../messages/mail/links.js';
import type { Mail } from '../../messages/mail/mail.js';
import { after } from '../../clock.js';
import { unverifiedAccountSeconds } from '../tokens/lifetimes.js';

/** When and from where an account was created. */
export interface Registration {
  readonly at: Date;
  /** IP address; null when unknown. */
  readonly from: string | null;
}

/**
 * The mail that asks the holder of an address whether they registered. One link verifies the account, the other deletes
 * it.
 */
export function verificationMail(
  appBaseUrl: string,
  tokens: { readonly verification: string; readonly disown: string },
  registration: Registration,
): Mail {
  return {
    kind: 'verification',
    link: mailLink(appBaseUrl, 'verify', tokens.verification),
    disown: {
      link: mailLink(appBaseUrl, 'not-me', tokens.disown),
      registeredAt: registration.at.toISOString(),
      removedAt: after(registration.at, unverifiedAccountSeconds).toISOString(),
      registeredFrom: registration.from,
    },
  };
}
