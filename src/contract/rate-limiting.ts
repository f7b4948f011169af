import { createHash } from 'node:crypto';
import type { ProblemReply, RateLimitPolicy } from './contract-types.js';
import { rateLimited } from '../../generated/contract/problems.js';
import { cookieValues } from './cookie-values.js';
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
export interface RequestCounts {
  /**
   * Counts one request.
   *
   * @param setting the policy's setting
   * @param key identifies the counted client
   * @returns null when the policy is disabled
   */
  consume(setting: string, key: string): Promise<RateLimitState | null>;
  /** Takes back the count of one request, whose reply does not count. */
  giveBack(setting: string, key: string): Promise<void>;
}

export interface RateLimiter extends RequestCounts {
  /**
   * The session that a token belongs to, for policies that count sessions.
   *
   * @returns null when the token is not valid
   */
  sessionOf(token: string): Promise<string | null>;
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
  const counts: Count[] = [];
  for (const policy of policies) {
    const key = await keyOf(policy, exchange, limiter, principal);
    const state = await limiter.consume(policy.setting, key);
    if (state !== null) counts.push({ policy, key, state });
    // What one policy refuses does not use up another: a stranger's address would use up an account.
    if (state?.exceeded === true) break;
  }
  if (counts.length === 0) return null;
  putFields(exchange, counts);
  if (counts.some(({ policy }) => policy.counts !== undefined)) {
    exchange.settleLimits = (status) => settle(exchange, limiter, counts, status);
  }
  const waits = counts.filter(({ state }) => state.exceeded).map(({ state }) => state.resetSeconds);
  if (waits.length === 0) return null;
  const seconds = Math.max(...waits);
  return rateLimited({
    message: `Too many requests. Try again in ${seconds} seconds.`,
    retry_after_seconds: seconds,
  });
}

/** One request, counted under one policy. */
interface Count {
  readonly policy: RateLimitPolicy;
  readonly key: string;
  readonly state: RateLimitState;
}

function putFields({ replyHeaders }: Exchange<Endpoint>, counts: readonly Count[]): void {
  const field = (value: (state: RateLimitState) => string): string =>
    counts.map(({ policy, state }) => `"${policy.name}";${value(state)}`).join(', ');
  replyHeaders['RateLimit-Policy'] = field((state) => `q=${state.limit};w=${state.windowSeconds}`);
  replyHeaders['RateLimit'] = field((state) => `r=${state.remaining};t=${state.resetSeconds}`);
}

/**
 * Gives back the counts under policies that do not count this reply. Every request counts until then, so that
 * simultaneous ones cannot exceed a limit.
 */
async function settle(
  exchange: Exchange<Endpoint>,
  limiter: RateLimiter,
  counts: readonly Count[],
  status: number,
): Promise<void> {
  const settled: Count[] = [];
  for (const count of counts) {
    const { policy, key, state } = count;
    if (policy.counts?.includes(status) !== false) {
      settled.push(count);
      continue;
    }
    try {
      await limiter.giveBack(policy.setting, key);
    } catch (error) {
      exchange.log.warn({ err: error, policy: policy.name }, 'a request that does not count stays counted');
    }
    settled.push({ policy, key, state: state.exceeded ? state : { ...state, remaining: state.remaining + 1 } });
  }
  putFields(exchange, settled);
}

const longestKey = 255;

/** A malformed body counts as a body without the property, so that such requests are limited, too. */
async function keyOf(
  policy: RateLimitPolicy,
  exchange: Exchange<Endpoint>,
  limiter: RateLimiter,
  principal: unknown,
): Promise<string> {
  const body = 'value' in exchange.parsedBody ? exchange.parsedBody.value : null;
  const partOf = (part: string): string | Promise<string> => {
    if (part === 'ip') return subscriberOf(exchange.clientIp);
    if (part.startsWith(principalPrefix)) return textIn(principal, part.slice(principalPrefix.length));
    if (part.startsWith(sessionPrefix)) return sessionIn(part.slice(sessionPrefix.length), body, exchange, limiter);
    return textIn(body, part.replace(/^body\./, ''))
      .trim()
      .toLowerCase();
  };
  const parts: string[] = [];
  for (const part of policy.key) parts.push(await partOf(part));
  return rateLimitKey(policy.name, parts);
}

const sessionPrefix = 'session.';

/** The session of the token in this place; the caller's IP address if no valid token is there. */
async function sessionIn(
  place: string,
  body: unknown,
  { request, clientIp }: Exchange<Endpoint>,
  limiter: RateLimiter,
): Promise<string> {
  const tokens = place.startsWith(cookiePrefix)
    ? cookieValues(request.headers.cookie, place.slice(cookiePrefix.length))
    : [textIn(body, place.replace(/^body\./, ''))];
  for (const token of tokens) {
    const session = await limiter.sessionOf(token);
    if (session !== null) return session;
  }
  return subscriberOf(clientIp);
}

const cookiePrefix = 'cookie.';

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
