import { domainToASCII } from 'node:url';

/**
 * Normalizes an e-mail address for validation, storage, look-up and rate limits: no surrounding white space, lower case,
 * an internationalized domain in Punycode (RFC 5891). Invalid addresses are left for validation to reject. The function
 * is idempotent.
 */
export function normalizeEmail(email: string): string {
  const trimmed = email.trim();
  const at = trimmed.lastIndexOf('@');
  if (at === -1) return asciiLowerCase(trimmed);
  return `${asciiLowerCase(trimmed.slice(0, at))}@${normalizeDomain(trimmed.slice(at + 1))}`;
}

/**
 * `domainToASCII` decodes percent signs and stops at a slash, so pass it only domains whose ASCII characters are valid
 * in host names. Otherwise two different texts could become one address.
 */
function normalizeDomain(domain: string): string {
  const isAscii = /^[\0-\x7f]*$/.test(domain);
  if (isAscii || !/^(?:[a-z0-9.-]|[^\0-\x7f])*$/i.test(domain)) return asciiLowerCase(domain);
  // UTS #46 maps the capital letter to ß since its revision 31, which Node does not yet.
  return domainToASCII(domain.replaceAll('ẞ', 'ß')) || domain;
}

/** `toLowerCase` maps U+212A (Kelvin sign) to `k`: two different local parts would become one address. */
function asciiLowerCase(text: string): string {
  return text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** Normalizes the e-mail addresses of a parsed body, in place. @param names the properties that contain one */
export function normalizeBody(body: unknown, names: readonly string[]): void {
  if (typeof body !== 'object' || body === null) return;
  for (const name of names) {
    if (!Object.hasOwn(body, name)) continue;
    const value: unknown = Reflect.get(body, name);
    if (typeof value === 'string') Reflect.set(body, name, normalizeEmail(value));
  }
}
