import { domainToASCII } from 'node:url';

/** RFC 5321, section 4.5.3.1.1. */
const longestLocalPart = 64;
/** RFC 1035, section 2.3.4. */
const longestLabel = 63;

/** The domain of an address, as it is written there. */
export function domainOfAddress(email: string): string {
  return email.slice(email.lastIndexOf('@') + 1);
}

/**
 * Checks rules that the format `email` of JSON Schema does not cover.
 * @param email in its normalized form, which has that format
 * @returns why no mail can be sent to the address, as the end of a sentence; null: the address is valid
 */
export function faultOfEmail(email: string): string | null {
  const domain = domainOfAddress(email);
  if (email.lastIndexOf('@') > longestLocalPart) return `must have at most ${longestLocalPart} characters before the @`;
  const labels = domain.split('.');
  if (labels.some((label) => label.length > longestLabel)) {
    return `must have at most ${longestLabel} characters between the dots of its domain`;
  }
  const isPunycode = labels.some((label) => label.startsWith('xn--'));
  return isPunycode && domainToASCII(domain) !== domain ? 'must have a domain that is valid Punycode' : null;
}
