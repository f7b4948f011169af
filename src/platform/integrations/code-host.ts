import { setTimeout as delay } from 'node:timers/promises';
import type { Schemas } from '../../../generated/platform/operations.js';
import { UnreachableError, type OutboundFetch } from '../../outbound/outbound-fetch.js';

/** How to ask one code host who a token belongs to, and the property of the reply that says so. */
interface Host {
  readonly name: string;
  readonly publicUrl: string;
  /** Appended to the base URL. */
  readonly userPath: string;
  /** The beginning of `userPath`, which people may have put at the end of the base URL too. */
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
  /** A failure is not answered sooner than this many milliseconds after the request. */
  readonly leastFailureMs: number;
}

/** The times of failures that need no answer from afar, such as an unknown name, stay below the least one. */
const usualLimits: CodeHostLimits = { timeoutMs: 10_000, leastFailureMs: 1_000 };

/** The reply describes one user. */
const maxReplyBytes = 256 * 1024;

/**
 * Asks a code host who a token belongs to.
 *
 * The base URL comes from an organization, which must not learn about this server's network: whatever keeps the host from
 * answering like a code host gets the same message, and no answer comes at once. Only a refused token is told apart,
 * because the host's address was allowed then.
 *
 * @returns null when the host accepts the token, else the reason for people, which never contains the token
 */
export async function askCodeHost(
  access: CodeHostAccess,
  fetch: OutboundFetch,
  { timeoutMs, leastFailureMs }: CodeHostLimits = usualLimits,
): Promise<string | null> {
  const host = hosts[access.provider];
  if (!/^[\x21-\x7e]+$/.test(access.token)) {
    return 'The token contains characters that no token has, such as blanks. Disconnect and connect it again.';
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
  const unreachable = `The code host cannot be reached, or does not answer like ${host.name}. Check the base URL, or try again later.`;
  try {
    const response = await fetch(urlOfUser(baseUrl ?? host.publicUrl, host), {
      headers: { accept: 'application/json', authorization: `Bearer ${token}`, 'user-agent': 'plumbline' },
      signal: new AbortController().signal,
      timeoutMs,
      maxBytes: maxReplyBytes,
    });
    if (response.status === 401 || response.status === 403) return 'The code host refuses the token.';
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
