/** How long a server asks to be left alone, read from the headers of its reply. */

/**
 * The delay in milliseconds, or undefined where the reply names none.
 *
 * `Retry-After` (seconds or an HTTP date, RFC 9110 section 10.2.3) goes first; then, if nothing remains, the reset times
 * `X-RateLimit-Reset` (host_a) and `RateLimit-Reset` (host_b), both in epoch seconds.
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
  // One second more: the server's clock and the whole seconds of the header are not exact.
  return Math.max(Number(reset) * 1000 - now, 0) + 1000;
}
