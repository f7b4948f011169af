/** The delay that a server asks for, read from the headers of its reply. */

/**
 * The delay in milliseconds, or undefined if the reply specifies none.
 * `Retry-After` (seconds or an HTTP date, RFC 9110 section 10.2.3) takes precedence. Otherwise, if no requests remain,
 * the reset times `X-RateLimit-Reset` (host_a) and `RateLimit-Reset` (host_b) apply, both in epoch seconds.
 */
export function serverDelay(headers: Headers, now: number): number | undefined {
  const retryAfter = headers.get('retry-after')?.trim();
  if (retryAfter !== undefined && retryAfter !== '') {
    if (/^\d+$/.test(retryAfter)) return Number(retryAfter) * 1000;
    const date = Date.parse(retryAfter);
    if (!Number.isNaN(date)) return Math.max(date - now, 0);
  }
  return resetDelay(headers, 'x-ratelimit', now) ?? resetDelay(headers, 'ratelimit', now);
}

function resetDelay(headers: Headers, prefix: string, now: number): number | undefined {
  const reset = headers.get(`${prefix}-reset`)?.trim();
  if (headers.get(`${prefix}-remaining`)?.trim() !== '0' || reset === undefined || !/^\d+$/.test(reset))
    return undefined;
  // Adds one second, because the server's clock may differ and the header is in whole seconds.
  return Math.max(Number(reset) * 1000 - now, 0) + 1000;
}
