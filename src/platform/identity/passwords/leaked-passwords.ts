import { createHash } from 'node:crypto';
import type { Log } from '@plumbline/contract/contract-types';
import type { OutboundFetch } from '@plumbline/contract/outbound/outbound-fetch';

/** Whether a password, normalized, is known from a leak. */
export type LeakCheck = (password: string) => Promise<boolean>;

const timeoutMs = 2000;
/** A list has some 1,000 lines of at most 50 bytes, and padding. */
const maxBytes = 1_000_000;
const prefixLength = 5;

/**
 * Creates the check by a service with the interface of Pwned Passwords (`GET /range/{prefix}`). The service sees 5 of the 40
 * digits of the SHA-1 of the password, and answers with what follows in all hashes that begin with them. If it does not
 * answer, passwords count as not leaked: people must be able to choose one.
 *
 * @param url of the service; null: no password counts as leaked
 */
export function createLeakCheck(url: string | null, outbound: OutboundFetch, log: Log): LeakCheck {
  if (url === null) return () => Promise.resolve(false);
  return async (password) => {
    const hash = createHash('sha1').update(password).digest('hex').toUpperCase();
    const [prefix, rest] = [hash.slice(0, prefixLength), hash.slice(prefixLength)];
    try {
      const reply = await outbound(`${url}/range/${prefix}`, {
        headers: { 'Add-Padding': 'true' }, // else the length of the reply would tell the prefix
        signal: new AbortController().signal,
        timeoutMs,
        maxBytes,
      });
      if (!reply.ok) throw new Error(`the service answered ${reply.status}`);
      return hasRest(await reply.text(), rest);
    } catch (error) {
      log.warn({ err: error }, 'leaked passwords cannot be looked up; the password is taken as not leaked');
      return false;
    }
  };
}

/** Whether a list of lines `<rest of a hash>:<how often it was leaked>` has a hash. Padding was leaked 0 times. */
function hasRest(list: string, rest: string): boolean {
  return list.split('\n').some((line) => {
    const [found = '', count = ''] = line.trim().split(':');
    return found.toUpperCase() === rest && Number(count) > 0;
  });
}
