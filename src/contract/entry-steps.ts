/** The steps that every request to an operation or a page passes before its handler. */
import type { ProblemReply } from './contract-types.js';
import { authenticate, type AnySecurityHandler } from './authentication.js';
import type { Endpoint, Exchange } from './exchange.js';
import { negotiate } from './negotiation.js';
import { countsPrincipals, limitRate, type RateLimiter } from './rate-limiting.js';

export interface EntryOptions {
  readonly security: Readonly<Record<string, AnySecurityHandler>>;
  /** null: no endpoint has rate limits. */
  readonly rateLimiter: RateLimiter | null;
}

/** The two steps that differ between operations and pages. */
export interface EntryParts {
  /** Refuses the request before any other step; null: continue. */
  readonly admit: () => ProblemReply | null;
  /** Reads the body if the endpoint has one; returns the problem (413) if the body is too large. */
  readonly readBody: () => Promise<ProblemReply | null>;
}

/**
 * Admits the request, negotiates media types (406, 415), reads the body (413), limits the rate (429) and authenticates
 * the caller (401), in this order. A limit that counts callers is applied after authentication. Sets
 * `exchange.principal`, also where a step before authentication refuses the request.
 *
 * @returns the problem to refuse the request with; null: continue
 */
export async function passEntrySteps(
  exchange: Exchange<Endpoint>,
  { admit, readBody }: EntryParts,
  { security, rateLimiter }: EntryOptions,
): Promise<ProblemReply | null> {
  const { route } = exchange;
  const limiter = route.rateLimits.length === 0 ? null : rateLimiter;
  const isLimitedByCaller = countsPrincipals(route.rateLimits);
  const refusal =
    admit() ??
    negotiate(exchange) ??
    (route.body === null ? null : await readBody()) ??
    (limiter === null || isLimitedByCaller ? null : await limitRate(exchange, limiter, route.rateLimits, null));
  if (refusal !== null) {
    await identify(exchange, { security });
    return refusal;
  }

  if (route.security.schemes.length > 0) {
    const verdict = await authenticate(exchange, security);
    if ('refusal' in verdict) return verdict.refusal;
    exchange.principal = verdict.principal;
  }
  const policies = [...(isLimitedByCaller ? route.rateLimits : []), ...(exchange.scheme?.rateLimits ?? [])];
  return policies.length === 0 || rateLimiter === null
    ? null
    : limitRate(exchange, rateLimiter, policies, exchange.principal);
}

/**
 * Identifies the caller of a request that will be refused, so that the log names the caller. A caller without a valid
 * credential stays unknown, and where the endpoint takes no credential, none is checked.
 */
export async function identify(
  exchange: Exchange<Endpoint>,
  { security }: Pick<EntryOptions, 'security'>,
): Promise<void> {
  try {
    const verdict = await authenticate(exchange, security);
    if ('principal' in verdict) exchange.principal = verdict.principal;
  } catch (error) {
    exchange.log.warn({ err: error }, 'cannot identify the caller of a refused request');
  }
}
