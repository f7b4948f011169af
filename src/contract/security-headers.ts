/**
 * Headers against content sniffing, framing and referrer leaks (OWASP ASVS 5.0, chapter 3.4). API replies are not
 * cached unless their operation sets another Cache-Control.
 */
export const securityHeaders: Readonly<Record<string, string>> = {
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store',
};
