import { createHash, timingSafeEqual } from 'node:crypto';
import ipaddr from 'ipaddr.js';
import type { RequestContext } from '../../../generated/contract.js';
import type { PlatformSecurity } from '../../../generated/platform/security.js';
import { unauthenticated } from '../../../generated/problems.js';

type Metrics = PlatformSecurity['metrics'];

/**
 * Lets callers on the loopback interface read the metrics, and those who have the token, if one is set. A request that a
 * proxy on this machine forwards comes from loopback too, but its caller may be anywhere: it needs the token.
 */
export function createMetricsSecurity(token: string | null): Metrics {
  const refusal = unauthenticated({
    message: 'Metrics are for direct callers on loopback, or for the bearer of METRICS_TOKEN.',
  });
  return {
    authenticate: (given, context) =>
      Promise.resolve(isLocal(context) || (token !== null && isSame(given, token)) ? { principal: {} } : { refusal }),
    withoutCredential: (context) => (isLocal(context) ? { principal: {} } : { refusal }),
    authorize: () => ({ refusal }), // the contract has no scopes here
  };
}

function isLocal({ clientIp, isForwarded }: RequestContext): boolean {
  return !isForwarded && ipaddr.isValid(clientIp) && ipaddr.parse(clientIp).range() === 'loopback';
}

/** Compares digests, so that the time taken tells nothing about how much of the token was right. */
function isSame(one: string, other: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}
