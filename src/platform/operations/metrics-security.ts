import { createHash, timingSafeEqual } from 'node:crypto';
import type { PlatformSecurity } from '../../../generated/platform/security.js';
import { unauthenticated } from '../../../generated/problems.js';

type Metrics = PlatformSecurity['metrics'];

/**
 * Lets programs on this machine read the metrics, and those who have the token, if one is set. A request that a proxy on
 * this machine forwards, or that a page sends to its own name (DNS rebinding), needs the token although it comes from
 * loopback.
 */
export function createMetricsSecurity(token: string | null): Metrics {
  const refusal = unauthenticated({
    message:
      'Metrics are for programs on this machine that call a loopback name directly, or for the bearer of METRICS_TOKEN.',
  });
  return {
    authenticate: (given, context) =>
      Promise.resolve(
        context.isOnThisMachine || (token !== null && isSame(given, token)) ? { principal: {} } : { refusal },
      ),
    withoutCredential: (context) => (context.isOnThisMachine ? { principal: {} } : { refusal }),
    authorize: () => ({ refusal }), // the contract defines no scopes here
  };
}

/** Compares digests, so that timing reveals nothing about the token. */
function isSame(one: string, other: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}
