import { setTimeout as delay } from 'node:timers/promises';
import type { Schemas } from '../../../generated/platform/operations.js';
import { UnreachableError, type OutboundFetch } from '../../outbound/outbound-fetch.js';

/** How to find the owner of a token at one code host, and the property of the reply with the owner's name. */
interface Host {
  readonly name: string;
  readonly publicUrl: string;
  /** Appended to the base URL. */
  readonly userPath: string;
  /** The start of `userPath`, which users may have included at the end of the base URL. */
  readonly repeated: string;
  readonly login: string;
}

const hosts: Readonly<Record<Schemas['CodeHost'], Host>> = {
  // https://docs.github.com/en/rest/users/users#get-the-authenticated-user
  host_a: { name: 'GitHub', publicUrl: 'https://api.github.com', userPath: '/user', repeated: '', login: 'login' },
  // https://docs.gitlab.com/api/users/#retrieve-the-current-user
  host_b: {
    name: 'GitLab',
    publicUrl: 'https://gitlab.com',
    userPath: '/api/v4/user',
    repeated: '/api/v4',
    login: 'username',
  },
};

export interface CodeHostAccess {
  readonly provider: Schemas['CodeHost'];
  /** null: the public installation. */
  readonly baseUrl: string | null;
  readonly token: string;
}

export interface CodeHostLimits {
  /** Milliseconds after which the host counts as unreachable. */
  readonly timeoutMs: number;
  /** The minimum time before a failure is reported, in milliseconds since the request. */
  readonly leastFailureMs: number;
}

/** Local failures, such as an unknown host name, take less than the minimum. */
const usualLimits: CodeHostLimits = { timeoutMs: 10_000, leastFailureMs: 1_000 };

/** The reply describes one user. */
const maxReplyBytes = 256 * 1024;

/**
 * Asks a code host for the owner of a token.
 *
 * The base URL comes from an organization, which must not learn about this server's network. So every failure to get a
 * code host's reply has the same message and no failure is immediate. Only a rejected token is reported as such,
 * because then the host's address was allowed.
 *
 * @returns null when the host accepts the token, otherwise the reason as a message, which never contains the token
 */
export async function askCodeHost(
  access: CodeHostAccess,
  fetch: OutboundFetch,
  { timeoutMs, leastFailureMs }: CodeHostLimits = usualLimits,
): Promise<string | null> {
  const host = hosts[access.provider];
  if (!/^[\x21-\x7e]+$/.test(access.token)) {
    return 'The token contains invalid characters, such as blanks. Disconnect and connect the integration again.';
  }
  const earliest = delay(leastFailureMs);
  const reason = await ask(access, host, fetch, timeoutMs);
  if (reason !== null) await earliest;
  return reason;
}

async function ask(
  { baseUrl, token }: CodeHostAccess,
  host: Host,
  fetch: OutboundFetch,
  timeoutMs: number,
): Promise<string | null> {
  const unreachable = `The code host cannot be reached, or does not respond like ${host.name}. Check the base URL, or try again later.`;
  try {
    const response = await fetch(urlOfUser(baseUrl ?? host.publicUrl, host), {
      headers: { accept: 'application/json', authorization: `Bearer ${token}`, 'user-agent': 'plumbline' },
      signal: new AbortController().signal,
      timeoutMs,
      maxBytes: maxReplyBytes,
    });
    if (response.status === 401 || response.status === 403) return 'The code host rejected the token.';
    const isUser = response.status === 200 && typeof propertyOf(await response.text(), host.login) === 'string';
    return isUser ? null : unreachable;
  } catch (error) {
    if (error instanceof UnreachableError) return unreachable;
    throw error;
  }
}

function urlOfUser(baseUrl: string, { userPath, repeated }: Host): string {
  const url = new URL(baseUrl);
  const path = url.pathname.replace(/\/+$/, '');
  url.pathname = (repeated !== '' && path.endsWith(repeated) ? path.slice(0, -repeated.length) : path) + userPath;
  return url.href;
}

function propertyOf(json: string, name: string): unknown {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
      ? (value as Readonly<Record<string, unknown>>)[name]
      : undefined;
  } catch {
    return undefined; // no JSON, so no user
  }
}
