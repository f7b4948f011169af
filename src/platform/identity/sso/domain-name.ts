import { domainToASCII } from 'node:url';

/** A domain in lower case and as Punycode; '' if it is none. */
export function normalizeDomain(text: string): string {
  const domain = domainToASCII(text.trim().replace(/\.$/, ''));
  return /^(?=.{1,253}$)[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63})+$/.test(domain) && !/^[\d.]+$/.test(domain) ? domain : '';
}
