import { createHash, timingSafeEqual } from 'node:crypto';
import type { PlatformSecurity } from '../../../../generated/platform/security.js';
import { unauthenticated } from '../../../../generated/problems.js';

type Metrics = PlatformSecurity['metrics'];

/**
 * Lets programs on this machine read the metrics, and callers with the token, if one is set. The token is also required
 * for requests that a local proxy forwards or that come from DNS rebinding, although they arrive from loopback.
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
    authorize: () => ({ refusal }), // the contract defines no scopes for metrics
  };
}

/** Compares digests, so that timing reveals nothing about the token. */
function isSame(one: string, other: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}
