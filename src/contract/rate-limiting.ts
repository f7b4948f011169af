import { createHash } from 'node:crypto';
import type { ProblemReply, RateLimitPolicy } from './contract-types.js';
import { rateLimited } from '../../generated/contract/problems.js';
import type { Endpoint, Exchange } from './exchange.js';
import { subscriberOf } from './subscriber.js';

/** The state of one policy after a request. */
export interface RateLimitState {
  /** Requests allowed per window. */
  readonly limit: number;
  readonly windowSeconds: number;
  /** Requests left in this window. */
  readonly remaining: number;
  /** Seconds until the window ends, at least 1. */
  readonly resetSeconds: number;
  readonly exceeded: boolean;
}

/** Counts requests. Implementations share the counts between all servers of an installation. */
export interface RateLimiter {
  /**
   * Counts one request.
   *
   * @param setting the policy's setting
   * @param key identifies the counted client
   * @returns null when the policy is disabled
   */
  consume(setting: string, key: string): Promise<RateLimitState | null>;
}

/** Whether a limit counts authenticated callers, so that it must wait for authentication. */
export function countsPrincipals(policies: readonly RateLimitPolicy[]): boolean {
  return policies.some(({ key }) => key.some((part) => part.startsWith(principalPrefix)));
}

const principalPrefix = 'principal.';

/**
 * Counts the request under each policy, puts the `RateLimit` fields on the reply
 * (draft-ietf-httpapi-ratelimit-headers), and refuses it when one is exceeded (429).
 *
 * @param policies those of the operation, or of its caller's security scheme
 * @param principal the caller; null before authentication
 */
export async function limitRate(
  exchange: Exchange<Endpoint>,
  limiter: RateLimiter,
  policies: readonly RateLimitPolicy[],
  principal: unknown,
): Promise<ProblemReply | null> {
  const states: { policy: RateLimitPolicy; state: RateLimitState }[] = [];
  for (const policy of policies) {
    const state = await limiter.consume(policy.setting, keyOf(policy, exchange, principal));
    if (state !== null) states.push({ policy, state });
  }
  if (states.length === 0) return null;
  const field = (value: (state: RateLimitState) => string): string =>
    states.map(({ policy, state }) => `"${policy.name}";${value(state)}`).join(', ');
  exchange.replyHeaders['RateLimit-Policy'] = field((state) => `q=${state.limit};w=${state.windowSeconds}`);
  exchange.replyHeaders['RateLimit'] = field((state) => `r=${state.remaining};t=${state.resetSeconds}`);
  const waits = states.filter(({ state }) => state.exceeded).map(({ state }) => state.resetSeconds);
  if (waits.length === 0) return null;
  const seconds = Math.max(...waits);
  return rateLimited({
    message: `Too many requests. Try again in ${seconds} seconds.`,
    retry_after_seconds: seconds,
  });
}

const longestKey = 255;

/** A malformed body counts as a body without the property, so that such requests are limited, too. */
function keyOf(policy: RateLimitPolicy, exchange: Exchange<Endpoint>, principal: unknown): string {
  const body = 'value' in exchange.parsedBody ? exchange.parsedBody.value : null;
  const parts = policy.key.map((part) => {
    if (part === 'ip') return subscriberOf(exchange.clientIp);
    if (part.startsWith(principalPrefix)) return textIn(principal, part.slice(principalPrefix.length));
    return textIn(body, part.replace(/^body\./, ''))
      .trim()
      .toLowerCase();
  });
  return rateLimitKey(policy.name, parts);
}

/**
 * The key under which a limiter counts.
 *
 * @param name of the policy
 * @param parts the values that the policy counts by
 */
export function rateLimitKey(name: string, parts: readonly string[]): string {
  const key = JSON.stringify([name, ...parts]);
  // The body is not validated yet, and a store may limit the length of keys.
  return key.length <= longestKey ? key : createHash('sha256').update(key).digest('base64url');
}

function textIn(value: unknown, property: string): string {
  const text: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, property) : '';
  return typeof text === 'string' ? text : '';
}
