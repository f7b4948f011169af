import type { Middleware } from 'koa';

/**
 * Headers that keep browsers from guessing, framing, and leaking addresses (OWASP ASVS 5.0, chapter 3.4). Replies of an
 * API are not to be stored unless their operation says so.
 */
export const securityHeaders: Middleware = (ctx, next) => {
  const { res } = ctx;
  res.setHeader('X-Content-Type-Options', 'nosniff');
  res.setHeader('X-Frame-Options', 'DENY');
  res.setHeader('Referrer-Policy', 'no-referrer');
  res.setHeader('Cache-Control', 'no-store');
  return next();
};
