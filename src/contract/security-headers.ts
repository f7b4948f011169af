/**
 * Headers that keep browsers from guessing, framing, and leaking addresses (OWASP ASVS 5.0, chapter 3.4). Replies of an
 * API are not to be stored unless their operation says so.
 */
export const securityHeaders: Readonly<Record<string, string>> = {
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store',
};
