import type { RateLimitState } from '@plumbline/contract/rate-limiting';
import type { RateLimitRule } from './rate-limit-rule.js';

/**
 * @param used requests in the window, including this one
 * @param leftMs until the window ends
 */
export function rateLimitState({ limit, windowSeconds }: RateLimitRule, used: number, leftMs: number): RateLimitState {
  return {
    limit,
    windowSeconds,
    remaining: Math.max(0, limit - used),
    resetSeconds: Math.max(1, Math.ceil(leftMs / 1000)),
    exceeded: used > limit,
  };
}
