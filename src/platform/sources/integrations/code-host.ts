import { setTimeout as delay } from 'node:timers/promises';
import type { Schemas } from '../../../../generated/platform/operations.js';
import { parsedJson, propertyOf } from '../../server/json-values.js';
import type { IntegrationKind } from './integrations.store.js';
import { UnreachableError, type OutboundFetch } from '@plumbline/contract/outbound/outbound-fetch';

/** How to ask a code host. */
interface Host {
  readonly name: string;
  readonly publicUrl: string;
  /** The path of its API. Users may have included it in the base URL. */
  readonly apiPath: string;
  /** How to show that a token of each kind is accepted. */
  readonly tests: Readonly<Record<IntegrationKind, Pick<CodeHostQuestion, 'path' | 'isExpected'>>>;
}

/** Asks for the owner of a token, whose name the reply has. */
const ownerWith = (property: string): Pick<CodeHostQuestion, 'path' | 'isExpected'> => ({
  path: '/user',
  isExpected: (text) => typeof propertyOf(parsedJson(text), property) === 'string',
});

const hosts: Readonly<Record<Schemas['CodeHost'], Host>> = {
  // https://docs.github.com/en/rest/users/users#get-the-authenticated-user
  host_a: {
    name: 'GitHub',
    publicUrl: 'https://api.github.com',
    apiPath: '',
    tests: {
      token: ownerWith('login'),
      // A token of an installation has no owner.
      app: {
        path: '/installation/repositories?per_page=1',
        isExpected: (text) => Array.isArray(propertyOf(parsedJson(text), 'repositories')),
      },
    },
  },
  // https://docs.gitlab.com/api/users/#retrieve-the-current-user
  host_b: {
    name: 'GitLab',
    publicUrl: 'https://gitlab.com',
    apiPath: '/api/v4',
    tests: { token: ownerWith('username'), app: ownerWith('username') },
  },
};

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
  const question = hosts[access.provider].tests[access.kind];
  const reply = await askCodeHost(access, { ...question, maxBytes: maxUserBytes }, fetch, limits);
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
  const host = hosts[provider];
  const unreachable = {
    failure: `The code host cannot be reached, or does not respond like ${host.name}. Check the base URL, or try again later.`,
  };
  try {
    const response = await fetch(apiUrl(baseUrl ?? host.publicUrl, host) + path, {
      headers: { accept: 'application/json', authorization: `Bearer ${token}`, 'user-agent': 'plumbline' },
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
function apiUrl(baseUrl: string, { apiPath }: Host): string {
  const url = new URL(baseUrl);
  const path = url.pathname.replace(/\/+$/, '');
  return url.origin + (path.endsWith(apiPath) ? path : path + apiPath);
}
