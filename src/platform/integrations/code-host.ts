import { lookup, type LookupAddress, type LookupOptions } from 'node:dns';
import { request as requestHttp, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { Schemas } from '../../../generated/platform/operations.js';
import { faultOfBaseUrl, isRefusedAddress } from './base-url.js';

/** How to ask one code host who a token belongs to, and the property of the reply that tells. */
interface Host {
  readonly name: string;
  readonly publicUrl: string;
  /** Appended to the base URL. */
  readonly userPath: string;
  /** What people may have put at the end of the base URL although `userPath` has it. */
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

const defaultTimeoutMs = 10_000;
/** The reply describes one user. */
const maxReplyBytes = 256 * 1024;

/**
 * Asks a code host who a token belongs to.
 *
 * It goes through `node:http` and not `fetch`, because there the address that a name leads to can be refused in the
 * same look-up that the connection uses; a name that is looked up twice may lead to two places.
 *
 * @returns null when the host accepts the token, else the reason for people, which never holds the token
 */
export async function askCodeHost(access: CodeHostAccess, timeoutMs = defaultTimeoutMs): Promise<string | null> {
  const host = hosts[access.provider];
  const baseUrl = access.baseUrl ?? host.publicUrl;
  const fault = faultOfBaseUrl(baseUrl);
  if (fault !== null) return `The address of the code host cannot be used: it ${fault}.`;
  if (!/^[\x21-\x7e]+$/.test(access.token)) {
    return 'The token holds characters that no token has, such as blanks. Disconnect and connect it again.';
  }
  const deadline = AbortSignal.timeout(timeoutMs);
  try {
    const { status, body } = await get(urlOfUser(baseUrl, host), access.token, deadline);
    return reasonOf(status, body, host);
  } catch (error) {
    if (deadline.aborted) return `The code host did not answer within ${timeoutMs / 1000} seconds.`;
    return reasonOfFailure(error);
  }
}

function urlOfUser(baseUrl: string, { userPath, repeated }: Host): URL {
  const url = new URL(baseUrl);
  const path = url.pathname.replace(/\/+$/, '');
  url.pathname = (repeated !== '' && path.endsWith(repeated) ? path.slice(0, -repeated.length) : path) + userPath;
  return url;
}

function reasonOf(status: number, body: string, { name, login }: Host): string | null {
  if (status === 200) {
    if (typeof propertyOf(body, login) === 'string') return null;
    return `What answers there is not ${name}. Check the base URL.`;
  }
  if (status === 401 || status === 403) return `The code host refuses the token (${status}).`;
  if (status === 404) return `There is no ${name} API at this address (404). Check the base URL.`;
  if (status === 429) return 'The code host has too many requests from here (429). Try again later.';
  if (status >= 300 && status < 400) {
    return `The code host sends callers elsewhere (${status}). Connect with the base URL that it has now.`;
  }
  return `The code host answers with the status ${status}.`;
}

function reasonOfFailure(error: unknown): string {
  if (error instanceof RefusedAddress) return 'The name of the code host leads to a link-local address.';
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'no connection';
  return `The code host cannot be reached (${code}).`;
}

function get(url: URL, token: string, signal: AbortSignal): Promise<{ status: number; body: string }> {
  const options: RequestOptions = {
    signal,
    agent: false, // one question, then nothing more
    lookup: lookupAllowed,
    headers: { accept: 'application/json', authorization: `Bearer ${token}`, 'user-agent': 'plumbline' },
  };
  const send = url.protocol === 'https:' ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    // The request ends by itself then, but does not say so in every state, such as after a switch of protocols.
    signal.addEventListener('abort', () => {
      reject(new Error('too late'));
    });
    const request = send(url, options, (response) => {
      readBody(response).then((body) => {
        resolve({ status: response.statusCode ?? 0, body });
      }, reject);
    });
    request.on('error', reject);
    request.end();
  });
}

/** The first part of a reply that could be a user; a longer one is cut off, and then is none. */
async function readBody(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > maxReplyBytes) break; // which destroys the response
  }
  // One chunk can hold more than is wanted, and a whole reply with it.
  return Buffer.concat(chunks).subarray(0, maxReplyBytes).toString('utf8');
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

class RefusedAddress extends Error {
  override name = 'RefusedAddress';
}

type Found = (error: NodeJS.ErrnoException | null, address: string | LookupAddress[], family?: number) => void;

/** `dns.lookup`, which fails for a name that leads to a refused address. */
function lookupAllowed(hostname: string, options: LookupOptions, found: Found): void {
  lookup(hostname, options, (error, address, family) => {
    const addresses =
      error !== null ? [] : typeof address === 'string' ? [address] : address.map((each) => each.address);
    if (addresses.some(isRefusedAddress)) found(new RefusedAddress(), []);
    else found(error, address, family);
  });
}
