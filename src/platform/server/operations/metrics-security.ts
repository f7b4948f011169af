import type { PlatformSecurity } from '../../../../generated/platform/security.js';
import { unauthenticated } from '../../../../generated/problems.js';
import { isSameSecret } from '../secrets/same-secret.js';

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
        context.isOnThisMachine || (token !== null && isSameSecret(given, token)) ? { principal: {} } : { refusal },
      ),
    withoutCredential: (context) => (context.isOnThisMachine ? { principal: {} } : { refusal }),
    authorize: () => ({ refusal }), // the contract defines no scopes for metrics
  };
}
