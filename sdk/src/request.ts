import type { Operation } from './operation.js';
import type { Sendable } from './transport.js';

/**
 * Validates the base URL.
 *
 * @throws TypeError when it is not an absolute http(s) URL without credentials, query and fragment
 */
export function checkedBaseUrl(baseUrl: string): string {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : null;
  const plain = url !== null && url.username === '' && url.password === '' && url.search === '' && url.hash === '';
  if (!plain || !/^https?:$/.test(url.protocol)) {
    // The message omits the value, which may contain a password.
    throw new TypeError('baseUrl must be an absolute http or https URL without credentials, query or fragment');
  }
  return url.href;
}

/**
 * Rejects parameters that would change the path: URLs drop empty and dot segments, and the name of a parameter without a
 * value would be sent in its place.
 *
 * @param path as in the contract: `/things/{thing_id}`
 * @throws TypeError naming the parameter
 */
export function checkPathParams(path: string, params: Record<string, unknown>): void {
  for (const [, name = ''] of path.matchAll(/\{(\w+)\}/g)) {
    const value = params[name] ?? '';
    if (value === '' || value === '.' || value === '..') {
      throw new TypeError(`The path parameter ${name} must not be missing, empty, "." or ".."`);
    }
  }
}

/**
 * The headers of a request: those of the operation, then those of the client, then those of the call.
 *
 * @throws TypeError naming a header whose value cannot be sent
 */
export function requestHeaders(
  operation: Operation,
  ...added: readonly (Readonly<Record<string, string | undefined>> | undefined)[]
): Record<string, string> {
  const accept = ['application/problem+json'];
  if (operation.format !== undefined) accept.unshift(operation.format.mediaType);
  const headers: Record<string, string> = { accept: accept.join(', ') };
  if (operation.sends !== undefined) headers['content-type'] = operation.sends;
  for (const [name, value] of added.flatMap((each) => Object.entries(each ?? {}))) {
    if (value === undefined) continue;
    // The error of fetch would quote the value, which may be a secret.
    if (/[^\t\x20-\x7e\x80-\xff]/.test(value)) throw new TypeError(`The value of the header ${name} cannot be sent`);
    headers[name.toLowerCase()] = value;
  }
  return headers;
}

/**
 * Formats an access token for the header `Authorization`.
 *
 * @throws TypeError, without the token, when it contains characters that RFC 6750, section 2.1 does not allow
 */
export function checkedBearer(token: string): string {
  if (!/^[\w\-.~+/]+=*$/.test(token)) throw new TypeError('The access token in the store is not a bearer token');
  return `Bearer ${token}`;
}

/** Copies a request to a form that any fetch can send repeatedly: a `Request` can be read once. */
export async function sendableOf(request: Request): Promise<Sendable> {
  const headers: Record<string, string> = {};
  request.headers.forEach((value, name) => {
    headers[name] = value;
  });
  const text = await request.text();
  return { url: request.url, method: request.method, headers, body: text === '' ? null : text };
}
