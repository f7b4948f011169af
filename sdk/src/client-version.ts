import { ApiVersionError } from './errors.js';
import { nameOf, type Operation } from './operation.js';
import { sdkVersion } from './version.js';

/** The headers that name this client. Browsers keep their own `User-Agent`. */
export function clientHeaders(): Record<string, string> {
  const name = `plumbline-sdk/${sdkVersion}`;
  const { process } = globalThis as { readonly process?: { readonly version?: string } }; // absent in browsers
  return { 'x-client-version': name, ...(process?.version && { 'user-agent': `${name} node/${process.version}` }) };
}

/**
 * Compares the major versions of the API: the types of this client fit only one. A server that does not name its version
 * is accepted, since a proxy may drop the header.
 *
 * @throws ApiVersionError
 */
export function checkApiVersion(operation: Operation, { headers }: Response, expected: string): void {
  const served = headers.get('x-api-version');
  if (served !== null && Number.parseInt(served) !== Number.parseInt(expected)) {
    throw new ApiVersionError(nameOf(operation), served, expected);
  }
}
