import { setTimeout as delay } from 'node:timers/promises';
import type { Schemas } from '../../../../generated/platform/operations.js';
import { parsedJson, propertyOf } from '../../server/json-values.js';
import type { CodeHost } from '../../../sync/providers/code-host.js';
import { codeHostOf } from '../../../sync/providers/registry.js';
import type { IntegrationKind } from './integrations.store.js';
import { UnreachableError, type OutboundFetch } from '@plumbline/contract/outbound/outbound-fetch';

export interface CodeHostAccess {
  readonly provider: Schemas['CodeHost'];
  readonly kind: IntegrationKind;
  /** null: the public installation. */
  readonly baseUrl: string | null;
  readonly token: string;
}

export interface CodeHostLimits {
  /** The timeout for a reply, in milliseconds. */
  readonly timeoutMs: number;
  /** The minimum time before a failure is reported, in milliseconds since the request. */
  readonly leastFailureMs: number;
}

/** Local failures, such as an unknown host name, take less than the minimum. */
const usualLimits: CodeHostLimits = { timeoutMs: 10_000, leastFailureMs: 1_000 };

/** The result of a request to a code host: a reply with status 200, or a reason for users why there is none. */
export type CodeHostReply = { readonly text: string; readonly headers: Headers } | { readonly failure: string };

/** Large enough for a reply that describes one user. */
const maxUserBytes = 256 * 1024;

/**
 * Asks a code host whether it accepts a token.
 *
 * @returns null when the host accepts the token, otherwise the reason as a message, which never contains the token
 */
export async function testCodeHost(
  access: CodeHostAccess,
  fetch: OutboundFetch,
  limits: CodeHostLimits = usualLimits,
): Promise<string | null> {
  const { path, property } = codeHostOf(access.provider).tests[access.kind];
  const isExpected = (text: string): boolean => {
    const value = propertyOf(parsedJson(text), property);
    return typeof value === 'string' || Array.isArray(value);
  };
  const reply = await askCodeHost(access, { path, isExpected, maxBytes: maxUserBytes }, fetch, limits);
  return 'failure' in reply ? reply.failure : null;
}

export interface CodeHostQuestion {
  /** Relative to the API, with its query. */
  readonly path: string;
  readonly maxBytes: number;
  /** Whether the body is a reply of a code host. */
  readonly isExpected: (text: string) => boolean;
}

/**
 * Sends a request to a code host.
 *
 * The base URL comes from an organization, which must not learn about this server's network. So every failure to get a
 * code host's reply has the same message, and no failure is reported immediately. Only a rejected token is reported as
 * such, because then the host's address was allowed.
 */
export async function askCodeHost(
  access: CodeHostAccess,
  question: CodeHostQuestion,
  fetch: OutboundFetch,
  { timeoutMs, leastFailureMs }: CodeHostLimits = usualLimits,
): Promise<CodeHostReply> {
  if (!/^[\x21-\x7e]+$/.test(access.token)) {
    const failure =
      'The token contains invalid characters, such as blanks. Disconnect and connect the integration again.';
    return { failure };
  }
  const earliest = delay(leastFailureMs);
  const reply = await ask(access, question, fetch, timeoutMs);
  if ('failure' in reply) await earliest;
  return reply;
}

async function ask(
  { provider, baseUrl, token }: CodeHostAccess,
  { path, maxBytes, isExpected }: CodeHostQuestion,
  fetch: OutboundFetch,
  timeoutMs: number,
): Promise<CodeHostReply> {
  const host = codeHostOf(provider);
  const unreachable = {
    failure: `The code host cannot be reached, or does not respond like ${host.title}. Check the base URL, or try again later.`,
  };
  try {
    const address = baseUrl ?? host.publicUrl;
    if (address === null) return unreachable;
    const response = await fetch(apiUrl(address, host) + path, {
      headers: {
        accept: 'application/json',
        authorization: host.authorization?.(token) ?? `Bearer ${token}`,
        'user-agent': 'plumbline',
      },
      signal: new AbortController().signal,
      timeoutMs,
      maxBytes,
    });
    if (response.status === 401 || response.status === 403) return { failure: 'The code host rejected the token.' };
    const text = response.status === 200 ? await response.text() : '';
    return isExpected(text) ? { text, headers: response.headers } : unreachable;
  } catch (error) {
    if (error instanceof UnreachableError) return unreachable;
    throw error;
  }
}

/** The URL of the API, without a trailing slash. */
function apiUrl(baseUrl: string, { apiPath }: CodeHost): string {
  const url = new URL(baseUrl);
  const path = url.pathname.replace(/\/+$/, '');
  return url.origin + (path.endsWith(apiPath) ? path : path + apiPath);
}
